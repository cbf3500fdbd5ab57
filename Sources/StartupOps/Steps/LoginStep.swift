import Sequencer
import StartupNetworking

/// Asks the user to log in.
@MainActor
public protocol LoginPresenter: Sendable {
    /// Shows the login form.
    ///
    /// - Parameter problem: why the last answer was not accepted, in one sentence; nil the first time.
    func askForLogin(problem: String?) async -> LoginAnswer
    /// Asks for the code that was sent to an address that has not been verified.
    ///
    /// - Returns: the code; nil when the user left the screen.
    func askForVerificationCode(of email: String, problem: String?) async -> Secret?
    /// Asks whether the account that was found on this device should be used again.
    ///
    /// - Returns: whether it is; false logs it out.
    /// - Throws: any error when the user has left without an answer: the account is neither used nor logged out, and
    ///     the launch ends as when they dismiss the login form.
    func askToRestore(_ account: StoredSession) async throws -> Bool
}

/// The user's answer to the login form.
public enum LoginAnswer: Sendable, Hashable {
    /// An account that exists.
    case logIn(email: String, password: Secret)
    /// An account to be created.
    case createAccount(email: String, password: Secret)
    /// To continue without one.
    case continueAsGuest
    /// Nothing.
    case dismissed
}

/// Opens a session: the stored one, or else one that the user, or the kind of onboarding, asks for.
///
/// | stored session | what happens |
/// |---|---|
/// | any, on a first launch that restores no accounts | it is ended, with all that is kept of it; the report says so |
/// | any, when it cannot be told whether this is the first launch | as on any other launch; the report says so |
/// | valid, or refreshed | it is used; nobody is asked |
/// | valid, address not verified | the code is asked for; who leaves that screen continues as a guest, or has dismissed a login that they have asked for. Where nobody can be asked, it is used; the report says so |
/// | a guest's, onboarding is regular, and somebody can be asked | it is ended, and the login form asks |
/// | cannot be checked: no network, no answer, any error but ``AccountError`` | it is used as it was; the report says so |
/// | cannot be read: the device is locked | nothing is deleted; the launch continues as a guest; the report says so |
/// | none, or over: ended by the service, or expired without a refresh token | regular onboarding: the login form asks; otherwise a guest's session is opened; the report says it where a user was logged in |
/// | ended by the service, and nobody can be asked | a guest's session is opened; the report says so |
///
/// A guest's session that cannot be opened does not hold the launch up either: the app starts with ``Account/guest``.
///
/// Every request gets the time that the first one could have. For a stored session and a guest's that is a second where
/// the service has answered nothing yet, and for a guest's after a request that failed; what the user has typed always
/// has all of it. As long as nobody was asked, a request also has to leave time of the budget.
///
/// The timeout covers the stored session only; it is paused during
/// later requests, so that nobody is refused at the form because the service took long before.
struct LoginOperation: Sendable {
    /// How many answers to a form are tried before the operation fails.
    static let maximumAnswers = 5

    let environment: StartupEnvironment
    /// Whether a session that is stored may be used. On some systems, secrets survive a reinstallation: an app that
    /// does not offer to restore accounts ends, on its first launch, the session that someone else may have left.
    var keepsStoredSession = true
    /// The session that was there when the user asked to log in.
    var earlier: StoredSession?
    /// Puts the earlier session back; nil where that is not possible.
    var putBack: (@Sendable () async -> Void)?

    private var accounts: any AccountService { environment.services.accounts }
    private var presenter: (any LoginPresenter)? { environment.presenters.login }
    /// Whether the user has asked to log in: the login screen comes unless a user is logged in, and the session
    /// that is there is kept until the login has succeeded.
    private var memory: LaunchMemory { environment.memory }
    private var isAskedFor: Bool { memory.isAskedFor }

