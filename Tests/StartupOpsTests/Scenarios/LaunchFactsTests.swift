import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// Scenarios that follow from facts, over all combinations of these.
@Suite("Launch facts", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchFactsTests {
    private func graph(_ facts: LaunchFacts) throws -> ValidatedGraph {
        try Scenario(for: facts).graph(.simulated()).validated()
    }

    /// The facts of an app that has to be launched.
    static let facts: [LaunchFacts] = {
        var all: [LaunchFacts] = []
        for isRegionKnown in [false, true] {
            for account in LaunchFacts.AccountState.allCases {
                for hasSeenTutorial in [false, true] {
                    for speaker in LaunchFacts.SpeakerState.allCases {
                        for origin in LaunchFacts.Origin.allCases {
                            for onboarding in OnboardingType.allCases {
                                all.append(
                                    LaunchFacts(
                                        isRegionKnown: isRegionKnown,
                                        account: account,
                                        hasSeenTutorial: hasSeenTutorial,
                                        speaker: speaker,
                                        origin: origin,
                                        onboarding: onboarding
                                    )
                                )
                            }
                        }
                    }
                }
            }
        }
        return all
    }()

    /// The steps that may ask the person or present something before the main screen, in order: the table of `Scenario(for:)`, written down once more.
    private func presenting(_ facts: LaunchFacts) -> [String] {
        var steps = ["splash"]
        let asksToLogIn =
            facts.account == .found || (facts.account == .none && (facts.onboarding == .regular || !facts.isRegionKnown))
            || (facts.account == .guest && facts.onboarding == .regular)
        let showsPush = facts.origin == .push && facts.isRegionKnown && facts.account != .none && !asksToLogIn
        if !facts.isRegionKnown { steps.append("fetch-config") }
        if facts.account == .found { steps.append("restore-account") }
        if asksToLogIn { steps.append("login") }
        if showsPush { steps.append("present-push-information") } else if !facts.hasSeenTutorial { steps.append("tutorial") }
        if facts.speaker == .none { steps.append("connect-speaker") }
        return steps
    }

    @Test(
        "A4, B61: each of 576 combinations of facts has a valid graph, in which what needs the screen comes one after the other, in order"
    )
    func all() throws {
        #expect(Self.facts.count == 576 && Set(Self.facts).count == 576)
        for facts in Self.facts {
            let graph = try graph(facts)
            let presenting = presenting(facts)
            for (step, next) in zip(presenting, presenting.dropFirst()) {
                #expect(try graph.ancestors(of: next).contains(step), "\(next) must wait for \(step): \(facts)")
            }
            #expect(graph.overlappingInteractions(maximum: .max).pairs.isEmpty, "\(facts)")
            #expect(graph.milestone == "main-app")
            let before = try graph.ancestors(of: "main-app")
            #expect(before.isSuperset(of: presenting) && before.contains("force-update"), "\(facts)")
            #expect(try graph.dependencies(of: "force-update").isEmpty)
            // Each step is there exactly when its facts are.
            let identifiers = Set(graph.identifiers)
            #expect(identifiers.contains("restore-account") == (facts.account == .found))
            #expect(identifiers.contains("connect-speaker") == (facts.speaker != .declined))
            #expect(identifiers.contains("deeplink") == (facts.origin == .link))
            #expect(identifiers.contains("shortcut") == (facts.origin == .shortcut))
            let canBeTried = facts.onboarding == .dismissable && facts.account != .known
            #expect(identifiers.contains("onboarding") == canBeTried, "\(facts)")
        }
    }

    @Test(
        "A7: a push waits for the main screen where country, language or account are not known: the steps are those of a launch by the icon",
        arguments: [LaunchFacts(isRegionKnown: false), LaunchFacts(account: .none), LaunchFacts(account: .found)]
    )
    func pushAfterMain(facts: LaunchFacts) throws {
        var byPush = facts
        byPush.origin = .push
        #expect(try graph(byPush).difference(from: graph(facts)).description.isEmpty)
    }

    @Test("A3: nothing waits for the screen that does not need it, or for a value that it does not read, in any combination")
    func parallel() throws {
        for facts in Self.facts {
            let graph = try graph(facts)
            let presenting = presenting(facts)
            for step in ["fetch-config", "login", "connect-speaker"] where graph.identifiers.contains(step) && !presenting.contains(step) {
                // Where nobody is logged in, the configuration says how a guest is received.
                let read: Set = step == "login" && facts.account == .none ? ["fetch-config"] : []
                #expect(try Set(graph.dependencies(of: step)) == read, "\(step): \(facts)")
            }
        }
    }

    @Test("who declines a speaker is not asked again, and keeps the parallel graph, also when a push or a link starts the app")
    func declined() throws {
        for origin in LaunchFacts.Origin.allCases {
            let declined = try graph(LaunchFacts(speaker: .declined, origin: origin))
            let known = try graph(LaunchFacts(origin: origin))
            #expect(declined.name == known.name)
            #expect(declined.difference(from: known).description == "- connect-speaker")
        }
    }

    @Test("an app that runs already has its version checked, whatever else is known")
    func running() throws {
        for facts in Self.facts {
            var running = facts
            running.isRunning = true
            #expect(try graph(running).edges == ["become-active after force-update"])
            #expect(Scenario(for: running).name == "warm-resume")
        }
    }

    @Test("the built-in scenarios are names of facts: each name has the graph of the facts that it stands for")
    func names() throws {
        let named: [(LaunchFacts, String)] = [
            (.firstLaunch, "first-launch"), (LaunchFacts(), "regular"), (LaunchFacts(origin: .push), "push"),
            (LaunchFacts(origin: .link), "deeplink"), (LaunchFacts(origin: .shortcut), "shortcut"), (LaunchFacts(account: .none), "guest"),
            (LaunchFacts(account: .none, onboarding: .dismissable), "guest-dismissable"),
            (LaunchFacts(account: .none, onboarding: OnboardingType.none), "guest-none"),
            (LaunchFacts(isRegionKnown: false, account: .found, hasSeenTutorial: false, speaker: .none), "restore-account"),
            (LaunchFacts(isRunning: true), "warm-resume"),
        ]
        for (facts, name) in named {
            let scenario = Scenario(for: facts)
            #expect(scenario.name == name)
            let builtIn = try #require(Scenario.named(name))
            #expect(try builtIn.graph(.simulated()).validated().difference(from: graph(facts)).description.isEmpty, "\(name)")
        }
        for facts in Self.facts { #expect(Scenario.named(Scenario(for: facts).name) != nil) }
    }

    @Test("a report can say how the app was started, and what by")
    func attributes() {
        let tapped = LaunchFacts()
        #expect(tapped.attributes(ofPrewarmed: false) == ["start.type": "cold", "start.origin": "icon"])
        #expect(tapped.attributes(ofPrewarmed: true)["start.type"] == "prewarmed")
        #expect(tapped.attributes == tapped.attributes(ofPrewarmed: false))
        #expect(
            LaunchFacts(origin: .push, isRunning: true).attributes(ofPrewarmed: true) == ["start.type": "warm", "start.origin": "push"]
        )
        #expect(LaunchFacts(isInBackground: true).attributes(ofPrewarmed: true)["start.type"] == "background")
    }
}
