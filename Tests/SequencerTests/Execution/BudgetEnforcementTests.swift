import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Keeping the budget", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BudgetEnforcementTests {
    private func run(_ graph: OperationGraph, _ budget: Budget, lanes: Int? = nil) async throws -> LaunchReport {
        try await graph.run(budget: budget, options: .virtual(lanes: lanes)).report
    }

    @Test("a fallback alone is for failures: what does not say that it may be cut is waited for")
    func notCuttable() async throws {
        var graph = OperationGraph("tabs")
        let tabs = graph.add("restore-tabs", .expected(.milliseconds(30)), fallback: [String]()) { launch in
            try await launch.sleep(for: .milliseconds(33))
            return ["news", "mail"]
        }
        let config = graph.add("config", .cuttable, .expected(.milliseconds(10)), fallback: "cached") { launch in
            try await launch.sleep(for: .seconds(9))
            return "remote"
        }
        graph.add("main", .milestone, .expected(.milliseconds(80)), after: tabs, config) { launch in
            try await launch.sleep(for: .milliseconds(80))
        }
        let launch = try await graph.run(budget: .milliseconds(110), options: .virtual())
        #expect(try launch[tabs] == ["news", "mail"])
        #expect(!launch.report.budget.isMet && launch.report["restore-tabs"]?.outcome == .succeeded)
        // Until that was late, the other had to make room.
        #expect(launch.report["config"]?.isCut == true && launch.report["config"]?.end == .milliseconds(30))
    }

    @Test("an operation that says so is cut when what comes after it needs the rest of the budget")
    func cut() async throws {
        var graph = OperationGraph("cut")
        let config = graph.add("config", .cuttable, .expected(.milliseconds(450)), fallback: "cached") { launch in
            try await launch.sleep(for: .seconds(10))
            return "remote"
        }
        let login = graph.add("login", .expected(.milliseconds(600)), using: .context, config) { launch, config in
            try await launch.sleep(for: .milliseconds(600))
            return config
        }
        graph.add("main", .expected(.milliseconds(100)), .milestone, after: login) { launch in
            try await launch.sleep(for: .milliseconds(100))
        }
        let report = try await run(graph, .seconds(3))
        #expect(report.outcome == .completed && report.budget.measured == .seconds(3))
        #expect(report["config"]?.outcome == .fellBack && report["config"]?.failure == .timedOut)
        #expect(report["config"]?.isCut == true && report["config"]?.end == .milliseconds(2300))
        let message = "cut after 2.3 s, with 450 ms expected, to keep the budget of 3 s; its fallback was used"
        #expect(report.budget.isMet && report["config"]?.message == message)
        #expect(report.json().contains(#""cut": true"#))
        // One that is only measured takes the time it takes.
        let measured = try await run(graph, Budget(.seconds(3), isEnforced: false))
        #expect(!measured.budget.isMet && measured["config"]?.outcome == .succeeded)
    }

    @Test("without a budget nothing is cut or deferred, however long it takes; a launch that failed has not met it all the same")
    func withoutBudget() async throws {
        func launch(fails: Bool = false) async throws -> LaunchReport {
            var graph = OperationGraph("measured")
            let load = graph.wait("load", 20_000, .expected(.milliseconds(1)))
            let config = graph.add("config", .cuttable, .expected(.milliseconds(1)), after: load, fallback: "cached") { launch in
                try await launch.sleep(for: .seconds(20))
                return "remote"
            }
            let warm = graph.wait("warm", 1000, .expected(.seconds(1)), .deferrable, after: load)
            graph.add("main", .milestone, after: config, warm) { if fails { throw CancellationError() } }
            return try await graph.run(options: LaunchOptions(deadline: .seconds(600), clock: VirtualClock())).report
        }
        let report = try await launch()
        #expect(report.operations.map(\.outcome) == [.succeeded, .succeeded, .succeeded, .succeeded])
        #expect(report.operations.allSatisfy { !$0.isCut && !$0.isDeferred })
        #expect(report.budget.budget == nil && report.budget.isMet && report.budget.causes.isEmpty)
        #expect(report.budget.measured == .seconds(40))
        #expect(try await !launch(fails: true).budget.isMet)
    }

    @Test("what a person takes moves the cut, for it does not count")
    func interactive() async throws {
        var graph = OperationGraph("person")
        graph.add("ask", .interactive) { launch in try await launch.sleep(for: .seconds(60)) }
        let config = graph.add("config", .cuttable, fallback: 0) { launch in
            try await launch.sleep(for: .seconds(100))
            return 1
        }
        graph.add("main", .milestone, after: "ask", config) {}
        let report = try await run(graph, .seconds(3))
        // Twenty milliseconds are kept for the milestone, of which nothing is expected.
        #expect(report["config"]?.end == .milliseconds(62_980) && report["config"]?.isCut == true)
        #expect(report.budget.measured == .milliseconds(2980))
    }

    @Test(
        "one that becomes ready at its last moment is not started, after it the budget is lost: it runs; one that nobody waits for is never cut",
        arguments: [3, 4]
    )
    func late(seconds: Int) async throws {
        var graph = OperationGraph("late")
        let slow = graph.add("slow") { launch in try await launch.sleep(for: .seconds(seconds)) }
        let extra = graph.add("extra", .cuttable, after: slow, fallback: 0) { 1 }
        let aside = graph.add("aside", .cuttable, fallback: 0) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        }
        graph.add("main", .milestone, after: extra) {}
        let launch = try await graph.run(budget: .seconds(3), options: .virtual())
        let report = launch.report
        if seconds == 3 {
            #expect(
                report["extra"]?.start == nil && report["extra"]?.outcome == .fellBack && report.budget.measured == .seconds(3)
            )
            #expect(report["extra"]?.message == "not started: there was no time left in the budget; its fallback was used")
        } else {
            #expect(report["extra"]?.outcome == .succeeded)
            #expect(!report.budget.isMet && report.budget.causes == ["slow"])
        }
        #expect(report["aside"]?.outcome == .succeeded)
        #expect(try launch[aside] == 1)
    }

    @Test(
        "fault H50: one that is late has the time expected of it, unless what comes after it cannot be cut",
        arguments: [false, true]
    )
    func lateOnes(isRequired: Bool) async throws {
        var graph = OperationGraph("squeeze")
        let slow = graph.add("slow") { launch in try await launch.sleep(for: .milliseconds(2300)) }
        let config = graph.add("config", .cuttable, .expected(.milliseconds(500)), after: slow, fallback: 0) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        }
        let cuttable = isRequired ? StepOption.all([]) : .cuttable
        let user = graph.add("user", cuttable, .expected(.milliseconds(400)), after: config, fallback: isRequired ? nil : 0) { launch in
            try await launch.sleep(for: .milliseconds(400))
            return 1
        }
        graph.add("main", .milestone, after: user) {}
        let report = try await run(graph, .seconds(3))
        #expect(report["config"]?.isCut == true && report["config"]?.end == .milliseconds(isRequired ? 2580 : 2800))
        #expect(report["user"]?.isCut == !isRequired && report["user"]?.end == .milliseconds(2980))
    }

    @Test(
        "fault H50: where the budget is lost nothing is cut; where what made it late ends early after all, there is a last moment"
    )
    func lost() async throws {
        func launch(slowTakes milliseconds: Int) async throws -> LaunchReport {
            var graph = OperationGraph("lost")
            let config = graph.add("config", .cuttable, .expected(.milliseconds(500)), fallback: 0) { launch in
                try await launch.sleep(for: .seconds(20))
                return 1
            }
            let user = graph.add("user", .cuttable, .expected(.seconds(1)), after: config, fallback: 0) { 1 }
            let slow = graph.add("slow", .expected(.seconds(4))) { launch in try await launch.sleep(for: .milliseconds(milliseconds)) }
            graph.add("main", .milestone, after: user, slow) {}
            return try await run(graph, .seconds(3))
        }
        let missed = try await launch(slowTakes: 4000)
        #expect(missed.operations.allSatisfy { !$0.isCut } && missed["user"]?.outcome == .succeeded && !missed.budget.isMet)
        let saved = try await launch(slowTakes: 2500)
        #expect(saved["config"]?.isCut == true && saved["config"]?.end == .milliseconds(2980))
    }

    @Test("an operation can ask how long it has; its cut is part of that")
    func remaining() async throws {
        var graph = OperationGraph("remaining")
        let seen = Locked<Duration?>(nil)
        let config = graph.add("config", .cuttable, fallback: 0) { launch in
            seen.withLock { $0 = launch.remainingTime }
            return 1
        }
        graph.add("main", .expected(.seconds(1)), .milestone, after: config) {}
        _ = try await run(graph, .seconds(3))
        #expect(seen.withLock { $0 } == .seconds(2))
    }

    // MARK: Deferring

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
        // It has the lane before the milestone needs it, for nobody knows how long it takes, and is not interrupted.
        graph.add("long") { launch in try await launch.sleep(for: .seconds(2)) }
        let first = graph.add("first", .expected(.milliseconds(1)), on: .main) { launch in try await launch.sleep(for: .milliseconds(1)) }
        let config = graph.add("config", .cuttable, .expected(.milliseconds(10)), after: first, fallback: "cached") { "remote" }
        graph.add("main", .expected(.milliseconds(1500)), .milestone, after: config, on: .main) { launch in
            try await launch.sleep(for: .milliseconds(1500))
        }
        let report = try await run(graph, .seconds(3), lanes: 1)
        #expect(report["config"]?.outcome == .fellBack && report["config"]?.start == nil)
        #expect(report["config"]?.end == .milliseconds(1500))
    }

    @Test("no time is kept for what will be cut anyway, as it cannot end in time after what comes before it")
    func hopeless() throws {
        var graph = OperationGraph("hopeless")
        let first = graph.add("first", .expected(.seconds(4.2))) {}
        let second = graph.add("second", .cuttable, .expected(.seconds(1)), after: first, fallback: 1) { 1 }
        graph.add("main", .milestone, .expected(.seconds(1)), after: second) {}
        let ends = LatestEnds(try graph.validated(), limit: 5_500_000_000)
        #expect(ends.fits(0, beginningAt: 0) && ends.fits(0, beginningAt: 300_000_000) && !ends.fits(0, beginningAt: 300_000_001))
    }

    @Test("fault H51: a milestone that fell back without having started has ended, and what comes after it does not count")
    func milestoneThatFellBack() async throws {
        let box = LaunchBox()
        var graph = OperationGraph("fell-back")
        let first = graph.add("first") { (launch: StepContext) async throws in
            try await launch.sleep(for: .milliseconds(100))
            try await box.launch().cancel("screen")
        }
        let screen = graph.add("screen", .milestone, after: first, fallback: 1) { 2 }
        graph.add("later", after: screen) { (launch: StepContext) async throws in try await launch.sleep(for: .seconds(9)) }
        let report = try await box.run(graph, budget: .seconds(1), options: .virtual()).report
        #expect(report["screen"]?.outcome == .fellBack)
        #expect(report.budget.isMet && report.budget.measured == .milliseconds(100))
    }
}
