import Sequencer

/// The turn to log in: of the logins of one environment, one at a time asks the person and opens a session. The others wait until it has ended.
final class LoginTurn: Sendable {
    private struct Waiter {
        let ticket: Int
        let turn: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isTaken = false
        var waiters: [Waiter] = []
        var tickets = 0
        var hasLoggedIn = false
    }

    private let state = Locked(State())

    /// How many wait for their turn.
    var queueLength: Int { state.withLock { $0.waiters.count } }

    /// Whether one of the logins has opened a session: the stored one is not an earlier installation's any more.
    var hasLoggedIn: Bool { state.withLock { $0.hasLoggedIn } }

    /// A login has given an account.
    func loggedIn(_ account: Account) {
        // A login also gives `.guest` if the stored session could not be read: that session may still be an earlier installation's.
        if account != .guest { state.withLock { $0.hasLoggedIn = true } }
    }

    /// Waits for the turn. The caller must ``pass()`` it afterwards.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile: it has no turn then.
    func take(in step: StepContext) async throws {
        if takeAtOnce() { return }
        try await step.waitForTurn { try await step.waiting(for: "the login that is under way") { try await wait() } }
    }

    /// The next one has the turn at once, before another one can ask for it.
    func pass() {
        let next = state.withLock { state -> Waiter? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            // Given on under the same lock: nobody can come in between.
            return state.waiters.removeFirst()
        }
        next?.turn.resume(returning: true)
    }

    private func takeAtOnce() -> Bool {
        state.withLock { state in
            if state.isTaken { return false }
            state.isTaken = true
            return true
        }
    }

    private func wait() async throws {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let isDecided = state.withLock { state -> Bool? in
                    // Asked under the lock: a cancellation before this line has found nobody to withdraw.
                    if Task.isCancelled { return false }
                    if state.isTaken {
                        state.waiters.append(Waiter(ticket: ticket, turn: continuation))
                        return nil
                    }
                    state.isTaken = true
                    return true
                }
                if let isDecided { continuation.resume(returning: isDecided) }
            }
        } onCancel: {
            withdraw(ticket)
        }
        if !hasTurn { throw CancellationError() }
    }

    private func withdraw(_ ticket: Int) {
        let waiter = state.withLock { state in
            // Not there any more: it has its turn, and passes it itself.
            state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0) }
        }
        waiter?.turn.resume(returning: false)
    }
}
