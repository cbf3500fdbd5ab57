import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Bootstrap: conditions that are met at once", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBootstrapRaceTests {
    /// Lets all go at the moment at which the last of them has come.
    private struct Start: ConfigurationService {
        let service: any ConfigurationService
        let start: AsyncGate

        func countries(by deadline: Deadline) async throws -> [Country] { [Country(code: "US", name: "America", languages: ["en"])] }
        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            await start.wait()
            return try await service.configuration(for: region, by: deadline)
        }
        func flags(by deadline: Deadline) async throws -> FeatureFlags? {
            await start.wait()
            return try await service.flags(by: deadline)
        }
    }

    @MainActor
    private final class Splash: SplashPresenter {
        private let start: AsyncGate

        nonisolated init(_ start: AsyncGate) { self.start = start }

        func showSplash() async {}
        func splashEnded() async { await start.wait() }
        func playSplashVideo() async { await start.wait() }
    }

    @Test(
        "B47: of conditions that are met at the same time, one opens the gate: there is one first screen",
        arguments: 0..<Nightly.times(day: 8, night: 20)
    )
    func race(number: Int) async throws {
        let harness = BootstrapHarness()
        try Settings(harness.directory.settings).set(true, for: .waitsForRemoteConfigurationOnFirstLaunch)
        try Settings(harness.directory.settings).set(true, for: .showsSplashVideo)
        let bootstrap = try harness.bootstrap(harness.plan())
        let start = AsyncGate()
        let person = AgreeablePerson()
        var presenters = StartupPresenters(all: person)
        presenters.splash = Splash(start)
        var environment = bootstrap.environment(presenters: presenters)
        environment.splashMinimum = .zero
        environment.services.configurations = Start(service: bootstrap.service, start: start)
        let opener = Task {
            await start.arrivals(4)
            start.open()
        }
        let report = try await environment.graph(.bootstrap).run(
            budget: .seconds(3),
            options: LaunchOptions(deadline: .patience, admission: .oneAtATime)
        ).report
        await opener.value
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(person.shown.count { $0 == "main" } == 1 && bootstrap.firstScreenGate?.isOpen == true)
    }
}
