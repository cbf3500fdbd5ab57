import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Operations in trouble", .serialized, .timeLimit(.minutes(10)))
struct TroubleTests {
    struct Failure: Error {}

    @Test("fault O1: a timeout ends an operation whose code never returns, and its lane goes on", arguments: [1, 2])
    func blockedLane(lanes: Int) async throws {
        let gate = Gate()
        var graph = OperationGraph("blocked")
        let stuck = graph.add("stuck", .timeout(.milliseconds(1)), .onFailure(.continue)) { gate.block() }
        graph.add("main-app", .milestone, after: stuck) {}
        let sequencer = Sequencer(graph, options: LaunchOptions(lanes: lanes))
        let report = try await sequencer.run()
        #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded])
        #expect(report["stuck"]?.message == "not ended after its timeout of 1 ms")
        #expect(sequencer.anomalies.isEmpty)
        gate.open()
    }

    @Test("fault O3: an end after the timeout is dropped and reported")
    func lateEnd() async throws {
        let gate = Gate()
        let late = Gate()
        var graph = OperationGraph("late")
        let slow = graph.add("slow", .timeout(.milliseconds(1)), fallback: .value("cached")) {
            gate.block()
            return "fresh"
        }
        graph.add("reader", using: slow) { value in
            #expect(value == "cached")
            gate.open()
            await late.wait()
        }
        let sequencer = Sequencer(graph, options: LaunchOptions(lanes: 2))
        try sequencer.start()
        while sequencer.anomalies.isEmpty { await Task.yield() }
        late.open()
        let report = try #require(await sequencer.report())
        #expect(report["slow"]?.outcome == .fellBack)
        #expect(report["slow"]?.failure == .timedOut)
        #expect(report["slow"]?.message == "not ended after its timeout of 1 ms; its fallback was used")
        #expect(report.anomalies.map(\.operation) == ["slow"])
        #expect(report.anomalies.first?.description.hasPrefix("slow came to its end") == true)
        #expect(try sequencer.value(of: slow) == "cached")
    }

    @Test("fault O25: retries: attempts, pauses that double, and success")
    func retries() async throws {
        var graph = OperationGraph("retry")
        let policy = RetryPolicy(attempts: 4, backoff: .milliseconds(100), jitter: 0)
        let fetch = graph.add("fetch", .retry(policy)) { launch in
            try await launch.sleep(for: .milliseconds(10))
            if launch.attempt < 4 { throw Failure() }
            return launch.attempt
        }
        let sequencer = Sequencer(graph, options: .virtual())
        let report = try await sequencer.run()
        // 10 +100+ 10 +200+ 10 +400+ 10
        #expect(report.makespan == .milliseconds(740))
        #expect(report["fetch"]?.attempts == 4)
        #expect(try sequencer.value(of: fetch) == 4)
    }

    @Test("jitter moves pauses within its share, and the seed repeats them")
    func jitter() {
        let policy = RetryPolicy(attempts: 9, backoff: .milliseconds(100), maximumBackoff: .seconds(1), jitter: 0.5)
        var random = SplitMix64(seed: 7)
        var again = SplitMix64(seed: 7)
        for attempt in 1...8 {
            let pause = policy.pause(afterAttempt: attempt, random: &random)
            let base = min(100_000_000 * (Int64(1) << (attempt - 1)), 1_000_000_000)
            #expect((base / 2...base * 3 / 2).contains(pause))
            #expect(pause == policy.pause(afterAttempt: attempt, random: &again))
        }
    }

