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
        let order = bootstrap.registry.registered.filter { ["image-codec", "coordinator"].contains($0) }
        #expect(order == ["image-codec", "coordinator"])
        let other = BootstrapHarness()
        var plan = other.plan()
        plan.registrations.removeLast()
        let without = try other.bootstrap(plan)
        #expect(without.findings == [])
        #expect(try await other.launch(without).outcome == .completed)
        #expect(without.findings.map { $0.hasPrefix("images stay empty: image-codec was not registered") } == [true])
    }

    @Test("E5, E11: a launch marks the phases of its process in order, and takes its part once; each scene has a part of its own")
    func phases() async throws {
        let bootstrap = try harness.bootstrap(harness.plan())
        #expect(try await harness.launch(bootstrap).outcome == .completed)
        #expect(bootstrap.phases.problems.isEmpty)
        #expect(!bootstrap.phases.takeProcessPart())
        #expect(bootstrap.phases.takeScenePart("another") && !bootstrap.phases.takeScenePart("another"))
        let problem = bootstrap.phases.mark(.didFinishLaunching)
        #expect(problem?.description == "didFinishLaunching was reported for the process before: it happens once")
    }
}
