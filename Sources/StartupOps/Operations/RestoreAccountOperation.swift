import Sequencer

/// Offers the account whose session survived a reinstallation of the app: the person takes it, or it is logged out.
public struct RestoreAccountOperation: Sendable {
    private let accounts: any AccountService
    private let presenter: (any LoginPresenter)?
    private let stage: Stage

    /// An operation that offers the account that `accounts` has kept.
    ///
    /// - Parameter presenter: asks whether to restore; nil when nobody can be asked: the account is then left as it is.
    public init(accounts: any AccountService, presenter: (any LoginPresenter)?, stage: Stage) {
        self.accounts = accounts
        self.presenter = presenter
        self.stage = stage
    }

    /// Offers the account, when there is one.
    @MainActor
    public func run(in launch: Launch) async throws {
        guard let presenter, let session = accounts.storedSession().value else { return }
        let isWanted = try await stage.ask(in: launch) { await presenter.askToRestore(session) }
        if !isWanted {
            await accounts.logOut(because: "the person did not want the account back")
            launch.note("the account found on this device was logged out, as the person wished")
        }
    }
}