    /// Opens a session.
    ///
    /// - Parameter configuration: may say how a user without a login is received.
    /// - Throws: `DismissedByPerson`, `MissingPresenterError` when nobody had a session, or ``AccountError`` after too
    ///     many wrong answers.
    func run(_ configuration: AppConfiguration?, in step: StepContext) async throws -> Account {
        guard isAskedFor, let session = accounts.storedSession().value else { return try await open(configuration, in: step) }
        var operation = self
        operation.earlier = session
        operation.putBack = accounts.sessionKeeper()
        do {
            return try await operation.open(configuration, in: step)
        } catch {
            _ = await operation.goBack()
            throw error
        }
    }

    private func open(_ configuration: AppConfiguration?, in step: StepContext) async throws -> Account {
        let time = step.requestTime
        if earlier?.isAnonymous == true { return try await askForLogin(in: step, time) }
        if let account = try await restored(configuration, in: step, time) { return account }
        if isAskedFor { return try await askForLogin(in: step, time) }
        return decide(configuration) == .regular ? try await askForLogin(in: step, time) : try await guest(in: step, time)
    }

    /// How a user without a login is received.
    private func decide(_ configuration: AppConfiguration?) -> OnboardingType {
        let onboarding = environment.onboarding()
        // If the app has set the onboarding itself, a late configuration does not change it.
        if configuration == nil, environment.onboardingOfApp == nil { memory.state.withLock { $0.earlyOnboarding = onboarding } }
        let chosen = configuration?.onboarding ?? onboarding
        environment.bootstrap?.didChoose(chosen, environment)
        return chosen
    }

    // MARK: The stored session

    /// - Returns: nil without a session that can be used.
    private func restored(_ configuration: AppConfiguration?, in step: StepContext, _ time: Duration) async throws -> Account? {
        let session: StoredSession
        switch accounts.storedSession() {
        case .absent:
            if let reason = accounts.lossOfSession { step.note("nobody is logged in any more: \(reason)") }
            return nil
        case .unavailable(let error):
            step.note("the stored session cannot be read now, and was left alone: \(error)")
            return .guest
        case .value(let value): session = value
        }
        if case .unknown(let reason) = memory.firstLaunch {
            step.note("whether this is the first launch cannot be told, so the stored session was kept: \(reason)")
        }
        // A first launch that was killed, aborted or in safe mode is followed by another first launch.
        if !keepsStoredSession, !session.isOfThisInstallation {
            await accounts.logOut(because: "it is the first launch")
            step.note("the stored session was ended, because this is the first launch")
            return nil
        }
        if session.isAnonymous, presenter != nil, decide(configuration) == .regular {
            await accounts.logOut(because: LogoutReason.guestHasToLogIn.description)
            step.note("the guest's session was ended: this app asks for an account")
            return nil
        }
        let account: Account
        let allowance = memory.serviceTime(time)
        do {
            account = try await step.boundedRequest("the profile of the stored session", within: allowance) { [accounts] in
                try await accounts.restore(by: $0)
            }
        } catch let error as AccountError where error.code != .unavailable {
            step.note("the stored session was not used: \(error)")
            if presenter != nil { return nil }
            // A known user still gets in, as a guest.
            step.note("nobody can be asked to log in: the launch went on as a guest")
            return try await guest(in: step, time)
        } catch {
            try step.checkCancellation()
            step.note("the session could not be checked, and was used as it was: \(Self.text(error))")
            return Self.account(of: session)
        }
        if account.isAnonymous || account.isEmailVerified { return account }
        if presenter == nil {
            step.note("the address is not verified, and nobody can be asked for the code")
            return account
        }
        do {
            return try await verified(account, in: step, time)
        } catch let error as AccountError {
            step.note("the stored session was not used: \(error)")
            return nil
        }
    }

    private func verified(_ account: Account, in step: StepContext, _ time: Duration) async throws -> Account {
        guard let email = account.email else { return account }
        let presenter = try step.need(presenter, "the code that was sent to verify an address")
        let failure = AccountError(.invalidCode, "the address was not verified in \(Self.maximumAnswers) tries")
        let verified = try await ask(in: step, failure, orNoting: "the address could not be verified") { problem in
            await presenter.askForVerificationCode(of: email, problem: problem)
        } until: { code, _ in
            guard let code else {
                // First the session from before: logging out would take that away, too.
                let isBack = isAskedFor ? await goBack() : false
                if !isBack { await accounts.logOut(because: "the address was not verified") }
                if isAskedFor { throw DismissedByPerson(operation: step.operation) }
                step.note("the address was not verified: the launch went on as a guest")
                return try await guest(in: step, time)
            }
            return try await request("the verification", time, in: step) { [accounts] in
                try await accounts.verify(email: email, code: code, by: $0)
            }
        }
        return verified ?? account
    }

