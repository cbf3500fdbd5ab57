import TestSupport
import Testing

@testable import Sequencer

@Suite("Keeping the budget", .serialized, .timeLimit(.minutes(10)))
struct BudgetEnforcementTests {
    private func run(_ graph: OperationGraph, _ budget: Budget, lanes: Int? = nil) async throws -> LaunchReport {
        try await Sequencer(graph, budget: budget, options: LaunchOptions(lanes: lanes, clock: VirtualClock())).run()
    }

    @Test("an operation with a fallback is cut when what comes after it needs the rest of the budget")
    func cut() async throws {
        var graph = OperationGraph("cut")
        let config = graph.add("config", .expected(.milliseconds(450)), fallback: .value("cached")) { launch in
            try await launch.sleep(for: .seconds(10))
            return "remote"
        }
        let login = graph.add("login", .expected(.milliseconds(600)), using: config) { launch, config in
            try await launch.sleep(for: .milliseconds(600))
            return config
        }
        graph.add("main", .expected(.milliseconds(100)), .milestone, after: login) { launch in
            try await launch.sleep(for: .milliseconds(100))
        }
        let report = try await run(graph, .seconds(3))
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(report.budget.measured == .seconds(3))
        #expect(report["config"]?.outcome == .fellBack && report["config"]?.failure == .timedOut)
        #expect(report["config"]?.isCut == true && report["config"]?.end == .milliseconds(2300))
        #expect(report["config"]?.message == "cut after 2.3 s, with 450 ms expected, to keep the budget of 3 s; its fallback was used")
        #expect(report.json().contains(#""cut": true"#))
        // One that is only measured takes the time it takes.
        let measured = try await run(graph, Budget(.seconds(3), isEnforced: false))
        #expect(!measured.budget.isMet && measured["config"]?.outcome == .succeeded)
    }

    @Test("what a person takes moves the cut, for it does not count")
    func interactive() async throws {
        var graph = OperationGraph("person")
        graph.add("ask", .interactive) { launch in try await launch.sleep(for: .seconds(60)) }
        let config = graph.add("config", fallback: .value(0)) { launch in
            try await launch.sleep(for: .seconds(100))
            return 1
        }
        graph.add("main", .milestone, after: "ask", config) {}
        let report = try await run(graph, .seconds(3))
        #expect(report["config"]?.end == .seconds(63) && report["config"]?.isCut == true)
        #expect(report.budget.isMet && report.budget.measured == .seconds(3))
    }

