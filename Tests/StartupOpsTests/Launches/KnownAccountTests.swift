import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Whoever has logged in before gets to the main screen, whatever becomes of the service that knows them.
@Suite("A known account", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct KnownAccountTests {
    private struct OwnError: Error {}

    /// The real accounts, but for some of their answers.
    private struct Accounts: AccountsOver {
        let real: any AccountService
        /// Nil where the real service answers.
        var restored: @Sendable () async throws -> Account? = { nil }
        var willLogIn: @Sendable () async throws -> Void = {}

        func restore(by deadline: Deadline) async throws -> Account {
            if let account = try await restored() { return account }
            return try await real.restore(by: deadline)
        }

        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
            try await willLogIn()
            return try await real.logIn(email: email, password: password, by: deadline)
        }
    }

    private struct Result {
        let report: LaunchReport
        let shown: [String]
        let account: Account?
        var notes: [String] { report["login"]?.notes ?? [] }
    }

    /// A device on which somebody has logged in.
    private func device() async throws -> (device: SampleDevice, known: Account) {
        let device = try SampleDevice()
        let first = try await device.launch()
        return (device, try #require(first.content?.account))
    }

    private func launch(
        _ device: SampleDevice,
        _ scenario: Scenario = .regular,
        canAsk: Bool = true,
        changing change: (inout Accounts, VirtualClock) -> Void
    ) async throws -> Result {
        let clock = VirtualClock(patience: .seconds(300))
        let person = AgreeablePerson()
        var presenters = StartupPresenters(all: person)
        if !canAsk { presenters.login = nil }
        var environment = device.environment(presenters)
        defer { environment.devices.closeAll() }
        var accounts = Accounts(real: environment.services.accounts)
        change(&accounts, clock)
        environment.services.accounts = accounts
        let options = LaunchOptions(grace: .seconds(60), clock: clock)
        let report = try await environment.graph(scenario).run(budget: .seconds(3), options: options).report
        return Result(report: report, shown: person.shown, account: person.content?.account)
    }

    @Test("fault N60: no error but that of an account keeps a known one from the main screen: its session is used as it was")
    func errors() async throws {
        let (device, known) = try await device()
        let codes: [NetworkError.Code] = [.untrusted, .unauthorized, .invalidRequest, .invalidResponse, .invalidData, .refreshTokenFailed]
        var errors: [any Error] = [URLError(.cannotParseResponse), OwnError(), CancellationError()]
        for code in codes { errors.append(NetworkError(code, request: "GET example.invalid/v1", "it does not work")) }
        for error in errors {
            let result = try await launch(device) { accounts, _ in accounts.restored = { throw error } }
            #expect(result.report.outcome == .completed, "\(error): \(result.report.remarks)")
            #expect(result.account?.id == known.id && result.shown.contains("main") && !result.shown.contains("login"), "\(error)")
            #expect(result.notes.first?.hasPrefix("the session could not be checked, and was used as it was: ") == true, "\(error)")
        }
    }

    @Test("fault N61: a service that takes no notice of its deadline, nor of being cancelled, is not waited for")
    func silence() async throws {
        let (device, known) = try await device()
        let result = try await launch(device) { accounts, clock in
            accounts.restored = {
                try? await clock.sleep(for: .seconds(100))
                return Account.guest
            }
        }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.account?.id == known.id && result.shown.contains("main"))
        #expect(result.notes.first?.hasSuffix("the service neither answered nor failed by its deadline") == true, "\(result.notes)")
    }

    @Test("fault N61: at the login form, too, a service that does not answer is given up, and the person can go on")
    func silenceAtTheForm() async throws {
        let result = try await launch(try SampleDevice(), .guest) { accounts, clock in
            accounts.willLogIn = { try await clock.sleep(for: .seconds(100)) }
        }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.shown.contains("login again: the service cannot be reached; please try again"), "\(result.shown)")
        #expect(result.account?.isAnonymous == true)
    }

    @Test("fault N47: an error of the app's own service is explained at the login form, and the person can go on")
    func ownErrorAtTheForm() async throws {
        let result = try await launch(try SampleDevice(), .guest) { accounts, _ in accounts.willLogIn = { throw OwnError() } }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.shown.contains("login again: the service cannot be used now; please try again"), "\(result.shown)")
        #expect(result.account?.isAnonymous == true)
    }

    @Test("fault N62: however long the service took to say that a session has ended, who logs in then has time for it")
    func slowEnd() async throws {
        let (device, known) = try await device()
        let result = try await launch(device) { accounts, clock in
            accounts.restored = {
                try await clock.sleep(for: .milliseconds(1400))
                throw AccountError(.sessionEnded, "the service has ended the session")
            }
            accounts.willLogIn = { try await clock.sleep(for: .milliseconds(1500)) }
        }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.shown.contains("login") && result.account?.id == known.id, "\(result.shown)")
    }

    @Test("fault N63: who was known gets in where nobody can be asked: as a guest, when the session has ended")
    func endedAndNobodyToAsk() async throws {
        let (device, _) = try await device()
        let result = try await launch(device, canAsk: false) { accounts, _ in
            accounts.restored = { throw AccountError(.sessionEnded, "the service has ended the session") }
        }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.account?.isAnonymous == true)
        #expect(
            result.notes == [
                "the stored session was not used: the service has ended the session",
                "nobody can be asked to log in: the launch went on as a guest",
            ]
        )
    }

    @Test("fault N63: who was known gets in where nobody can be asked: as they are, when the address is not verified")
    func unverifiedAndNobodyToAsk() async throws {
        let (device, known) = try await device()
        let unverified = Account(id: known.id, name: known.name, email: "person@example.com", isEmailVerified: false)
        let result = try await launch(device, canAsk: false) { accounts, _ in accounts.restored = { unverified } }
        #expect(result.report.outcome == .completed, "\(result.report.remarks)")
        #expect(result.account == unverified)
        #expect(result.notes == ["the address is not verified, and nobody can be asked for the code"])
    }
}
