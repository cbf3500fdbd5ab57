import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

@Suite("Login", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LoginOperationTests {
    /// Accounts as a service would keep them, in memory; what was asked of it, in order.
    private final class FakeAccounts: AccountService {
        struct State {
            var session: StoredAnswer<StoredSession>
            var calls: [String] = []
        }

        let state: Locked<State>
        let error: (any Error)?
        let isVerified: Bool
        let hasGuests: Bool

        init(_ session: StoredAnswer<StoredSession> = .absent, error: (any Error)? = nil, isVerified: Bool = true, hasGuests: Bool = true) {
            state = Locked(State(session: session))
            self.error = error
            self.isVerified = isVerified
            self.hasGuests = hasGuests
        }

        var calls: [String] { state.withLock { $0.calls } }

        private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

        private func account(_ email: String) -> Account {
            Account(id: "7", name: "Person", email: email, isEmailVerified: isVerified)
        }

        func storedSession() -> StoredAnswer<StoredSession> { state.withLock { $0.session } }

        func restore(by deadline: Deadline) async throws -> Account {
            note("restore")
            if let error { throw error }
            if storedSession().value?.isAnonymous == true { return Account(id: "g", name: "", isAnonymous: true) }
            return account("stored@example.com")
        }

        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            note("log in \(email)")
            if let error { throw error }
            if password.value != "right" { throw AccountError(.invalidCredentials, "the address or the password is wrong") }
            return account(email)
        }

        func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            note("create \(email)")
            return Account(id: "8", name: "New", email: email, isEmailVerified: false)
        }

        func logInAnonymously(by deadline: Deadline) async throws -> Account {
            note("guest")
            if !hasGuests { throw unreachable }
            return Account(id: "g", name: "", isAnonymous: true)
        }

        func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account {
            note("verify")
            if code.value != "000000" { throw AccountError(.invalidCode, "the code is wrong") }
            return Account(id: "8", name: "New", email: email)
        }

        func logOut(because reason: String) async {
            state.withLock { $0.session = .absent }
            note("log out: \(reason)")
        }
    }

    private static let stored = StoredAnswer.value(
        StoredSession(userID: "7", isAnonymous: false, account: Account(id: "7", name: "Stored", email: "stored@example.com"))
    )
    private static let storedGuest = StoredAnswer.value(StoredSession(userID: "g", isAnonymous: true))

    private func run(
        _ accounts: FakeAccounts,
        _ person: FakePerson? = nil,
        onboarding: OnboardingType = .regular
    ) async throws -> (report: OperationReport, value: Account?) {
        let operation = LoginOperation(accounts: accounts, presenter: person, onboarding: onboarding)
        return try await runAlone("login", .timeout(.seconds(2))) { launch in try await operation.run(nil, in: launch) }
    }

    @Test(
        "A23, A29, B52: without a session the login form asks until the answer is right; a wrong one is explained; the time is the person's"
    )
    func form() async throws {
        let accounts = FakeAccounts()
        let person = FakePerson(logins: [
            .logIn(email: "a@example.com", password: "wrong"), .logIn(email: "a@example.com", password: "right"),
        ])
        let (report, account) = try await run(accounts, person)
        #expect(account?.email == "a@example.com")
        #expect(person.shown.withLock { $0 } == ["login: -", "login: the address or the password is wrong"])
        #expect(report.isInteractive)
    }

    @Test("A23, B50: a new account, and one whose address was not verified, are asked for the code; a wrong one is asked for again")
    func verification() async throws {
        let accounts = FakeAccounts()
        let person = FakePerson(logins: [.createAccount(email: "n@example.com", password: "x")], codes: ["1", "000000"])
        let (_, account) = try await run(accounts, person)
        #expect(account?.isEmailVerified == true)
        #expect(accounts.calls == ["create n@example.com", "verify", "verify"])
        #expect(person.shown.withLock { $0 } == ["login: -", "code: -", "code: the code is wrong"])
    }

    @Test("B50: who leaves the verification is logged out, and goes on as a guest; the report says so")
    func verificationDismissed() async throws {
        let accounts = FakeAccounts(Self.stored, isVerified: false)
        let (report, account) = try await run(accounts, FakePerson(codes: [nil]))
        #expect(account?.isAnonymous == true)
        #expect(accounts.calls == ["restore", "log out: the address was not verified", "guest"])
        #expect(report.notes == ["the address was not verified: the launch went on as a guest"])
    }

    @Test("B23: a restored account is offered: taken or without an answer, it stays; refused, it is logged out, and the report says so")
    func restoreAccount() async throws {
        for isWanted in [true, false, nil] as [Bool?] {
            let accounts = FakeAccounts(Self.stored)
            let person = FakePerson(restores: isWanted)
            let memory = LaunchMemory()
            let operation = RestoreAccountOperation(accounts: accounts, presenter: person, memory: memory)
            let (report, _) = try await runAlone("restore-account") { launch in try await operation.run(in: launch) }
            #expect(person.shown.withLock { $0 } == ["restore"] && report.isInteractive)
            #expect(accounts.calls == (isWanted == false ? ["log out: the person did not want the account back"] : []))
            #expect(report.notes.isEmpty == (isWanted != false))
            #expect((report.outcome == .failed) == (isWanted == nil) && memory.state.withLock { $0.isOfferUnanswered } == (isWanted == nil))
        }
        let nobody = FakePerson()
        let operation = RestoreAccountOperation(accounts: FakeAccounts(), presenter: nobody)
        _ = try await runAlone { launch in try await operation.run(in: launch) }
        #expect(nobody.shown.withLock { $0 }.isEmpty)
    }

    @Test("B43: a guest has to log in where the app asks for an account, and the report says that the session was ended")
    func guestWithRegularOnboarding() async throws {
        let accounts = FakeAccounts(Self.storedGuest)
        let person = FakePerson(logins: [.logIn(email: "a@example.com", password: "right")])
        let (report, account) = try await run(accounts, person)
        #expect(account?.isAnonymous == false)
        #expect(accounts.calls.first == "log out: a guest has to log in")
        #expect(report.notes.count == 1)
    }

    @Test(
        "B13, B52: with the other kinds of onboarding a guest's session is opened, or opened again",
        arguments: [OnboardingType.dismissable, .none]
    )
    func guest(_ onboarding: OnboardingType) async throws {
        for session in [StoredAnswer.absent, Self.storedGuest] {
            let accounts = FakeAccounts(session)
            let (report, account) = try await run(accounts, onboarding: onboarding)
            #expect(account?.isAnonymous == true && report.outcome == .succeeded)
            #expect(accounts.calls == (session.value == nil ? ["guest"] : ["restore"]))
        }
    }

    @Test("B53: when not even a guest's session can be opened, the app starts without one, and the report says so")
    func noGuest() async throws {
        let (report, account) = try await run(FakeAccounts(hasGuests: false), onboarding: .none)
        #expect(account == .guest && report.outcome == .succeeded)
        #expect(report.notes == ["there is no session, not even a guest's: GET example.invalid/v1: connection refused"])
    }

    @Test("a session that the service has ended is asked for again; one that cannot be read is not touched")
    func endedAndUnavailable() async throws {
        let ended = FakeAccounts(Self.stored, error: AccountError(.sessionEnded, "the session has ended"))
        let (report, _) = try await run(ended, FakePerson(logins: [.continueAsGuest]))
        #expect(report.notes.first == "the stored session was not used: the session has ended")
        #expect(ended.calls == ["restore", "guest"])
        let locked = FakeAccounts(.unavailable(StorageError(.locked, "session", "the device is locked")))
        let (lockedReport, account) = try await run(locked)
        #expect(account == .guest && locked.calls.isEmpty)
        #expect(lockedReport.notes == ["the stored session cannot be read now, and was left alone: session: the device is locked"])
    }

    @Test("fault O16, O17: who dismisses the form ends the operation by name; nobody to ask is an error, not a wait")
    func nobody() async throws {
        #expect(try await run(FakeAccounts(), FakePerson()).report.message == "the person dismissed login")
        let alone = try await run(FakeAccounts()).report
        #expect(alone.outcome == .failed)
        #expect(alone.message == "there is no presenter for login, and it needs a person: who is there; give one to StartupPresenters")
    }

    @Test(
        "fault N47: a service that cannot be used, whatever the reason, keeps nobody from going on as a guest, and is said to be the reason",
        arguments: [NetworkError.Code.untrusted, .unauthorized, .invalidRequest, .refreshTokenFailed, .operationFailed]
    )
    func unusable(code: NetworkError.Code) async throws {
        let error = NetworkError(code, request: "POST example.invalid/v1", "it does not work")
        let (asked, account) = try await run(FakeAccounts(error: error), FakePerson(logins: [answer, .continueAsGuest]))
        #expect(account?.isAnonymous == true)
        #expect(asked.notes == ["the person was asked again: POST example.invalid/v1: it does not work"])
        let (stubborn, guest) = try await run(FakeAccounts(error: error), FakePerson(logins: Array(repeating: answer, count: 9)))
        #expect(guest?.isAnonymous == true && stubborn.outcome == .succeeded)
        #expect(stubborn.notes.last == "nobody could log in, and the launch went on as a guest: POST example.invalid/v1: it does not work")
    }

    private var answer: LoginAnswer { .logIn(email: "a@example.com", password: "right") }

    @Test("wrong answers end the operation after five")
    func tooMany() async throws {
        let answers = Array(repeating: LoginAnswer.logIn(email: "a@example.com", password: "wrong"), count: 9)
        let accounts = FakeAccounts()
        let (report, _) = try await run(accounts, FakePerson(logins: answers))
        #expect(report.message == "nobody logged in after 5 answers")
        #expect(accounts.calls.count == 5)
    }
}
