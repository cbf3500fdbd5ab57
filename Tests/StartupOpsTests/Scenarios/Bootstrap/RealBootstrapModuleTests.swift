import Sequencer
import TestSupport
import Testing

@testable import StartupOps

@Suite("Bootstrap: modules, SDKs and observers", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBootstrapModuleTests {
    private let harness = BootstrapHarness()

    private func module(_ name: String, isActive: Bool = true, needs: [OrderConstraint] = []) -> BootstrapModule {
        BootstrapModule(
            name,
            dependencies: needs,
            isActive: {
                harness.note("\(name)?")
                return isActive
            },
            prepare: { harness.note("prepare \(name)") },
            make: { configuration in
                harness.note("make \(name)")
                return "\(name) at \(configuration.plan.endpoints.graphQL.path())"
            }
        )
    }

    @Test(
        "B18, B35, B37: an active module is prepared before the configuration and made after it; one that is not active, or absent, is neither"
    )
    func conditional() async throws {
        var plan = harness.plan()
        let chat: BootstrapModule? = nil
        plan.modules = [module("shop"), module("gallery", isActive: false), chat].compactMap { $0 }
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap)
        #expect(report.outcome == .completed)
        // The two modules are prepared side by side.
        #expect(harness.done.filter { $0 != "gallery?" } == ["platform", "shop?", "prepare shop", "make shop"])
        #expect(harness.done.count { $0 == "gallery?" } == 1)
        #expect(report["prepare-shop"]?.outcome == .succeeded && report["module-shop"]?.outcome == .succeeded)
        #expect(report["prepare-gallery"]?.outcome == .skipped && report["module-gallery"]?.outcome == .skipped)
        #expect(report["prepare-chat"] == nil && report["module-chat"] == nil)
        #expect(report.isEnded(["prepare-shop", "prepare-gallery"], before: ["configure"]))
        #expect(report.isEnded(["configure"], before: ["module-shop"]))
        #expect(bootstrap.registered.firstIndex(of: "module-setup") == 7)
        #expect(bootstrap.registered.firstIndex(of: "configuration") == 8)
        #expect(bootstrap.module("shop") == "shop at /graphql")
        #expect(bootstrap.module("gallery", as: String.self) == nil)
    }

    @Test("B18: a module that works with one that is not active ends the launch before the configuration is made, with both names and why")
    func inactiveDependency() async throws {
        var plan = harness.plan()
        plan.modules = [
            module("shop", isActive: false), module("gallery", needs: [.after("shop", because: "it sells what is shown")]),
        ]
        let bootstrap = try harness.bootstrap(plan)
        let report = try await harness.launch(bootstrap)
        #expect(
            report.outcome == .failed(operation: "configure", message: "shop is not active, and gallery needs it: it sells what is shown")
        )
        #expect(bootstrap.configurationParts.isEmpty)
        #expect(report["connect-scene"]?.outcome == .cancelled)
    }

    @Test("a module that could not be prepared is not made, and says why; the launch goes on without it")
    func unprepared() async throws {
        var plan = harness.plan()
        plan.modules = [
            BootstrapModule("shop", prepare: { throw SDKFailure() }, make: { _ in harness.note("make shop") })
        ]
        let report = try await harness.launch(plan)
        #expect(report.outcome == .completed)
        #expect(report["module-shop"]?.outcome == .failed)
        #expect(report["module-shop"]?.message?.contains("shop must come after its preparation, which has failed") == true)
        #expect(harness.done == ["platform"])
    }

    private struct SDKFailure: Error, CustomStringConvertible { let description = "no licence" }

    @Test("B29: SDKs start after the configuration, with the user's identifier; an optional one that fails or hangs stops nothing")
    func optional() async throws {
        try await harness.leaveSession()
        try harness.leaveCompletedLaunch()
        let never = AsyncGate()
        var plan = harness.plan()
        plan.thirdParties = [
            ThirdPartySDK("analytics", isRequired: true) { configuration in harness.note("user \(configuration.session?.userID ?? "-")") },
            ThirdPartySDK("ads") { _ in throw SDKFailure() },
            ThirdPartySDK("chat") { _ in await never.wait() },
        ]
        let bootstrap = try harness.bootstrap(plan)
        let graph = harness.environment(bootstrap, FakePerson()).graph(.bootstrap)
        // The one that hangs is ended by its timeout, so time has to pass.
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(grace: .zero, admission: .oneAtATime)).report
        never.open()
        #expect(report.outcome == .completed)
        #expect(report["sdk-analytics"]?.outcome == .succeeded)
        #expect(report["sdk-ads"]?.outcome == .failed && report["sdk-ads"]?.message?.contains("no licence") == true)
        #expect(report["sdk-chat"]?.outcome == .timedOut)
        let user = try #require(try bootstrap.configuration().session?.userID)
        #expect(harness.done == ["platform", "user \(user)"])
        #expect(report.isEnded(["configure"], before: ["sdk-analytics", "sdk-ads", "sdk-chat"]))
        #expect(report.isEnded(["sdk-analytics", "sdk-ads", "sdk-chat"], before: ["connect-scene"]))
    }

    @Test("B29: a required SDK that fails ends the launch, by name")
    func required() async throws {
        var plan = harness.plan()
        plan.thirdParties = [ThirdPartySDK("payments", isRequired: true) { _ in throw SDKFailure() }]
        let report = try await harness.launch(plan)
        #expect(report.outcome == .failed(operation: "sdk-payments", message: "no licence"))
        #expect(report["main-app"]?.outcome == .cancelled)
    }

    @Test("B30: an SDK is started in the builds that have all of its flags, and skipped in all others", arguments: 0..<8)
    func flags(bits: Int) async throws {
        let build = BuildFlags(rawValue: bits)
        var plan = harness.plan(build)
        let wanted: [(String, BuildFlags)] = [
            ("any", []), ("debug", .debug), ("staging", .staging), ("logs", .logs), ("both", [.staging, .logs]),
        ]
        plan.thirdParties = wanted.map { name, flags in ThirdPartySDK(name, in: flags) { _ in harness.note(name) } }
        let report = try await harness.launch(plan)
        #expect(report.outcome == .completed)
        var expected = ["any"]
        if build.contains(.debug) { expected.append("debug") }
        if build.contains(.staging) { expected.append("staging") }
        if build.contains(.logs) { expected.append("logs") }
        if build.contains(.staging), build.contains(.logs) { expected.append("both") }
        #expect(Set(harness.done.dropFirst()) == Set(expected))
        for (name, _) in wanted {
            #expect(report["sdk-\(name)"]?.outcome == (expected.contains(name) ? .succeeded : .skipped), "\(name) in \(build)")
        }
    }

    @Test("B31: observers are installed last, outside the budget, and see what happens long after the launch")
    func observers() async throws {
        let (seen, continuation) = AsyncStream.makeStream(of: String.self)
        var plan = harness.plan()
        plan.observers = [
            BootstrapObserver("session") { configuration in
                let events = configuration.service.tokens.events
                continuation.yield("watching")
                for await event in events {
                    if case .loggedOut(let reason) = event { continuation.yield("logged out: \(reason)") }
                }
                continuation.yield("ended")
            }
        ]
        var bootstrap: Bootstrap? = try harness.bootstrap(plan)
        try await checkObservers(try #require(bootstrap))
        // The launch is over, and they are not.
        var iterator = seen.makeAsyncIterator()
        #expect(await iterator.next() == "watching")
        await bootstrap?.service.logOut(because: "requested")
        #expect(await iterator.next() == "logged out: requested")
        // They live as long as what was made of the plan.
        bootstrap = nil
        #expect(await iterator.next() == "ended")
    }

    /// Launches, and keeps nothing of it: a report keeps its graph, and so what that carries out.
    private func checkObservers(_ bootstrap: Bootstrap) async throws {
        let report = try await harness.launch(bootstrap)
        #expect(report.outcome == .completed)
        let others = report.operations.map(\.id).filter { $0 != "install-observers" }
        #expect(report.isEnded(others, before: ["install-observers"]))
        #expect(report.milestone == "main-app")
        let main = try #require(report["main-app"])
        #expect(report.budget.measured <= main.end)
        #expect(report["install-observers"]?.notes == ["watching: session"])
    }
}
