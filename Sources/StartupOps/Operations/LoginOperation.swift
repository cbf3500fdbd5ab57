import Sequencer

/// Asks who is there.
@MainActor
public protocol LoginPresenter: Sendable {
    /// Shows the login form.
    ///
    /// - Parameter problem: why the last answer was not accepted, in one sentence; nil the first time.
    func askForLogin(problem: String?) async -> LoginAnswer
    /// Asks for the code that was sent to an address that has not been verified.
    ///
    /// - Returns: the code; nil when the person left the screen.
    func askForVerificationCode(of email: String, problem: String?) async -> Secret?
    /// Asks whether the account that was found on this device should be used again.
    func askToRestore(_ account: StoredSession) async -> Bool
}

/// What a person answers to the login form.
public enum LoginAnswer: Sendable, Hashable {
    /// An account that exists.
    case logIn(email: String, password: Secret)
    /// An account to be created.
    case createAccount(email: String, password: Secret)
    /// To go on without one.
    case continueAsGuest
    /// Nothing.
    case dismissed
}

/// Opens a session: the stored one, or else one that the person, or the kind of onboarding, asks for.
///
/// | stored session | what happens |
/// |---|---|
/// | any, on a first launch that restores no accounts | it is ended, with all that is kept of it; the report says so |
/// | valid, or refreshed | it is used; nobody is asked |
/// | valid, address not verified | the code is asked for; who leaves that screen goes on as a guest |
/// | a guest's, and onboarding is regular | it is ended, and the login form asks |
/// | cannot be checked: no network | it is used as it was; the report says so |
/// | cannot be read: the device is locked | nothing is deleted; the launch goes on as a guest; the report says so |
/// | none, or ended by the service | regular onboarding: the login form asks; otherwise a guest's session is opened |
///
/// A guest's session that cannot be opened does not hold the launch up either: the app starts with ``Account/guest``.
public struct LoginOperation: Sendable {
    /// How many answers to a form are tried before the operation fails.
    public static let mostAnswers = 5

    private let accounts: any AccountService
    private let presenter: (any LoginPresenter)?
    private let stage: Stage
    private let onboarding: OnboardingType
    private let keepsStoredSession: Bool
    private let didDecideEarly: @Sendable (OnboardingType) -> Void

    /// An operation that logs in by `accounts`.
    ///
    /// - Parameters:
    ///   - presenter: asks who is there; nil when nobody can be asked.
    ///   - onboarding: how someone who is not logged in is received, unless the configuration says otherwise.
    ///   - keepsStoredSession: whether a session that is stored may be used. On some systems, secrets survive a reinstallation: an app that
    ///     does not offer to restore accounts ends, on its first launch, the session that someone else may have left.
    ///   - didDecideEarly: told how somebody is received where the scenario does not wait for the configuration, which may say otherwise later.
    public init(
        accounts: any AccountService,
        presenter: (any LoginPresenter)?,
        stage: Stage,
        onboarding: OnboardingType = .regular,
        keepsStoredSession: Bool = true,
        didDecideEarly: @escaping @Sendable (OnboardingType) -> Void = { _ in }
    ) {
        self.didDecideEarly = didDecideEarly
        self.keepsStoredSession = keepsStoredSession
        self.accounts = accounts
        self.presenter = presenter
        self.stage = stage
        self.onboarding = onboarding
    }

    /// Opens a session.
    ///
    /// - Parameter configuration: may say how someone who is not logged in is received.
    /// - Throws: ``DismissedByPerson``, ``MissingPresenterError``, or ``AccountError`` after too many wrong answers.
    public func run(_ configuration: AppConfiguration?, in launch: Launch) async throws -> Account {
        if let account = try await restored(configuration, in: launch) { return account }
        return decide(configuration) == .regular ? try await askForLogin(in: launch) : try await guest(in: launch)
    }

    /// How somebody who is not logged in is received.
    private func decide(_ configuration: AppConfiguration?) -> OnboardingType {
        if configuration == nil { didDecideEarly(onboarding) }
        return configuration?.onboarding ?? onboarding
    }

    // MARK: The stored session