    // MARK: A new session

    private func askForLogin(in step: StepContext, _ time: Duration) async throws -> Account {
        let presenter = try step.need(presenter, "who is there")
        let failure = AccountError(.invalidCredentials, "nobody logged in after \(Self.maximumAnswers) answers")
        let note = "nobody could log in, and the launch went on as a guest"
        let account = try await ask(in: step, failure, orNoting: note) { problem in
            await presenter.askForLogin(problem: problem)
        } until: { answer, hadTrouble in
            let account: Account
            switch answer {
            case .dismissed: throw DismissedByPerson(operation: step.operation)
            case .continueAsGuest: return try await guest(in: step, hadTrouble ? min(time, LaunchMemory.timeOfSilentService) : time)
            case .logIn(let email, let password):
                account = try await newSession("a session", time, in: step) { [accounts] in
                    try await accounts.logIn(email: email, password: password, by: $0)
                }
            case .createAccount(let email, let password):
                account = try await newSession("the new account", time, in: step) { [accounts] in
                    try await accounts.createAccount(email: email, password: password, by: $0)
                }
            }
            let verified = account.isEmailVerified ? account : try await verified(account, in: step, time)
            if !verified.isAnonymous { memory.state.withLock { $0.hasLoggedIn = true } }
            return verified
        }
        if let account { return account }
        return try await guest(in: step, min(time, LaunchMemory.timeOfSilentService))
    }

    /// Logs in with what was typed. A session is not kept when it is not known whose it is: the form asks again, and
    /// who then becomes a guest, or leaves, must not be logged in at the next launch.
    private func newSession(
        _ what: String,
        _ time: Duration,
        in step: StepContext,
        _ body: @escaping @Sendable (Deadline) async throws -> Account
    ) async throws -> Account {
        let before = accounts.storedSession()
        do {
            return try await request(what, time, in: step, body)
        } catch {
            let session = accounts.storedSession()
            if session != before, session.value?.isAnonymous == false, !(await goBack()) {
                await accounts.logOut(because: "the login was not completed")
            }
            throw error
        }
    }

    /// Asks until an answer leads to an account.
    ///
    /// - Parameter use: is also told whether the answer before came to grief by the service.
    /// - Returns: nil after too many answers where the last error was the service's, which is noted: that is not the
    ///     user's.
    /// - Throws: `failure` after too many answers that the service has refused.
    private func ask<Answer: Sendable>(
        in step: StepContext,
        _ failure: AccountError,
        orNoting note: String,
        _ question: @MainActor @Sendable (_ problem: String?) async -> Answer,
        until use: (Answer, _ hadTrouble: Bool) async throws -> Account
    ) async throws -> Account? {
        var (problem, trouble): (String?, (any Error)?)
        for _ in 0..<Self.maximumAnswers {
            let complaint = problem
            let answer = try await environment.stage.ask(in: step) { await question(complaint) }
            do {
                return try await use(answer, trouble != nil)
            } catch {
                problem = try Self.problem(error, step)
                trouble = error is AccountError ? nil : error
            }
        }
        guard let trouble else { throw failure }
        step.note("\(note): \(Self.text(trouble))")
        return nil
    }

    /// - Returns: whether the session is the one that was there when the user asked to log in.
    private func goBack() async -> Bool {
        if isEarlier { return true }
        await putBack?()
        return isEarlier
    }

    private var isEarlier: Bool {
        guard let earlier, let session = accounts.storedSession().value else { return false }
        // By the user and the kind: tokens of one session change with each refresh.
        return areSame(session.userID, earlier.userID) && session.isAnonymous == earlier.isAnonymous
    }

