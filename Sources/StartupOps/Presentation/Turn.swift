import Sequencer

/// A turn that one task at a time has: the others wait in the order in which they asked.
final class Turn: Sendable {
    private struct State {
        var isTaken = false
        /// Whether nobody waits for it any more: everybody gets it at once.
        var isForAll = false
        var waiters: [(ticket: Int, turn: CheckedContinuation<Bool, Never>)] = []
        var tickets = 0

        mutating func takeIfFree() -> Bool {
            if isTaken, !isForAll { return false }
            isTaken = true
            return true
        }
    }

    private let state = Locked(State())

    /// How many wait for it.
    var queueLength: Int { state.withLock { $0.waiters.count } }

    /// Takes the turn where nobody has it, without leaving the caller's executor.
    func takeIfFree() -> Bool { state.withLock { $0.takeIfFree() } }

    /// Waits for the turn. It belongs to the caller, cancelled or not, when this returns.
    ///
    /// - Throws: `CancellationError` when the task was cancelled before it had the turn.
    nonisolated(nonsending) func wait() async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let isDecided = state.withLock { state -> Bool? in
                    // Asked under the lock: a cancellation before this line has found nobody to withdraw.
                    if Task.isCancelled { return false }
                    if state.takeIfFree() { return true }
                    state.waiters.append((ticket, continuation))
                    return nil
                }
                if let isDecided { continuation.resume(returning: isDecided) }
            }
        } onCancel: {
            // Not there any more: it has its turn, and passes it itself.
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
            }
            waiter?.turn.resume(returning: false)
        }
        if !hasTurn { throw CancellationError() }
    }

    /// Passes the turn to the caller that has waited longest. A single lock guards it, so nobody can come in between.
    func pass() {
        let next = state.withLock { state in
            state.isTaken = !state.waiters.isEmpty
            return state.isTaken ? state.waiters.removeFirst() : nil
        }
        next?.turn.resume(returning: true)
    }

    /// Gives the turn to every waiting caller, and at once to every later one.
    func passToAll() {
        let waiters = state.withLock { state in
            state.isForAll = true
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter.turn.resume(returning: true) }
    }
}
