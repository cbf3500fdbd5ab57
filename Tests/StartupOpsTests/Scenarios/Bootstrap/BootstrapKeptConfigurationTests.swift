import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// A launch that goes by the configuration that an earlier one has kept, and what becomes of the one that it fetches.
@Suite("Bootstrap: a configuration that was kept", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapKeptConfigurationTests {
    private let harness = BootstrapHarness()

    /// A service whose configuration comes when the test wants, in a version that the test names.
    private struct Configurations: ConfigurationService {
        let service: any ConfigurationService
        var version: String?
        var onboarding: OnboardingType?
        /// What holds it up.
        let wait: @Sendable () async -> Void

        func countries(by deadline: Deadline) async throws -> [Country] { try await service.countries(by: deadline) }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? { try await service.flags(by: deadline) }
        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            var configuration = try await service.configuration(for: region, by: deadline)
            await wait()
            configuration.version = version ?? configuration.version
            configuration.onboarding = onboarding ?? configuration.onboarding
            return configuration
        }
    }

    private func launch(
        _ bootstrap: Bootstrap,
        _ person: AgreeablePerson = AgreeablePerson(),
        version: String? = nil,
        onboarding: OnboardingType? = nil,
        waitingFor wait: @escaping @Sendable () async -> Void = {}
    ) async throws -> LaunchReport {
        var environment = bootstrap.environment(presenters: StartupPresenters(all: person))
        // Virtual time would not move for a splash while the service waits for what comes after it.
        environment.splashMinimum = .zero
        environment.services.configurations = Configurations(
            service: bootstrap.service,
            version: version,
            onboarding: onboarding,
            wait: wait
        )
        let options = LaunchOptions(grace: .zero, clock: VirtualClock(patience: .seconds(120)), admission: .oneAtATime)
        return try await environment.graph(.bootstrap).run(budget: .seconds(3), options: options).report
    }

    @Test("B45, B51: who is logged in is at the main screen before the configuration has been fetched, where one was kept")
    func loggedIn() async throws {
        #expect(try await launch(try harness.bootstrap(harness.plan())).outcome == .completed)
        let bootstrap = try harness.bootstrap(harness.plan())
        let person = AgreeablePerson()
        let report = try await launch(bootstrap, person) { await eventually { person.shown.contains("main") } }
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(person.shown == ["splash", "main"] && person.content?.account.isAnonymous == false)
        #expect(person.content?.configuration.source == .cached)
        let condition = bootstrap.firstScreenGate?.conditions.first { $0.condition.name == .configurationPresent }
        #expect(condition?.source == "the cached configuration")
        #expect(report["fetch-config"]?.outcome == .succeeded)
        // It is the same as the one that was kept.
        #expect(report["fetch-config"]?.notes.count == 1 && bootstrap.findings == [])
    }

    @Test("B45: a first launch, and one in another country, wait for the configuration")
    func waits() async throws {
        let first = AgreeablePerson()
        let report = try await launch(try harness.bootstrap(harness.plan()), first)
        #expect(report["cached-config"] == nil && first.content?.configuration.source == .remote)
        try harness.directory.launchState().recordChosenRegion(Region(country: "DE", language: "de"))
        let second = AgreeablePerson()
        let moved = try await launch(try harness.bootstrap(harness.plan()), second)
        #expect(moved["cached-config"] == nil && second.content?.configuration.source == .remote)
        #expect(second.content?.configuration.configuration.country == "DE")
    }

    @Test("B66, F11: a configuration that comes too late counts from the next launch, and is told to who watches")
    func late() async throws {
        let configurations = ConfigurationStore(harness.directory.state)
        #expect(try await launch(try harness.bootstrap(harness.plan()), version: "1").outcome == .completed)
        #expect(configurations.lastKnown.configuration.version == "1")

        let bootstrap = try harness.bootstrap(harness.plan())
        var updates = bootstrap.appConfigurations.makeAsyncIterator()
        let person = AgreeablePerson()
        let report = try await launch(bootstrap, person, version: "2", onboarding: .dismissable) {
            await eventually { person.shown.contains("main") }
        }
        #expect(report.outcome == .completed && person.content?.configuration.configuration.version == "1")
        #expect(
            report["fetch-config"]?.notes == [
                "coordinator, configuration: the service is asked for it",
                "the launch went by the configuration that was kept: this one counts from the next launch",
                "it asks for dismissable onboarding",
            ]
        )
        #expect(await updates.next()?.version == "1")
        #expect(await updates.next()?.version == "2")
        // It has not been tried.
        #expect(configurations.lastKnown.configuration.version == "1" && configurations.onTrial?.version == "2")

        let next = AgreeablePerson()
        #expect(try await launch(try harness.bootstrap(harness.plan()), next, version: "2").outcome == .completed)
        #expect(next.content?.configuration.configuration.version == "2")
        #expect(configurations.lastKnown.configuration.version == "2")
    }

    @Test("F11: who watches the configuration is told when the app fetches a newer one after the launch, and not when it is the same")
    func observed() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        var updates = bootstrap.appConfigurations.makeAsyncIterator()
        #expect(try await launch(bootstrap, version: "old").outcome == .completed)
        #expect(await updates.next()?.version == "old")
        try await bootstrap.refreshConfiguration(by: .after(patience))
        try await bootstrap.refreshConfiguration(by: .after(patience))
        let fetched = try #require(ConfigurationStore(harness.directory.state).onTrial)
        #expect(await updates.next() == fetched && fetched.version != "old")
        // Who asks late begins with the latest.
        var late = bootstrap.appConfigurations.makeAsyncIterator()
        #expect(await late.next() == fetched)
        bootstrap.configurationLine.note(nil)
        bootstrap.configurationLine.note(.bundled)
        #expect(await updates.next() == .bundled)
    }

    @Test("a configuration on trial is confirmed by a launch that went by it, and by no other")
    func confirmed() throws {
        let configurations = ConfigurationStore(MemoryStore())
        let old = AppConfiguration(version: "1", country: "DE", language: "de")
        var new = old
        new.version = "2"
        try configurations.beginTrial(of: old)
        try configurations.confirm(LoadedConfiguration(old, from: .remote))
        try configurations.beginTrial(of: new)
        try configurations.confirm(LoadedConfiguration(old, from: .cached))
        #expect(configurations.lastKnown.configuration == old && configurations.onTrial == new)
        let region = Region(country: "DE", language: "de")
        #expect(configurations.kept(for: region) == LoadedConfiguration(new, from: .cached))
        #expect(configurations.kept(for: Region(country: "DE", language: "en")) == nil)
        // Flags may have switched a feature.
        let switched = LoadedConfiguration(new, from: .cached).with(FeatureFlags(features: ["shop": true]))
        try configurations.confirm(switched)
        #expect(configurations.lastKnown.configuration == new && configurations.onTrial == nil)
    }

    @Test("a launch confirms the configuration that it went by, though another one was kept on trial meanwhile")
    func confirmedMeanwhile() throws {
        let configurations = ConfigurationStore(MemoryStore())
        let used = AppConfiguration(version: "1", country: "DE", language: "de")
        var newer = used
        newer.version = "2"
        try configurations.beginTrial(of: newer)
        try configurations.confirm(LoadedConfiguration(used, from: .remote).with(FeatureFlags(features: ["shop": true])))
        #expect(configurations.lastKnown.configuration == used && configurations.onTrial == newer)
        // One version may have two contents: this one was on trial when the launch began.
        var other = newer
        other.onboarding = .dismissable
        try configurations.confirm(LoadedConfiguration(other, from: .cached))
        #expect(configurations.lastKnown.configuration == other && configurations.onTrial == newer)
        // The one that the app is delivered with need not be kept.
        try configurations.confirm(LoadedConfiguration(used, from: .bundled))
        #expect(configurations.lastKnown.configuration == other && configurations.onTrial == newer)
    }
}
