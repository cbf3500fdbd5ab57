import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import StartupOps

/// The built-in graphs, edge by edge.
@Suite("Built-in scenarios", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScenarioGraphTests {
    private func graph(_ scenario: Scenario) throws -> ValidatedGraph {
        try scenario.graph(.simulated()).validated()
    }

    @Test("steps that touch the screen run on the main thread; the budgets can be met")
    func shape() throws {
        for scenario in Scenario.all {
            let graph = try graph(scenario)
            #expect(graph.budgetedPath.duration < .seconds(3), "\(scenario)")
            #expect(graph.overlappingInteractions(maximum: .max).pairs.isEmpty, "\(scenario)")
            #expect(Scenario.named(scenario.name)?.name == scenario.name)
            #expect(graph.name == scenario.name)
        }
        #expect(Scenario.named("regulr") == nil)
    }

    @Test("a subscription is offered before the main screen, by what the person is entitled to")
    func paywall() throws {
        var steps = StartupSteps.simulated()
        steps.offersSubscription = true
        let graph = try Scenario.regular.graph(steps).validated()
        #expect(try graph.dependencies(of: "entitlements") == ["login"])
        #expect(try graph.dependencies(of: "paywall") == ["entitlements"])
        #expect(try graph.dependencies(of: "main-app").contains("paywall"))
    }
}
