import Sequencer
import StartupNetworking

/// Offers the account whose session survived a reinstallation of the app: the user takes it, or it is logged out.
struct RestoreAccountOperation: Sendable {
    let environment: StartupEnvironment

    /// Offers the account, when there is one.
    ///
    /// - Throws: ``DismissedByPerson`` when the user has left without an answer.
    func run(in step: StepContext) async throws {
        let accounts = environment.services.accounts
        // Where nobody can be asked, the account is left as it is.
        guard let presenter = environment.presenters.login, let session = accounts.storedSession().value else { return }
        let isWanted: Bool
        do {
            isWanted = try await environment.stage.ask(in: step) { try await presenter.askToRestore(session) }
        } catch let error as DismissedByPerson {
            environment.memory.state.withLock { $0.isOfferUnanswered = true }
            throw error
        }
        // Cut off, it was not answered: a screen that goes away may say no, too.
        try step.checkCancellation()
        if !isWanted {
            await accounts.logOut(because: LogoutReason.unwanted.description)
            step.note("the account found on this device was logged out, as the person wished")
        }
    }
}

extension StartupStep where Work == ScreenWork {
    /// The account that was found on the device, offered again.
    public static var restoreAccount: Self {
        Self(
            "restore-account",
            "Offer the account found on this device",
            expected: .milliseconds(150),
            options: .interactive,
            .onFailure(.continue)
        ) { try await RestoreAccountOperation(environment: $0).run(in: $1) }
    }
}
