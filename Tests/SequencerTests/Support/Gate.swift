import Dispatch
import Foundation

@testable import Sequencer

/// Lets threads and tasks wait for one another in a test, in an order that the test draws.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
        semaphore.signal()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Blocks the calling thread: for steps that do what they should not.
    func block() {
        semaphore.wait()
        semaphore.signal()
    }
}

/// Where things happened in which order.
final class Journal: Sendable {
    private let entries = Locked<[String]>([])

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}

extension LaunchOptions {
    /// Options of a launch in virtual time.
    static func virtual(
        lanes: Int? = nil,
        deadline: Duration? = nil,
        deadlineCountsInteractiveTime: Bool = true,
        grace: Duration = .milliseconds(250)
    ) -> LaunchOptions {
        LaunchOptions(
            lanes: lanes,
            deadline: deadline,
            deadlineCountsInteractiveTime: deadlineCountsInteractiveTime,
            grace: grace,
            clock: VirtualClock(),
            seed: 1
        )
    }
}

extension OperationGraph {
    /// Adds a step that waits.
    @discardableResult
    mutating func wait(
        _ id: String,
        _ milliseconds: Int,
        _ options: StepOption...,
        after dependencies: any StepReference...
    ) -> Step<Void> {
        var list = DependencyList()
        for dependency in dependencies { dependency.add(to: &list) }
        return add(id, .all(options), after: list.references.map(\.id)) { launch in try await launch.sleep(for: .milliseconds(milliseconds))
        }
    }
}
