import Sequencer

/// Offers the account whose session survived a reinstallation of the app: the person takes it, or it is logged out.
struct RestoreAccountOperation: Sendable {
    let accounts: any AccountService
    /// Asks whether to restore; nil when nobody can be asked: the account is then left as it is.
    let presenter: (any LoginPresenter)?
    let stage: Stage

    /// Offers the account, when there is one.
    func run(in step: StepContext) async throws {
        guard let presenter, let session = accounts.storedSession().value else { return }
        let isWanted = try await stage.ask(in: step) { await presenter.askToRestore(session) }
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
            work: { environment, _ in
                let operation = RestoreAccountOperation(
                    accounts: environment.services.accounts,
                    presenter: environment.presenters.login,
                    stage: environment.stage
                )
                return { try await operation.run(in: $0) }
            }
        )
    }
}
