import Sequencer

extension StartupStep where Work == @Sendable (StepContext) async throws -> Account {
    /// The stored session, opened where nobody sees the app: its token is refreshed where that is needed. Nobody is
    /// asked, and nobody is logged out.
    static var restoreSession: Self {
        Self("restore-session", "Open the stored session", expected: .milliseconds(400), simulating: .guest) { environment, step in
            try await step.boundedRequest("the session", within: step.requestTime) {
                try await environment.services.accounts.restore(by: $0)
            }
        }
    }
}
