import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

/// SDKs that a launch initialises, and whose sessions it restores.
@Suite("Bootstrap: SDKs with a set-up of their own", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapSDKTests {
    private let harness = BootstrapHarness()

    private func launch(
        _ lifecycle: SDKLifecycle,
        _ configuration: SDKConfiguration.Builder = sdkBuilder,
        isRequired: Bool = false,
        in flags: BuildFlags = [],
        person: AgreeablePerson = AgreeablePerson(),
        change: (inout OperationGraph) throws -> Void = { _ in }
    ) async throws -> LaunchReport {
        var plan = harness.plan()
        plan.thirdParties = [
            ThirdPartySDK(
                "steps",
                lifecycle: lifecycle,
                configuration: configuration,
                isRequired: isRequired,
                in: flags
            )
        ]
        let bootstrap = try harness.bootstrap(plan)
        var environment = bootstrap.environment(presenters: StartupPresenters(all: person))
        environment.splashMinimum = .zero
        var graph = environment.graph(.bootstrap)
        try change(&graph)
        let options = LaunchOptions(grace: .zero, clock: VirtualClock(patience: .seconds(120)), admission: .oneAtATime)
        return try await graph.run(budget: .seconds(3), options: options).report
    }

    @Test("D6, D16, D18, D21, D22, D23, D33, F13: initialised after the configuration; only who names it waits for what is restored")
    func restores() async throws {
        let person = AgreeablePerson()
        let services = SampleSDKServices(token: "a session")
        services.behaviour.withLock { behaviour in
            // The main screen has not waited.
            behaviour.entitlements = { _ in
                await eventually { person.shown.contains("main") }
                return ["walking"]
            }
        }
        let lifecycle = SDKLifecycle.patient(services)
        let isReady = Locked<Bool?>(nil)
        let report = try await launch(lifecycle, person: person) { graph in
            graph.add("first-sync", .onFailure(.continue), after: "sdk-steps-ready") { isReady.withLock { $0 = lifecycle.isReadyNow } }
        }
        #expect(report.outcome == .completed, "\(report.remarks)")
        #expect(report.isEnded(["configure"], before: ["sdk-steps"]) && report.isEnded(["sdk-steps"], before: ["connect-scene"]))
        #expect(report["sdk-steps"]?.isMain == true && report["sdk-steps-ready"]?.isMain == false)
        #expect(report["sdk-steps-ready"]?.notes == ["entitlements restored; geofencing restored; walking sync restored"])
        #expect(isReady.withLock { $0 } == true && lifecycle.trace == [sdkSteps])
        let session = try #require(services.sessions.withLock { $0 }.first)
        #expect(session.calls.withLock { $0 } == ["entitlements", "geofencing", "walking", "sync"] && services.made == 1)
    }

    @Test("D17, D32: without an earlier session, and in the synchronous mode, it is ready at once; the report says which")
    func nothingToRestore() async throws {
        let modes: [(String?, SDKOptions, String)] = [
            (nil, SDKOptions(), "there was no session to restore"),
            ("a session", SDKOptions(autoRestores: false), "nothing was restored: not on this platform"),
        ]
        for (token, options, note) in modes {
            let report = try await launch(SDKLifecycle(services: SampleSDKServices(token: token), options: options))
            #expect(report.outcome == .completed)
            #expect(report["sdk-steps-ready"]?.notes == [note])
        }
    }

    @Test("D19: a restore of which parts fail makes it ready, and the report says which have failed")
    func restoreFails() async throws {
        let services = SampleSDKServices(token: "a session")
        services.behaviour.withLock { $0.entitlements = { _ in throw SDKSampleError(name: "no entitlements") } }
        let report = try await launch(.patient(services))
        #expect(report.outcome == .completed && report["sdk-steps-ready"]?.outcome == .succeeded)
        #expect(report["sdk-steps-ready"]?.notes.first?.hasPrefix("entitlements failed: no entitlements; geofencing restored; ") == true)
    }

    @Test("D7, D8, D34: one that cannot be initialised says why, and ends the launch only where it is required", arguments: [false, true])
    func fails(isRequired: Bool) async throws {
        let services = SampleSDKServices()
        services.behaviour.withLock { $0.makeFails = true }
        let noClient = "client: it could not be made: no client"
        let incomplete = SDKConfiguration.Builder().baseUrl("https://api.example.com").clientId("app")
        for (configuration, message) in [(sdkBuilder, noClient), (incomplete, "clientSecret: it is required and was not set")] {
            let report = try await launch(.patient(services), configuration, isRequired: isRequired)
            if isRequired {
                #expect(report.outcome.isFailure(of: "sdk-steps", saying: message))
            } else {
                #expect(report.outcome == .completed)
                #expect(report["sdk-steps"]?.outcome == .failed && report["sdk-steps"]?.message?.contains(message) == true)
                #expect(report["sdk-steps-ready"]?.outcome == .failed)
                #expect(report["sdk-steps-ready"]?.message?.contains("the SDK is not initialised") == true)
            }
        }
    }

    @Test("D24, D25: the next launch of the process leaves it as it is; another configuration is refused by the names of fields")
    func again() async throws {
        let services = SampleSDKServices()
        let lifecycle = SDKLifecycle.patient(services)
        for _ in 0..<2 { #expect(try await launch(lifecycle)["sdk-steps"]?.outcome == .succeeded) }
        #expect(services.made == 1)
        let other = try await launch(lifecycle, sdkBuilder.clientId("another"))
        #expect(other.outcome == .completed && services.made == 1)
        #expect(other["sdk-steps"]?.message?.contains("it is initialised already, with another clientId") == true)
    }

    @Test("B30: in a build that it does not belong to it is neither initialised nor waited for")
    func otherBuild() async throws {
        let services = SampleSDKServices()
        let report = try await launch(.patient(services), in: .staging)
        #expect(report["sdk-steps"]?.outcome == .skipped && report["sdk-steps-ready"]?.outcome == .skipped && services.made == 0)
    }

    @Test("two SDKs whose steps would have one name are refused")
    func names() async throws {
        var plan = harness.plan()
        plan.thirdParties = [
            ThirdPartySDK("steps", lifecycle: .patient(SampleSDKServices()), configuration: sdkBuilder),
            ThirdPartySDK("steps-ready") { _ in },
        ]
        let error = await #expect(throws: RegistryError.self) { try await harness.launch(plan) }
        #expect(error?.description.contains("sdk-steps-ready") == true)
    }
}
