import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// Takes more than the time that it is given.
private func noAnswer<Answer>(_ clock: VirtualClock) async throws -> Answer {
    try await clock.sleep(for: .seconds(100))
    throw NetworkError(.timedOut, request: "GET example.invalid/v1", "there was no answer before the deadline")
}

/// How long a launch takes where what it asks never answers, in virtual time: the last column of the document.
@Suite("The time of launching without", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DegradationTimeTests {
    private struct Updates: UpdatePolicyService {
        let clock: VirtualClock

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy { try await noAnswer(clock) }
    }

    private struct Configurations: ConfigurationService {
        let clock: VirtualClock
        let real: any ConfigurationService
        let answersCountries: Bool

        func countries(by deadline: Deadline) async throws -> [Country] {
            if answersCountries { return try await real.countries(by: deadline) }
            return try await noAnswer(clock)
        }

        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration { try await noAnswer(clock) }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? { try await noAnswer(clock) }
    }

    private struct Accounts: AccountsOver {
        let clock: VirtualClock
        let real: any AccountService
        let givesTokens: Bool

        func restore(by deadline: Deadline) async throws -> Account { try await noAnswer(clock) }
        func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account { try await noAnswer(clock) }
        func logInAnonymously(by deadline: Deadline) async throws -> Account {
            if givesTokens { return try await real.logInAnonymously(by: deadline) }
            return try await noAnswer(clock)
        }
    }

    private struct NoEntitlements: EntitlementService {
        let clock: VirtualClock

        func entitlements(by deadline: Deadline) async throws -> Entitlements { try await noAnswer(clock) }
    }

    /// A service that does not say which speakers there are has half of the time; the speakers have all of it.
    private struct Speakers: DeviceConnector {
        let clock: VirtualClock
        let real: any DeviceConnector
        let isServiceAlone: Bool

        func connect(to speaker: Speaker, by deadline: Deadline) async throws(DeviceError) -> any DeviceConnection {
            if isServiceAlone { return try await real.connect(to: speaker, by: deadline) }
            throw await silence(for: deadline.remaining ?? .seconds(100))
        }

        func scan(_ endpoints: [AppConfiguration.Endpoint], by deadline: Deadline) async throws(DeviceError) -> [Speaker] {
            let time = deadline.remaining ?? .seconds(100)
            let error = await silence(for: isServiceAlone ? time / 2 : time)
            if error.code == .cancelled { throw error }
            return isServiceAlone ? try await real.scan(endpoints, by: deadline) : []
        }

        private func silence(for time: Duration) async -> DeviceError {
            do {
                try await clock.sleep(for: time)
                return DeviceError(.timedOut, "speaker", "no answer")
            } catch {
                return DeviceError(.cancelled, "speaker", "it was cancelled")
            }
        }
    }

    private func silence(_ service: DegradationCase.Service, in environment: inout StartupEnvironment, _ clock: VirtualClock) throws {
        let real = environment.services
        switch service {
        case .versionPolicy: environment.services.updates = Updates(clock: clock)
        case .knownRequirement:
            environment.services.updates = Updates(clock: clock)
            try environment.state.recordUpdatePolicy(try JSONEncoder().encode(UpdatePolicy(minimumVersion: SemanticVersion(9))))
        case .countries, .configuration:
            // A launch that knows the country does not ask for it.
            let isAsked = service == .configuration || environment.state.chosenRegion == .absent
            guard isAsked else { return }
            environment.services.configurations = Configurations(
                clock: clock,
                real: real.configurations,
                answersCountries: service == .configuration
            )
        case .token: environment.services.accounts = Accounts(clock: clock, real: real.accounts, givesTokens: false)
        case .profile: environment.services.accounts = Accounts(clock: clock, real: real.accounts, givesTokens: true)
        case .graphQL: environment.services.speakers = Speakers(clock: clock, real: real.speakers, isServiceAlone: true)
        case .entitlements: environment.services.entitlements = NoEntitlements(clock: clock)
        case .speaker: environment.services.speakers = Speakers(clock: clock, real: real.speakers, isServiceAlone: false)
        }
    }

    private func launch(
        _ launch: DegradationCase.Launch,
        without services: [DegradationCase.Service]
    ) async throws -> LaunchReport {
        let device = try SampleDevice()
        if services.contains(.entitlements) { try Settings(device.directory().settings).set(true, for: .presentsSubscriptionOnEveryStart) }
        if launch == .regular { _ = try await device.launch() }
        let clock = VirtualClock(patience: .seconds(300))
        var environment = device.environment(StartupPresenters(all: AgreeablePerson()))
        defer { environment.devices.closeAll() }
        for service in services { try silence(service, in: &environment, clock) }
        let scenario = Scenario(for: environment.facts())
        #expect(scenario.name == launch.rawValue)
        let options = LaunchOptions(grace: .seconds(60), clock: clock)
        return try await environment.graph(scenario).run(budget: .seconds(3), options: options).report
    }

    @Test(
        "a service that does not answer costs no more than the document says",
        arguments: DegradationCase.all.filter { $0.fault == .hanging }
    )
    func service(_ row: DegradationCase) async throws {
        let report = try await launch(row.launch, without: [row.service])
        #expect(report.outcome.name == row.outcome, "\(report.remarks)")
        let limit = try #require(try DegradationDocument().limit(row.heading, row.beginning))
        #expect(report.budget.measured <= limit, "\(report.budget): \(report.remarks)")
    }

    @Test("where no service answers a person's login, that has its whole time, and the rest costs no more than the document says")
    func everything() async throws {
        let report = try await launch(.first, without: [.versionPolicy, .countries, .configuration, .token])
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(report.budget.measured <= .seconds(7), "\(report.budget): \(report.remarks)")
    }

    @Test("a splash that hangs is given up before the budget is over, in each scenario that has one", arguments: Scenario.all.map(\.name))
    func splash(_ name: String) async throws {
        let scenario = try #require(Scenario.named(name))
        let steps = StartupSteps.simulated(durations: [StartupStep.splash.id: .seconds(60)])
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
        let report = try await scenario.graph(steps).run(budget: .seconds(3), options: options).report
        guard let splash = report[StartupStep.splash.id] else { return }
        #expect(report.outcome == .completed && splash.outcome == .timedOut)
        #expect(splash.duration < .seconds(3))
        #expect(report.budget.measured <= .seconds(3) + StartupEnvironment.defaultUpdateAllowance, "\(report.budget)")
    }
}