    @Test("one that becomes ready too late is not started; one that nobody waits for is never cut")
    func late() async throws {
        var graph = OperationGraph("late")
        let slow = graph.add("slow") { launch in try await launch.sleep(for: .seconds(4)) }
        let extra = graph.add("extra", after: slow, fallback: .value(0)) { 1 }
        let aside = graph.add("aside", fallback: .value(0)) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        }
        graph.add("main", .milestone, after: extra) {}
        let sequencer = Sequencer(graph, options: LaunchOptions(clock: VirtualClock()))
        let report = try await sequencer.run()
        #expect(report["extra"]?.start == nil && report["extra"]?.outcome == .fellBack)
        #expect(report["extra"]?.message == "not started: there was no time left in the budget; its fallback was used")
        #expect(report["aside"]?.outcome == .succeeded)
        #expect(try sequencer.value(of: aside) == 1)
        #expect(!report.budget.isMet && report.budget.causes == ["slow"])
    }

    @Test("where even the expected durations do not fit, an operation gets what was expected of it")
    func hopeless() async throws {
        var graph = OperationGraph("hopeless")
        let first = graph.add("first", .expected(.seconds(2)), fallback: .value(0)) { launch in
            try await launch.sleep(for: .milliseconds(1900))
            return 1
        }
        let second = graph.add("second", .expected(.seconds(2)), after: first, fallback: .value(0)) { launch in
            try await launch.sleep(for: .seconds(3))
            return 1
        }
        graph.add("main", .milestone, after: second) {}
        let report = try await run(graph, .seconds(3))
        #expect(report["first"]?.outcome == .succeeded)
        #expect(report["second"]?.isCut == true && report["second"]?.end == .seconds(4))
    }

    @Test("an operation can ask how long it has; its cut is part of that")
    func remaining() async throws {
        var graph = OperationGraph("remaining")
        let seen = Locked<Duration?>(nil)
        let config = graph.add("config", fallback: .value(0)) { launch in
            seen.withLock { $0 = launch.remainingTime }
            return 1
        }
        graph.add("main", .expected(.seconds(1)), .milestone, after: config) {}
        _ = try await run(graph, .seconds(3))
        #expect(seen.withLock { $0 } == .seconds(2))
    }

    // MARK: Deferring

    @Test("a deferrable operation runs in its turn where it fits, and after the milestone where it does not", arguments: [false, true])
    func deferred(isSlow: Bool) async throws {
        var graph = OperationGraph("warm")
        let order = Journal()
        let load = graph.add("load", .expected(.seconds(1))) { launch in
            try await launch.sleep(for: isSlow ? .milliseconds(2500) : .seconds(1))
            order.note("load")
        }
        let warm = graph.add("warm", .expected(.milliseconds(700)), .deferrable, after: load) { launch in
            try await launch.sleep(for: .milliseconds(700))
            order.note("warm")
            return 7
        }
        graph.add("main", .expected(.milliseconds(200)), .milestone, using: warm.optional) { launch, value in
            try await launch.sleep(for: .milliseconds(200))
            order.note("main \(value ?? 0)")
        }
        let report = try await run(graph, .seconds(3))
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(order.all == (isSlow ? ["load", "main 0", "warm"] : ["load", "warm", "main 7"]))
        #expect(report["warm"]?.isDeferred == isSlow && report["warm"]?.outcome == .succeeded)
        #expect(report.makespan == (isSlow ? .milliseconds(3400) : .milliseconds(1900)))
        #expect(report.json().contains(#""deferred": true"#) == isSlow)
        // What was put off held nothing up.
        #expect(report.criticalPath == (isSlow ? ["load", "main"] : ["load", "warm", "main"]))
    }

    @Test("an operation that can be put off takes no time from those before it that can be cut")
    func cutBeforeDeferrable() async throws {
        var graph = OperationGraph("tips")
        let fetch = graph.add("fetch", .expected(.milliseconds(450)), fallback: .value("old")) { launch in
            try await launch.sleep(for: .milliseconds(800))
            return "new"
        }
        let tips = graph.add("tips", .expected(.milliseconds(700)), .deferrable, using: fetch) { launch, _ in
            try await launch.sleep(for: .milliseconds(700))
        }
        graph.add("main", .expected(.milliseconds(100)), .milestone, after: fetch, tips) { launch in
            try await launch.sleep(for: .milliseconds(100))
        }
        let report = try await run(graph, .seconds(1))
        #expect(report["fetch"]?.outcome == .succeeded && report["fetch"]?.end == .milliseconds(800))
        #expect(report["tips"]?.isDeferred == true && report["tips"]?.outcome == .succeeded)
        #expect(report.budget.isMet && report.budget.measured == .milliseconds(900))
    }

    @Test("what is put off fails by its own policy, and is cancelled with its launch")
    func deferredEnds() async throws {
        struct Failure: Error {}
        var graph = OperationGraph("fails")
        let load = graph.add("load") { launch in try await launch.sleep(for: .seconds(3)) }
        graph.add("warm", .expected(.seconds(1)), .deferrable, .onFailure(.continue), after: load) { throw Failure() }
        graph.add("main", .milestone, after: load) {}
        let report = try await run(graph, .seconds(3))
        #expect(report["warm"]?.outcome == .failed && report["warm"]?.isDeferred == true && report.outcome == .completed)

        var stops = OperationGraph("stops")
        let late = stops.add("load") { launch in try await launch.sleep(for: .seconds(3)) }
        stops.add("warm", .expected(.seconds(1)), .deferrable, after: late) {}
        let main = stops.add("main", after: late) { throw Failure() }
        stops.add("end", .milestone, after: main) {}
        let failed = try await run(stops, .seconds(3))
        #expect(failed["warm"]?.outcome == .cancelled && failed["warm"]?.start == nil)
    }

    @Test("a value that may come late has to be read as an optional one")
    func validation() throws {
        var graph = OperationGraph("reads")
        let warm = graph.add("warm", .deferrable) { 7 }
        graph.add("main", .milestone, using: warm) { _ in }
        #expect {
            try graph.validated()
        } throws: { error in
            "\(error)".contains("main reads from 'warm', which may be put off until after the milestone; read its optional value")
        }
    }

    @Test("operations that wait for a lane are cut too")
    func waiting() async throws {
        var graph = OperationGraph("queue")
        graph.add("long", .expected(.seconds(5))) { launch in try await launch.sleep(for: .seconds(2)) }
        let config = graph.add("config", .expected(.milliseconds(10)), fallback: .value("cached")) { "remote" }
        graph.add("main", .expected(.milliseconds(1500)), .milestone, after: config, on: .main) { launch in
            try await launch.sleep(for: .milliseconds(1500))
        }
        let report = try await run(graph, .seconds(3), lanes: 1)
        #expect(report["config"]?.outcome == .fellBack && report["config"]?.start == nil && report["config"]?.end == .milliseconds(1500))
        #expect(report.budget.isMet)
    }
}
