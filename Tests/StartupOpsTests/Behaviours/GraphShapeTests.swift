import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import StartupOps

/// What can be said of launches, and changed in them, without running anything.
@Suite("Behaviours: graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphShapeTests {
    /// Steps of which none may run.
    private var untouched: StartupSteps {
        .simulated().observed { step in Issue.record("\(step) ran") }
    }

    @Test("A8: replacing any one operation by its identifier replaces one node and changes nothing else", arguments: Scenario.all)
    func replaced(scenario: Scenario) throws {
        var steps = untouched
        steps.offersSubscription = true
        let original = graph(of: scenario, steps)
        for id in original.identifiers {
            var graph = original
            // What is put in the place of a step whose value is read has to produce a value of that type.
            switch id {
            case "fetch-config": graph.add("mine") { LoadedConfiguration(.bundled, from: .bundled) }
            case "fetch-flags": graph.add("mine") { FeatureFlags() }
            case "login": graph.add("mine") { Account.guest }
            case "connect-speaker": graph.add("mine") { nil as Speaker? }
            case "entitlements": graph.add("mine") { Entitlements() }
            default: graph.add("mine") {}
            }
            try graph.replace(id, with: "mine")
            let (before, after) = (try original.validated(), try graph.validated())
            #expect(try after.dependencies(of: "mine") == before.dependencies(of: id))
            #expect(try after.dependents(of: "mine") == before.dependents(of: id))
            let difference = after.difference(from: before)
            #expect(difference.addedSteps == ["mine"] && difference.removedSteps == [id])
            #expect(difference.addedEdges.isEmpty && difference.removedEdges.isEmpty)
        }
    }

    @Test("A37: every scenario's dependencies, asked of the graph alone: no operation has run")
    func dependencies() throws {
        let start: Set<ValidatedGraph.Edge> = ["fetch-config after splash"]
        let end: Set<ValidatedGraph.Edge> = ["main-app after force-update", "main-app after connect-speaker"]
        let regular: Set<ValidatedGraph.Edge> = [
            "tutorial after splash", "main-app after tutorial", "main-app after fetch-config", "main-app after login",
        ]
        let asked: Set<ValidatedGraph.Edge> = ["login after fetch-config", "tutorial after login", "connect-speaker after tutorial"]
        let guest: Set<ValidatedGraph.Edge> = [
            "tutorial after splash", "login after fetch-config", "main-app after tutorial", "main-app after login",
        ]
        let expected: [String: Set<ValidatedGraph.Edge>] = [
            "first-launch": start.union(asked).union(end),
            "regular": regular.union(end),
            "push": regular.union(end).subtracting(["tutorial after splash", "main-app after tutorial"]).union([
                "present-push-information after splash", "main-app after present-push-information",
            ]),
            "deeplink": regular.union(end).union(["deeplink after main-app"]),
            "shortcut": regular.union(end).union(["shortcut after main-app"]),
            "guest": guest.union(end).union(["login after splash"]),
            "guest-dismissable": guest.union(end).union(["onboarding after main-app"]),
            "guest-none": guest.union(end),
            "restore-account": start.union(asked).union(end).subtracting(["login after fetch-config"]).union([
                "restore-account after fetch-config", "login after restore-account",
            ]),
            "warm-resume": ["become-active after force-update"],
            "bootstrap": [
                "register after check-resources", "configure after register", "end-process-phase after configure",
                "connect-scene after end-process-phase", "splash after connect-scene", "start-coordinator after connect-scene",
                "fetch-config after start-coordinator", "fetch-flags after start-coordinator", "first-screen after fetch-config",
                "first-screen after splash",
                "restore-account after first-screen", "tutorial after restore-account", "login after tutorial", "main-app after login",
                "main-app after force-update", "onboarding after main-app", "install-observers after main-app",
            ],
        ]
        #expect(Set(expected.keys) == Set(Scenario.all.map(\.name)))
        for scenario in Scenario.all {
            let graph = try graph(of: scenario, untouched).validated()
            // Edges that others imply are there because a value is read: they order nothing.
            #expect(graph.edges.subtracting(graph.impliedEdges) == expected[scenario.name], "\(scenario)")
            #expect(graph.milestone == scenario.last.id)
        }
    }

    @Test(
        "A39: a new requirement is a new operation and its edges; the operations that were there stay as they were",
        arguments: Scenario.all
    )
    func added(scenario: Scenario) throws {
        let last = scenario.last.id
        var graph = graph(of: scenario, untouched)
        let before = try graph.validated()
        let consent = graph.add("consent", after: "force-update", on: .main) {}
        graph.addDependency(consent, to: last)
        let after = try graph.validated()
        #expect(after.difference(from: before).description == "+ consent")
        #expect(after.edges == before.edges.union(["consent after force-update", .init(last, after: "consent")]))
        #expect(after.milestone == before.milestone)
    }
}