    @Test("fault O26: an attempt that could not start before the timeout is not waited for")
    func noTimeForRetry() async throws {
        var graph = OperationGraph("retry")
        let policy = RetryPolicy(attempts: 3, backoff: .milliseconds(100), jitter: 0)
        graph.add("fetch", .retry(policy), .timeout(.milliseconds(150)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .milliseconds(20))
            throw Failure()
        }
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report.makespan == .milliseconds(140))
        #expect(report["fetch"]?.message == "Failure() (no time left for attempt 3)")
        #expect(report["fetch"]?.attempts == 2)
    }

    @Test("a fallback's value goes where the step's own would have gone")
    func fallback() async throws {
        var graph = OperationGraph("fallback")
        let config = graph.add("config", fallback: .compute { error in "bundled, because of \(error.map { "\($0)" } ?? "nothing")" }) {
            () -> String in throw Failure()
        }
        let title = graph.add("title", using: config) { config in "with \(config)" }
        let sequencer = Sequencer(graph, options: .virtual(lanes: 1))
        let report = try await sequencer.run()
        #expect(report.outcome == .completed)
        #expect(report["config"]?.failure == .failed)
        #expect(try sequencer.value(of: title) == "with bundled, because of Failure()")
    }

    @Test("an operation that asks a person only when it has to is interactive for as long as it does")
    func waitForPerson() async throws {
        var graph = OperationGraph("menu")
        graph.add("config", .timeout(.seconds(1)), .milestone) { launch in
            try await launch.sleep(for: .milliseconds(500))
            let answer = try await launch.waitForPerson {
                try await launch.sleep(for: .seconds(60))
                return "DE"
            }
            try await launch.sleep(for: .milliseconds(400))
            return answer
        }
        let report = try await Sequencer(graph, options: .virtual(lanes: 1)).run()
        #expect(report.outcome == .completed)
        #expect(report.budget.measured == .milliseconds(900) && report.budget.interactive == .seconds(60))
        #expect(report["config"]?.isInteractive == true && report["config"]?.duration == .milliseconds(60_900))
    }

    @Test("virtual time does not move while a launch begins: its deadline never comes before its first operation")
    func virtualBegin() async throws {
        var graph = OperationGraph("begin")
        graph.add("only") {}
        let outcomes = try await withThrowingTaskGroup(of: [LaunchReport.Outcome].self) { [graph] group in
            for _ in 0..<4 {
                group.addTask {
                    var outcomes: [LaunchReport.Outcome] = []
                    for _ in 0..<2_000 {
                        let options = LaunchOptions(deadline: .seconds(60), clock: VirtualClock())
                        outcomes.append(try await Sequencer(graph, options: options).run().outcome)
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count { $0 != .completed } == 0)
    }

    @Test("notes are in the report: once each, at most sixteen, made printable, and none after the end")
    func notes() async throws {
        var graph = OperationGraph("notes")
        let kept = Locked<Launch?>(nil)
        graph.add("config", fallback: .compute { launch, error in launch.note("bundled: \(error.map { "\($0)" } ?? "nothing")") }) {
            launch in
            launch.note("cached\u{1B}[31m")
            launch.note("cached\u{1B}[31m")
            kept.withLock { $0 = launch }
            throw Failure()
        }
        graph.add("many") { launch in for number in 0..<20 { launch.note("\(number)") } }
        let sequencer = Sequencer(graph, options: .virtual(lanes: 1))
        let report = try await sequencer.run()
        kept.withLock { $0 }?.note("too late")
        #expect(report["config"]?.notes == [#"cached\u{1B}[31m"#, "bundled: Failure()"])
        #expect(report["many"]?.notes == (0..<16).map(String.init))
        #expect(report.json(pretty: false).contains(#""notes":["0","1""#))
    }

    @Test("a step without a value: who needs it is skipped, who reads it as an optional runs")
    func absentValues() async throws {
        var graph = OperationGraph("absent")
        let failed = graph.add("failed", .onFailure(.continue)) { () -> Int in throw Failure() }
        let unwanted = graph.add("unwanted", .when { false }) { 1 }
        let needs = graph.add("needs", using: failed) { $0 }
        graph.add("after-needs", after: needs) {}
        graph.add("needs-unwanted", using: unwanted) { _ in }
        let reads = graph.add("reads", using: failed.optional, unwanted.optional) { failed, unwanted in
            "\(String(describing: failed)) \(String(describing: unwanted))"
        }
        graph.add("waits", after: failed, unwanted) {}
        let sequencer = Sequencer(graph, options: .virtual())
        let report = try await sequencer.run()
        #expect(report.operations.map(\.outcome) == [.failed, .skipped, .skipped, .skipped, .skipped, .succeeded, .succeeded])
        #expect(report["unwanted"]?.message == "its condition was false")
        #expect(report["needs"]?.message == "failed failed")
        #expect(report["after-needs"]?.message == "failed failed")
        #expect(report["needs-unwanted"]?.message == "there is no value of unwanted, whose condition was false")
        #expect(try sequencer.value(of: reads) == "nil nil")
    }

    @Test("fault O28: skipping reaches everything behind, and nothing else")
    func skipDependents() async throws {
        var graph = OperationGraph("skip")
        let speaker = graph.add("speaker", .onFailure(.skipDependents)) { throw Failure() }
        let volume = graph.add("volume", .onFailure(.continue), after: speaker) {}
        graph.add("equalizer", after: volume) {}
        graph.add("main-app") {}
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.failed, .skipped, .skipped, .succeeded])
    }

    @Test("fault O5: a condition that throws fails its operation")
    func throwingCondition() async throws {
        var graph = OperationGraph("condition")
        graph.add("step", .when { throw Failure() }, .onFailure(.continue)) {}
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report["step"]?.outcome == .failed)
        #expect(report["step"]?.message == "Failure()")
    }

    @Test("exclusive operations run one after the other, the one with the longer rest first, and the others are not held up")
    func exclusive() async throws {
        var graph = OperationGraph("exclusive")
        graph.wait("short", 100, .exclusive(.userInterface), .expected(.milliseconds(100)))
        let long = graph.wait("long", 100, .exclusive(.userInterface), .expected(.milliseconds(100)))
        graph.wait("rest", 300, .expected(.milliseconds(300)), after: long)
        graph.wait("other", 50)
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report["long"]?.start == .zero)
        #expect(report["short"]?.start == .milliseconds(100))
        #expect(report["short"]?.wait == .milliseconds(100))
        #expect(report["other"]?.end == .milliseconds(50))
        #expect(report.makespan == .milliseconds(400))
    }

    @Test("a misbehaving step: fails, hangs, comes late, aborts")
    func faults() async throws {
        var graph = OperationGraph("faults")
        let config = graph.wait("fetch-config", 100, .timeout(.seconds(1)), .onFailure(.continue))
        graph.add("main-app", .milestone, after: config, on: .main) {}
        func outcome(_ fault: Fault) async throws -> (Outcome?, Duration) {
            var broken = graph
            try broken.inject(fault, into: "fetch-config")
            let report = try await Sequencer(broken, options: .virtual()).run()
            return (report["fetch-config"]?.outcome, report.makespan)
        }
        #expect(try await outcome(.fail) == (.failed, .zero))
        #expect(try await outcome(.hang) == (.timedOut, .seconds(1)))
        #expect(try await outcome(.delay(.milliseconds(300))) == (.succeeded, .milliseconds(400)))
        #expect(try await outcome(.abort(.forceUpdate)) == (.succeeded, .milliseconds(100)))
        #expect(throws: GraphError.self) { try graph.inject(.fail, into: "fetch-confg") }
    }
}
