import Sequencer

/// The turn to log in: one login at a time, in the order in which they came.
///
/// Each waits for the end of the one before it. One that is cancelled meanwhile ends when its turn would have come, so that the next does not come too early.
final class LoginTurn: Sendable {
    private struct State {
        /// The end of the login that came last.
        var last: ExternalEvent<Void>?
        var waiting = 0
        var hasLoggedIn = false
    }

    private let state = Locked(State())

    /// How many wait for their turn.
    var queueLength: Int { state.withLock { $0.waiting } }

    /// Whether somebody has logged in here, so that the session is one of this process.
    var hasLoggedIn: Bool { state.withLock { $0.hasLoggedIn } }

    /// A login has ended with this account.
    func loggedIn(_ account: Account) {
        // A login also gives `.guest` if the stored session could not be read: that session may still be an earlier installation's.
        if account != .guest { state.withLock { $0.hasLoggedIn = true } }
    }

    /// Waits for the turn; that time is not the step's.
    ///
    /// - Returns: the end of this login, to be fulfilled in any case.
    /// - Throws: `CancellationError`; the turn is then passed on.
    func take(in step: StepContext) async throws -> ExternalEvent<Void> {
        let end = ExternalEvent<Void>("login")
        let before = state.withLock { state in
            defer { state.last = end }
            return state.last
        }
        guard let before, before.result == nil else { return end }
        state.withLock { $0.waiting += 1 }
        defer { state.withLock { $0.waiting -= 1 } }
        do {
            try await step.waitForTurn { try await step.waiting(for: "the login that is under way") { try await before.value } }
        } catch {
            before.whenSettled(.atOnce) { _ in end.fulfill() }
            throw error
        }
        return end
    }
}