    /// - Returns: nil when there is none that can be used.
    private func restored(_ configuration: AppConfiguration?, in launch: Launch) async throws -> Account? {
        let session: StoredSession
        switch accounts.storedSession() {
        case .absent: return nil
        case .unavailable(let error):
            launch.note("the stored session cannot be read now, and was left alone: \(error)")
            return .guest
        case .value(let value): session = value
        }
        if !keepsStoredSession {
            await accounts.logOut(because: "it is the first launch")
            launch.note("the stored session was ended, because this is the first launch")
            return nil
        }
        if session.isAnonymous, decide(configuration) == .regular {
            await accounts.logOut(because: "a guest has to log in")
            launch.note("the guest's session was ended: this app asks for an account")
            return nil
        }
        do {
            let account = try await launch.request("the profile of the stored session") { try await accounts.restore(by: $0) }
            return account.isAnonymous || account.isEmailVerified ? account : try await verified(account, in: launch)
        } catch let error as AccountError {
            launch.note("the stored session was not used: \(error)")
            return nil
        } catch let error as NetworkError {
            try launch.checkCancellation()
            launch.note("the session could not be checked, and was used as it was: \(error)")
            return session.account ?? Account(id: session.userID ?? Account.guest.id, name: "", isAnonymous: session.isAnonymous)
        }
    }

    private func verified(_ account: Account, in launch: Launch) async throws -> Account {
        guard let email = account.email else { return account }
        let presenter = try presenter(for: "the code that was sent to verify an address", launch)
        var problem: String?
        for _ in 0..<Self.mostAnswers {
            let complaint = problem
            let code = try await ask(launch) { await presenter.askForVerificationCode(of: email, problem: complaint) }
            guard let code else {
                await accounts.logOut(because: "the address was not verified")
                launch.note("the address was not verified: the launch went on as a guest")
                return try await guest(in: launch)
            }
            do {
                return try await launch.request("the verification") { try await accounts.verify(email: email, code: code, by: $0) }
            } catch {
                problem = try Self.problem(error, launch)
            }
        }
        throw AccountError(.invalidCode, "the address was not verified in \(Self.mostAnswers) tries")
    }

    // MARK: A new session

    private func askForLogin(in launch: Launch) async throws -> Account {
        let presenter = try presenter(for: "who is there", launch)
        var problem: String?
        for _ in 0..<Self.mostAnswers {
            let complaint = problem
            let answer = try await ask(launch) { await presenter.askForLogin(problem: complaint) }
            do {
                let account: Account
                switch answer {
                case .dismissed: throw DismissedByPerson(operation: launch.operation)
                case .continueAsGuest: return try await guest(in: launch)
                case .logIn(let email, let password):
                    account = try await launch.request("a session") { try await accounts.logIn(email: email, password: password, by: $0) }
                case .createAccount(let email, let password):
                    account = try await launch.request("the new account") {
                        try await accounts.createAccount(email: email, password: password, by: $0)
                    }
                }
                return account.isEmailVerified ? account : try await verified(account, in: launch)
            } catch {
                problem = try Self.problem(error, launch)
            }
        }
        throw AccountError(.invalidCredentials, "nobody logged in after \(Self.mostAnswers) answers")
    }

    /// A guest's session; when there is none to be had, the app starts without.
    private func guest(in launch: Launch) async throws -> Account {
        do {
            return try await launch.request("a guest's session") { try await accounts.logInAnonymously(by: $0) }
        } catch {
            try launch.checkCancellation()
            launch.note("there is no session, not even a guest's: \(error)")
            return .guest
        }
    }

    // MARK: The person

    private func presenter(for question: String, _ launch: Launch) throws -> any LoginPresenter {
        guard let presenter else { throw MissingPresenterError(operation: launch.operation, question: question) }
        return presenter
    }

    private func ask<Answer: Sendable>(_ launch: Launch, _ question: @MainActor @Sendable () async -> Answer) async throws -> Answer {
        try await stage.ask(in: launch, question)
    }

    /// What to tell the person before the form is shown again; rethrows what a form cannot help with.
    private static func problem(_ error: any Error, _ launch: Launch) throws -> String {
        try launch.checkCancellation()
        switch error {
        case let error as AccountError: return error.description
        case let error as NetworkError where error.isTransient:
            launch.note("the person was asked again: \(error)")
            return "the service cannot be reached; please try again"
        // As behind the page of a hotel's network: it may pass, and who does not want to wait can go on as a guest.
        case let error as NetworkError where [.invalidData, .emptyResponse, .invalidResponse].contains(error.code):
            launch.note("the person was asked again: \(error)")
            return "the service gave an answer that makes no sense; please try again"
        default: throw error
        }
    }
}
