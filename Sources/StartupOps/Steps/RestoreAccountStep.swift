import Sequencer

/// Offers the account whose session survived a reinstallation of the app: the person takes it, or it is logged out.
struct RestoreAccountOperation: Sendable {
    let accounts: any AccountService
    /// Asks whether to restore; nil when nobody can be asked: the account is then left as it is.
    let presenter: (any LoginPresenter)?
    let stage: Stage
    /// Called when the person has left without an answer.
    var didLeave: @Sendable () -> Void = {}

    /// Offers the account, when there is one.
    ///
    /// - Throws: ``DismissedByPerson`` when the person has left without an answer.
    func run(in step: StepContext) async throws {
        guard let presenter, let session = accounts.storedSession().value else { return }
        let isWanted: Bool
        do {
            isWanted = try await stage.ask(in: step) { try await presenter.askToRestore(session) }
        } catch let error as DismissedByPerson {
            didLeave()
            throw error
        }
        // Cut off, it was not answered: a screen that goes away may say no, too.
        try step.checkCancellation()
        if !isWanted {
            await accounts.logOut(because: "the person did not want the account back")
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
            isOnMain: true,
            expected: .milliseconds(150),
            options: .interactive,
            .onFailure(.continue),
            simulated: { $0.screenWork },
            work: { environment, memory in
                let operation = RestoreAccountOperation(
                    accounts: environment.services.accounts,
                    presenter: environment.presenters.login,
                    stage: environment.stage,
                    didLeave: { memory.isOfferUnanswered.withLock { $0 = true } }
                )
                return { try await operation.run(in: $0) }
            }
        )
    }
}
