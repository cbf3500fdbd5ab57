import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

/// Holds tasks until it is opened, and tells when the first has arrived.
final class AsyncGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var arrivals = 0
        var watchers: [(count: Int, goOn: @Sendable () -> Void)] = []
        var nextID: UInt64 = 0
    }

    private let state = Locked(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: true) }
    }

    /// Waits until it is open; false when the deadline comes, or (unless it is ignored) the task is cancelled, before. Without a deadline of its own
    /// it waits while a test is patient.
    @discardableResult
    func wait(until deadline: Deadline = .after(patience), ignoringCancellation: Bool = false) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let timer = DeadlineTimer(deadline) { [self] in leave(id) }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOpen, watchers) = state.withLock { state in
                    state.arrivals += 1
                    let ready = state.watchers.filter { $0.count <= state.arrivals }
                    state.watchers.removeAll { $0.count <= state.arrivals }
                    if !state.isOpen { state.waiting[id] = continuation }
                    return (state.isOpen, ready)
                }
                if isOpen { continuation.resume(returning: true) }
                for watcher in watchers { watcher.goOn() }
                if Task.isCancelled && !ignoringCancellation || deadline.isOver { leave(id) }
            }
        } onCancel: {
            if !ignoringCancellation { leave(id) }
        }
    }

    /// Waits until so many tasks have come here, whether or not they have gone on.
    func arrivals(_ count: Int = 1) async {
        await callback { goOn in
            let isThere = state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, goOn)) }
                return state.arrivals >= count
            }
            if isThere { goOn() }
        }
    }

    private func leave(_ id: UInt64) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
    }
}
