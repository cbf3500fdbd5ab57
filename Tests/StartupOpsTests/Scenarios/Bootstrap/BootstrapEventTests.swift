import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// SDKs that wait for something outside of the launch, such as a person who allows tracking.
@Suite("Bootstrap: SDKs that wait for an event", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapEventTests {
    private let harness = BootstrapHarness()
    private let permission = ExternalEvent<Void>("permission")

    /// When the person answers: long after the main screen.
    private static let answer = Duration.seconds(10)

    /// Launches an app with these SDKs; the person allows what is asked after ten seconds.
    private func launch(
        _ thirdParties: [ThirdPartySDK],
        change: (Bootstrap, inout OperationGraph) -> Void = { _, _ in }
    ) async throws -> LaunchReport {
        var plan = harness.plan()
        plan.thirdParties = thirdParties
        let bootstrap = try harness.bootstrap(plan)
        var environment = bootstrap.environment(presenters: StartupPresenters(all: AgreeablePerson()))
        environment.splashMinimum = .zero
        var graph = environment.graph(.bootstrap)
        change(bootstrap, &graph)
        var world = OperationGraph("world")
        world.add("answer") { [permission] step in
            try await step.sleep(for: Self.answer)
            permission.fulfill()
        }
        let clock = VirtualClock(patience: .seconds(120))
        let options = LaunchOptions(grace: .zero, clock: clock, admission: .oneAtATime)
        let launch = try clock.hold {
            try world.start(options: options)
            return try graph.start(budget: .seconds(3), options: options)
        }
        return await launch.end().report
    }

    /// That the phase has ended and the main screen has come before the person answered, and that the SDK `next` has started in its phase.
    private func expectInTime(_ report: LaunchReport) {
        #expect(report.outcome == .completed && report.budget.isMet, "\(report.remarks)")
        #expect(report.isEnded(["sdk-next"], before: ["end-process-phase"]) && report["sdk-next"]?.outcome == .succeeded)
        #expect((report["main-app"]?.end ?? Self.answer) < Self.answer && report.milestone == "main-app")
    }

    @Test("an SDK whose restore waits for the event holds up neither the phase, nor the next SDK, nor the main screen")
    func restore() async throws {
        let services = SampleSDKServices(token: "a session")
        services.behaviour.withLock { [permission] behaviour in
            behaviour.entitlements = { _ in
                try await permission.value
                return ["walking"]
            }
        }
        let tracking = ThirdPartySDK("tracking", lifecycle: .patient(services), configuration: sdkBuilder)
        let report = try await launch([tracking, ThirdPartySDK("next") { _ in }])
        expectInTime(report)
        #expect(report["sdk-tracking"]?.outcome == .succeeded && report["sdk-tracking-ready"]?.outcome == .succeeded)
        #expect(report["sdk-tracking-ready"]?.end == Self.answer)
    }

    @Test("an SDK that waits in its own start keeps the phase for its timeout and no longer, and the next SDK starts meanwhile")
    func inStart() async throws {
        let tracking = ThirdPartySDK("tracking", timeout: .milliseconds(500)) { [permission] _ in try await permission.value }
        let report = try await launch([tracking, ThirdPartySDK("next") { _ in }])
        expectInTime(report)
        let (waiting, next) = (try #require(report["sdk-tracking"]), try #require(report["sdk-next"]))
        #expect(waiting.outcome == .timedOut && waiting.duration == .milliseconds(500))
        #expect(next.end < waiting.end)
        #expect(report["end-process-phase"]?.start == waiting.end)
    }
}
