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

    @Test("A5, A14: first-launch: only splash and force-update overlap with anything; the rest is one chain")
    func firstLaunch() throws {
        let graph = try graph(.firstLaunch)
        #expect(
            graph.edges == [
                "fetch-config after splash", "login after fetch-config", "tutorial after login", "connect-speaker after tutorial",
                "main-app after connect-speaker", "main-app after force-update", "tutorial after fetch-config",
                "connect-speaker after fetch-config", "main-app after fetch-config", "main-app after login",
            ]
        )
        // The configuration and the account are read by more steps than the next one; those edges add nothing to the order.
        #expect(
            graph.impliedEdges == [
                "tutorial after fetch-config", "connect-speaker after fetch-config", "main-app after fetch-config", "main-app after login",
            ]
        )
        #expect(graph.levels.first == ["splash", "force-update"])
        #expect(try graph.canOverlap("splash", "force-update"))
        // Whatever overlaps, overlaps with the force-update check, which waits for nothing and holds nothing up but the end.
        for (place, first) in graph.identifiers.enumerated() where first != "force-update" {
            for second in graph.identifiers.dropFirst(place + 1) where second != "force-update" {
                #expect(try !graph.canOverlap(first, second))
            }
        }
        #expect(try !graph.canOverlap("main-app", "force-update"))
        #expect(graph.milestone == "main-app")
    }

    @Test("A6: regular: exactly five steps start at once; the tutorial follows the splash; main-app waits for all")
    func regular() throws {
        let graph = try graph(.regular)
        #expect(
            graph.edges == [
                "tutorial after splash", "main-app after tutorial", "main-app after force-update", "main-app after fetch-config",
                "main-app after login", "main-app after connect-speaker",
            ]
        )
        #expect(graph.levels == [["splash", "force-update", "fetch-config", "login", "connect-speaker"], ["tutorial"], ["main-app"]])
        #expect(try graph.ancestors(of: "main-app") == Set(graph.identifiers).subtracting(["main-app"]))
        #expect(graph.impliedEdges.isEmpty)
    }

    @Test("A7: push is the regular graph with present-push-information in the tutorial's place, and nothing else")
    func push() throws {
        let difference = try graph(.push).difference(from: graph(.regular))
        #expect(difference.description == "~ tutorial → present-push-information")
        #expect(difference.addedEdges.isEmpty && difference.removedEdges.isEmpty)
        #expect(difference.replacedSteps == [.init(old: "tutorial", new: "present-push-information")])
    }

    @Test("deeplink: the regular graph, and the link once main-app is visible")
    func deeplink() throws {
        let graph = try graph(.deeplink)
        let difference = try graph.difference(from: self.graph(.regular))
        #expect(difference.description == "+ deeplink")
        #expect(try graph.dependencies(of: "deeplink") == ["main-app"])
        #expect(graph.milestone == "main-app")
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

    @Test("an app adds, replaces and removes steps in a line each")
    func changed() throws {
        var graph = Scenario.regular.graph(.simulated())
        graph.add("analytics", after: "login") {}
        graph.addDependency("analytics", to: "main-app")
        graph.remove("tutorial")
        graph.add("scan") { nil as Speaker? }
        try graph.replace("connect-speaker", with: "scan")
        let changed = try graph.validated()
        #expect(try changed.dependencies(of: "main-app") == ["splash", "force-update", "fetch-config", "login", "scan", "analytics"])
    }

    @Test("guest: the login form comes after splash and configuration; the other kinds ask nothing before the main screen")
    func guest() throws {
        let asked = try graph(.guest)
        #expect(try asked.dependencies(of: "login") == ["fetch-config", "splash"])
        #expect(try asked.dependencies(of: "fetch-config").isEmpty)
        let tried = try graph(.guestDismissable)
        #expect(try tried.dependencies(of: "onboarding") == ["main-app"])
        #expect(try tried.difference(from: graph(.guestNone)).description == "+ onboarding")
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

    @Test("warm-resume: the version is checked, the app is told, and nothing else is done again")
    func warmResume() throws {
        #expect(try graph(.warmResume).edges == ["become-active after force-update"])
    }
}
