import Sequencer
import Testing

@testable import StartupOps

/// The built-in graphs, edge by edge.
@Suite("Built-in scenarios")
struct ScenarioGraphTests {
    private func graph(_ scenario: Scenario) throws -> ValidatedGraph {
        try scenario.graph(work: SimulatedWork()).validated()
    }

    @Test("first-launch: only splash and force-update overlap with anything; the rest is one chain")
    func firstLaunch() throws {
        let graph = try graph(.firstLaunch)
        #expect(
            graph.edges == [
                "fetch-config after splash", "login after fetch-config", "tutorial after login", "connect-speaker after tutorial",
                "main-app after connect-speaker", "main-app after force-update",
            ]
        )
        #expect(graph.levels.first == ["splash", "force-update"])
        #expect(try graph.canOverlap("splash", "force-update"))
        // Whatever overlaps, overlaps with the force-update check, which waits for nothing and holds nothing up but the end.
        #expect(graph.overlappingPairs.allSatisfy { $0.contains("force-update") })
        #expect(try !graph.canOverlap("main-app", "force-update"))
        #expect(graph.milestone == "main-app")
        #expect(graph.impliedEdges.isEmpty)
    }

    @Test("regular: exactly five steps start at once; the tutorial follows the splash; main-app waits for all")
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

    @Test("push: the regular graph with present-push-information in the tutorial's place, and nothing else")
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
            #expect(graph.overlappingInteractions.isEmpty, "\(scenario)")
            #expect(Scenario.named(scenario.name)?.name == scenario.name)
            #expect(graph.name == scenario.name)
        }
        #expect(Scenario.named("regulr") == nil)
    }

    @Test("an app adds, replaces and removes steps in a line each")
    func changed() throws {
        var graph = Scenario.regular.graph(work: SimulatedWork())
        graph.add("analytics", after: "login") {}
        graph.addDependency("analytics", to: "main-app")
        graph.remove("tutorial")
        graph.add("scan") {}
        graph.replace("connect-speaker", with: "scan")
        let changed = try graph.validated()
        #expect(try changed.dependencies(of: "main-app") == ["splash", "force-update", "fetch-config", "login", "scan", "analytics"])
    }

    @Test("the context alone chooses the scenario")
    func choice() {
        // first, credentials, speaker, origin → scenario
        let table: [(Bool, Bool, Bool, LaunchContext.Origin, String)] = [
            (false, true, true, .icon, "regular"), (false, true, true, .push, "push"), (false, true, true, .link, "deeplink"),
            (true, true, true, .icon, "first-launch"), (true, true, true, .push, "first-launch"), (true, true, true, .link, "first-launch"),
            (false, false, true, .icon, "first-launch"), (false, false, true, .push, "first-launch"),
            (false, false, true, .link, "first-launch"), (false, true, false, .icon, "first-launch"),
            (false, true, false, .push, "first-launch"), (false, true, false, .link, "first-launch"),
            (true, false, false, .icon, "first-launch"), (true, false, false, .push, "first-launch"),
            (true, false, false, .link, "first-launch"), (true, true, false, .icon, "first-launch"),
            (true, true, false, .push, "first-launch"), (true, true, false, .link, "first-launch"),
            (true, false, true, .icon, "first-launch"), (true, false, true, .push, "first-launch"),
            (true, false, true, .link, "first-launch"), (false, false, false, .icon, "first-launch"),
            (false, false, false, .push, "first-launch"), (false, false, false, .link, "first-launch"),
        ]
        for (first, credentials, speaker, origin, name) in table {
            let context = LaunchContext(isFirstLaunch: first, hasCredentials: credentials, knowsSpeaker: speaker, origin: origin)
            #expect(Scenario.choose(for: context).name == name, "\(context)")
        }
        #expect(Scenario.choose(for: .firstLaunch).name == "first-launch")
    }
}
