import Sequencer
import Testing

@testable import StartupOps

/// The built-in graphs, edge by edge.
@Suite("Built-in scenarios", .serialized)
struct ScenarioGraphTests {
    private func graph(_ scenario: Scenario) throws -> ValidatedGraph {
        try scenario.graph(.simulated()).validated()
    }

    @Test("first-launch: only splash and force-update overlap with anything; the rest is one chain")
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
        #expect(graph.overlappingPairs.allSatisfy { $0.contains("force-update") })
        #expect(try !graph.canOverlap("main-app", "force-update"))
        #expect(graph.milestone == "main-app")
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
            #expect(graph.overlappingInteractions.isEmpty, "\(scenario)")
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
        graph.replace("connect-speaker", with: "scan")
        let changed = try graph.validated()
        #expect(try changed.dependencies(of: "main-app") == ["splash", "force-update", "fetch-config", "login", "scan", "analytics"])
    }

    @Test("guest: the login form comes after splash, configuration and tutorial; the other kinds ask nothing before the main screen")
    func guest() throws {
        let asked = try graph(.guest)
        #expect(try asked.dependencies(of: "login") == ["fetch-config", "tutorial"])
        #expect(try asked.dependencies(of: "fetch-config") == ["splash"])
        let tried = try graph(.guestDismissable)
        #expect(try tried.dependencies(of: "onboarding") == ["main-app"])
        #expect(try tried.difference(from: graph(.guestNone)).description == "+ onboarding")
    }

    @Test("a subscription is offered before the main screen, by what the person is entitled to")
    func paywall() throws {
        var operations = StartupOperations.simulated()
        operations.offersSubscription = true
        let graph = try Scenario.regular.graph(operations).validated()
        #expect(try graph.dependencies(of: "entitlements") == ["login"])
        #expect(try graph.dependencies(of: "paywall") == ["entitlements"])
        #expect(try graph.dependencies(of: "main-app").contains("paywall"))
    }

    @Test("warm-resume: the version is checked, the app is told, and nothing else is done again")
    func warmResume() throws {
        #expect(try graph(.warmResume).edges == ["become-active after force-update"])
    }

    @Test("A4, B61: the context alone chooses the scenario, in every one of its 384 states")
    func choice() {
        var counts: [String: Int] = [:]
        for context in Self.contexts {
            let name = Scenario.choose(for: context).name
            counts[name, default: 0] += 1
            // Each line says all there is to know of one scenario, independently of the others.
            #expect((name == "warm-resume") == context.isRunning, "\(context)")
            if context.isRunning { continue }
            #expect(
                (name == "restore-account") == (context.isFirstLaunch && context.hasCredentials && context.restoresAccounts),
                "\(context)"
            )
            let isGuest = !context.isFirstLaunch && !context.hasCredentials
            #expect(name.hasPrefix("guest") == isGuest, "\(context)")
            let isKnown = !context.isFirstLaunch && context.hasCredentials && context.knowsSpeaker
            #expect((name == "regular") == (isKnown && context.origin == .icon), "\(context)")
            #expect((name == "push") == (isKnown && context.origin == .push), "\(context)")
            #expect((name == "deeplink") == (isKnown && context.origin == .link), "\(context)")
            #expect((name == "shortcut") == (isKnown && context.origin == .shortcut), "\(context)")
        }
        #expect(
            counts == [
                "warm-resume": 192, "restore-account": 24, "first-launch": 96, "guest": 16, "guest-dismissable": 16, "guest-none": 16,
                "regular": 6, "push": 6, "deeplink": 6, "shortcut": 6,
            ]
        )
        #expect(Scenario.choose(for: .firstLaunch).name == "first-launch")
    }

    private static let contexts: [LaunchContext] = {
        let booleans = [false, true]
        var contexts: [LaunchContext] = []
        for first in booleans {
            for credentials in booleans {
                for speaker in booleans {
                    for origin in LaunchContext.Origin.allCases {
                        for onboarding in OnboardingType.allCases {
                            for restores in booleans {
                                for running in booleans {
                                    contexts.append(
                                        LaunchContext(
                                            isFirstLaunch: first,
                                            hasCredentials: credentials,
                                            knowsSpeaker: speaker,
                                            origin: origin,
                                            onboarding: onboarding,
                                            restoresAccounts: restores,
                                            isRunning: running
                                        )
                                    )
                                }
                            }
                        }
                    }
                }
            }
        }
        return contexts
    }()
}
