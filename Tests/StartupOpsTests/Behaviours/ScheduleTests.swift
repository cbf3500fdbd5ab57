import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// When the operations of a launch begin, and where.
@Suite("Behaviours: the schedule", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScheduleTests {
    @Test("A2: steps that are added in any order begin and end at the same times")
    func anyOrder() async throws {
        let steps: [(id: String, milliseconds: Int, after: [String])] = [
            ("splash", 400, []), ("force-update", 300, []), ("fetch-config", 450, ["splash"]), ("login", 600, ["fetch-config"]),
            ("tutorial", 250, ["login", "fetch-config"]), ("connect-speaker", 700, ["fetch-config"]),
            ("main-app", 100, ["tutorial", "connect-speaker", "force-update"]),
        ]
        var generator = SplitMix64(seed: 1)
        for _ in 0..<50 {
            let order = steps.shuffled(using: &generator)
            var graph = OperationGraph("any-order")
            for step in order {
                graph.add(step.id, after: step.after) { launch in try await launch.sleep(for: .milliseconds(step.milliseconds)) }
            }
            let report = try await runVirtually(graph)
            let ends = Dictionary(uniqueKeysWithValues: report.operations.map { ($0.id, $0.end) })
            #expect(
                ends == [
                    "splash": .milliseconds(400), "force-update": .milliseconds(300), "fetch-config": .milliseconds(850),
                    "login": .milliseconds(1450), "tutorial": .milliseconds(1700), "connect-speaker": .milliseconds(1550),
                    "main-app": .milliseconds(1800),
                ],
                "\(order.map(\.id))"
            )
        }
    }

    @Test("A9: the force-update check waits for nothing and begins with the launch, in every scenario", arguments: Scenario.all)
    func forceUpdateFirst(scenario: Scenario) async throws {
        let graph = graph(of: scenario)
        #expect(try graph.validated().dependencies(of: "force-update").isEmpty)
        let check = try #require(try await runVirtually(graph)["force-update"])
        #expect(check.ready == .zero && check.start == .zero)
    }

    @Test("A12: a check that finds no update leaves the launch as it would be without a check", arguments: Scenario.all)
    func mayContinue(scenario: Scenario) async throws {
        let steps = StartupSteps.simulated(requiresUpdate: false) { Issue.record("the update screen took over") }
        let checked = try await runVirtually(graph(of: scenario, steps))
        #expect(checked.outcome == .completed)
        #expect(checked.operations.allSatisfy { $0.outcome == .succeeded })

        var unchecked = graph(of: scenario, steps)
        unchecked.remove("force-update")
        // The app's return to the front waits for the check and nothing else: without one it comes sooner by that time.
        let delay = scenario.name == Scenario.warmResume.name ? StartupStep.forceUpdate.expected : .zero
        for operation in try await runVirtually(unchecked).operations {
            #expect(checked[operation.id]?.start == operation.start.map { $0 + delay }, "\(operation.id)")
        }
    }

    @Test("A24: the account that logged in is the one the main screen shows")
    func account() async throws {
        let account = Account(id: "17", name: "Person")
        let shown = Locked<[Account]>([])
        for scenario in Scenario.all where scenario.last == BuiltInStep(.mainApp) {
            var steps = StartupSteps.simulated()
            steps[.login] = { _, _ in account }
            steps[.mainApp] = { _, content in shown.withLock { $0.append(content.account) } }
            #expect(try await runVirtually(graph(of: scenario, steps)).outcome == .completed)
        }
        #expect(shown.withLock { $0 } == Array(repeating: account, count: Scenario.all.count - 1))
    }

    @Test("A30: what touches the screen begins on the main thread, everything else off it, in every scenario", arguments: Scenario.all)
    func threads(scenario: Scenario) async throws {
        let begun = Locked<[String: Bool]>([:])
        var steps = StartupSteps.simulated().observed { step in
            let isMain = isOnMain()
            begun.withLock { $0[step.id] = isMain }
        }
        steps.offersSubscription = true
        let graph = graph(of: scenario, steps)
        let report = try await runVirtually(graph)
        #expect(report.outcome == .completed)
        let isBegunOnMain = begun.withLock { $0 }
        #expect(Set(isBegunOnMain.keys) == Set(graph.identifiers))
        for step in BuiltInStep.all {
            guard let isMain = isBegunOnMain[step.id] else { continue }
            #expect(isMain == step.isOnMain, "\(step)")
            #expect(report[step.id]?.isMain == step.isOnMain, "\(step)")
        }
    }
}
