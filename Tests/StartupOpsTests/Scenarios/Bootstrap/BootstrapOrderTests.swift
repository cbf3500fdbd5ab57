import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// What the bootstrap scenario sees to beyond the order of its steps.
@Suite("Bootstrap: what comes once, and before what", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BootstrapOrderTests {
    private let harness = BootstrapHarness()

    @Test("B34, B65: image decoders are registered before the coordinator starts; without them the launch completes, and that is a finding")
    func imageCodec() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        let order = bootstrap.registered.filter { ["image-codec", "coordinator"].contains($0) }
        #expect(order == ["image-codec", "coordinator"])
        let other = BootstrapHarness()
        var plan = other.plan()
        plan.registrations.removeLast()
        let without = try other.bootstrap(plan)
        #expect(without.findings == [])
        #expect(try await other.launch(without).outcome == .completed)
        #expect(without.findings.map { $0.hasPrefix("images stay empty: image-codec was not registered") } == [true])
    }

    @Test("B28, B35: what modules ask of the app is registered after the configuration, and before any module is made")
    func moduleDelegates() async throws {
        let order = Locked<[String]>([])
        var plan = harness.plan()
        plan.moduleDelegates = [.action("module-delegates") { order.withLock { $0.append("delegates") } }]
        plan.modules = [
            BootstrapModule("shop") { _ in
                order.withLock { $0.append("shop") }
                return "shop"
            }
        ]
        let bootstrap = try harness.bootstrap(plan)
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(order.withLock { $0 } == ["delegates", "shop"])
        #expect(bootstrap.registered.filter { ["configuration", "module-delegates"].contains($0) }.last == "module-delegates")
        plan.registrations += plan.moduleDelegates
        plan.moduleDelegates = []
        let error = #expect(throws: RegistryError.self) { try plan.validate() }
        #expect(
            error?.description == "module-delegates must come after configuration: they answer modules, which work with it"
        )
    }

    @Test("E5, E11: a launch marks the phases of its process in order, and takes its part once; each scene has a part of its own")
    func phases() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(bootstrap.phases.problems.isEmpty)
        #expect(!bootstrap.phases.takeProcessPart())
        #expect(bootstrap.phases.takeScenePart("another") && !bootstrap.phases.takeScenePart("another"))
        let problem = bootstrap.phases.mark(.didFinishLaunching)
        #expect(problem == "didFinishLaunching was reported for the process before: it happens once")
    }
}