    private static func account(of session: StoredSession) -> Account {
        session.account ?? Account(id: session.userID ?? Account.guest.id, name: "", isAnonymous: session.isAnonymous)
    }

    /// A guest's session; if the service gives none, the app starts without.
    private func guest(in step: StepContext, _ time: Duration) async throws -> Account {
        // The guest's own session, rather than a second one that has nothing of the first.
        if let earlier, earlier.isAnonymous, await goBack() { return Self.account(of: earlier) }
        do {
            return try await request("a guest's session", memory.serviceTime(time), in: step) { [accounts] in
                try await accounts.logInAnonymously(by: $0)
            }
        } catch {
            try step.checkCancellation()
            step.note("there is no session, not even a guest's: \(Self.text(error))")
            return .guest
        }
    }

    /// Asks the service for something while the operation's timeout stands still.
    private func request<Answer: Sendable>(
        _ what: String,
        _ time: Duration,
        in step: StepContext,
        _ body: @escaping @Sendable (Deadline) async throws -> Answer
    ) async throws -> Answer {
        try await step.waitForTurn { try await step.boundedRequest(what, within: time, body) }
    }

    // MARK: The user

    /// The sentence that the user is told before the form is shown again; rethrows an error that a form cannot help
    /// with.
    private static func problem(_ error: any Error, _ step: StepContext) throws -> String {
        try step.checkCancellation()
        switch error {
        case let error as AccountError: return error.description
        case is DismissedByPerson, is PresentationRefused, is MissingPresenterError: throw error
        // It may pass, as behind the page of a hotel's network, and who does not want to wait can continue as a guest.
        default:
            step.note("the person was asked again: \(text(error))")
            return (error as? NetworkError).map { problem($0) } ?? "the service cannot be used now; please try again"
        }
    }

    /// An error of a service of the app's own may quote anything.
    private static func text(_ error: any Error) -> String {
        error is NetworkError ? "\(error)" : ForeignText.shown("\(error)")
    }

    private static func problem(_ error: NetworkError) -> String {
        if error.isTransient { return "the service cannot be reached; please try again" }
        return switch error.code {
        case .untrusted: "the network does not lead to the service; please try again, or use another network"
        case .unauthorized: "the service does not accept its own session; please try again"
        default: "the service gave an answer that makes no sense; please try again"
        }
    }
}

extension StartupStep where Work == @Sendable (StepContext, LoadedConfiguration?) async throws -> Account {
    /// A session. The configuration is nil where the scenario does not wait for it.
    public static var login: Self {
        Self(
            "login",
            "Log in",
            expected: .milliseconds(600),
            // In safe mode the stored session is kept, and this launch does not use it.
            options: .substitute(Account.guest),
            simulated: { $0.work(giving: .guest) }
        ) { environment in
            let (memory, turn) = (environment.memory, environment.loginTurn)
            let known = environment.configurations.lastKnown.configuration
            let keepsStoredSession = memory.firstLaunch != .first || environment.restoresAccounts(known)
            return { step, loaded in
                if !turn.takeIfFree() {
                    try await step.waitForTurn { try await step.waiting(for: "the login that is under way") { try await turn.wait() } }
                }
                defer { turn.pass() }
                // To open the session that was found, or to ask who else is there, would answer for the user.
                if memory.state.withLock({ $0.isOfferUnanswered }) { throw DismissedByPerson(operation: step.operation) }
                var operation = LoginOperation(environment: environment)
                // A session that this launch itself has opened since must not be ended as one of an earlier
                // installation.
                let isOver = environment.bootstrap?.hasConfiguration == true || environment.hasLoggedIn.withLock { $0 }
                operation.keepsStoredSession = keepsStoredSession || isOver
                var configuration = loaded?.configuration
                if let chosen = environment.onboardingOfApp { configuration?.onboarding = chosen }
                let account = try await operation.run(configuration, in: step)
                // It is `.guest` also if the stored session could not be read: that one may still be an earlier
                // installation's.
                if account != .guest { environment.hasLoggedIn.withLock { $0 = true } }
                environment.mailbox.setSession(of: account)
                return account
            }
        }
    }
}
