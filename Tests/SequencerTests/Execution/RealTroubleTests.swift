import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Operations in trouble", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTroubleTests {
    struct Failure: Error {}

    @Test("fault O1: a timeout ends an operation whose code never returns, and its lane goes on", arguments: [1, 2])
    func blockedLane(lanes: Int) async throws {
        let gate = Gate()
        var graph = OperationGraph("blocked")
        let stuck = graph.add("stuck", .timeout(.milliseconds(1)), .onFailure(.continue)) { gate.block() }
        graph.add("main-app", .milestone, after: stuck) {}
        let launch = try await graph.run(options: LaunchOptions(lanes: lanes, deadline: .patience))
        let report = launch.report
        #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded])
        #expect(report["stuck"]?.message == "not ended after its timeout of 1 ms")
        #expect(launch.anomalies.isEmpty)
        gate.open()
    }

    @Test("fault O3: an end after the timeout is dropped and reported")
    func lateEnd() async throws {
        let gate = Gate()
        let late = Gate()
        var graph = OperationGraph("late")
        let slow = graph.add("slow", .timeout(.milliseconds(1)), fallback: "cached") {
            gate.block()
            return "fresh"
        }
        graph.add("reader", using: slow) { value in
            #expect(value == "cached")
            gate.open()
            await late.wait()
        }
        let launch = try graph.start(options: LaunchOptions(lanes: 2, deadline: .patience))
        await eventually { !launch.anomalies.isEmpty }
        late.open()
        let report = await launch.end().report
        #expect(report["slow"]?.outcome == .fellBack)
        #expect(report["slow"]?.failure == .timedOut)
        #expect(report["slow"]?.message == "not ended after its timeout of 1 ms; its fallback was used")
        #expect(report.operationAnomalies.map(\.operation) == ["slow"])
        #expect(report.operationAnomalies.first?.description.hasPrefix("slow came to its end") == true)
        #expect(try launch.value(of: slow) == "cached")
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
        let launch = try await graph.run(options: .virtual())
        let report = launch.report
        // 10 +100+ 10 +200+ 10 +400+ 10
        #expect(report.makespan == .milliseconds(740))
        #expect(report["fetch"]?.attempts == 4)
        #expect(try launch[fetch] == 4)
    }

    @Test("jitter moves pauses to both sides within its share, and the seed repeats them")
    func jitter() {
        let policy = RetryPolicy(attempts: 99, backoff: .milliseconds(100), maximumBackoff: .seconds(1), jitter: 0.5)
        var random = SplitMix64(seed: 7)
        var again = SplitMix64(seed: 7)
        let shares = (1...98).map { attempt in
            let pause = policy.pause(afterAttempt: attempt, random: &random)
            #expect(pause == policy.pause(afterAttempt: attempt, random: &again))
            return Double(pause) / min(100_000_000 * pow(2, Double(attempt - 1)), 1_000_000_000)
        }
        #expect(shares.allSatisfy { (0.499...1.501).contains($0) })
        #expect(shares.contains { $0 < 0.7 } && shares.contains { $0 > 1.3 })
    }

    @Test("fault O26: an attempt that could not start before the timeout is not waited for")
    func noTimeForRetry() async throws {
        var graph = OperationGraph("retry")
        let policy = RetryPolicy(attempts: 3, backoff: .milliseconds(100), jitter: 0)
        graph.add("fetch", .retry(policy), .timeout(.milliseconds(150)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .milliseconds(20))
            throw Failure()
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.makespan == .milliseconds(140))
        #expect(report["fetch"]?.message == "Failure() (no time left for attempt 3)")
        #expect(report["fetch"]?.attempts == 2)
    }

    @Test("virtual time does not move while a launch begins: its deadline never comes before its first operation")
    func virtualBegin() async throws {
        var graph = OperationGraph("begin")
        graph.add("only") {}
        let outcomes = try await withThrowingTaskGroup(of: [LaunchReport.Outcome].self) { [graph] group in
            for _ in 0..<4 {
                group.addTask {
                    var outcomes: [LaunchReport.Outcome] = []
                    for _ in 0..<Nightly.times(day: 60, night: 2_000) {
                        let options = LaunchOptions(deadline: .seconds(60), clock: VirtualClock(), admission: .unlimited)
                        outcomes.append(try await graph.run(options: options).report.outcome)
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count { $0 != .completed } == 0)
    }

    @Test("virtual time stands still while a prologue runs, however long that takes")
    @MainActor
    func slowPrologue() async throws {
        let (stuck, over) = (Gate(), Gate())
        var graph = OperationGraph("slow")
        graph.addPrologue("slow") { () throws -> Void in
            // Real time passes: until another clock has lost a patience that is five hundred times as long.
            var other = OperationGraph("other")
            other.add("stuck") { stuck.block() }
            let options = LaunchOptions(deadline: .seconds(5), clock: VirtualClock(patience: .milliseconds(500)))
            try other.start(options: options) { _ in over.open() }
            over.block()
            stuck.open()
        }
        let options = LaunchOptions(deadline: .seconds(5), clock: VirtualClock(patience: .milliseconds(1)))
        let report = try await graph.run(options: options).report
        #expect(report.outcome == .completed && report.makespan == .zero)
        #expect(report["slow"]?.outcome == .succeeded)
    }

    @Test("notes are in the report: once each, at most sixteen, made printable, and none after the end")
    func notes() async throws {
        var graph = OperationGraph("notes")
        let kept = Locked<StepContext?>(nil)
        graph.add("config") { launch in
            launch.note("cached\u{1B}[31m")
            launch.note("cached\u{1B}[31m")
            kept.withLock { $0 = launch }
            throw Failure()
        } fallback: { launch, error in
            launch.note("bundled: \(error.map { "\($0)" } ?? "nothing")")
        }
        graph.add("many") { launch in for number in 0..<20 { launch.note("\(number)") } }
        let report = try await graph.run(options: .virtual(lanes: 1)).report
        kept.withLock { $0 }?.note("too late")
        #expect(report["config"]?.notes == [#"cached\u{1B}[31m"#, "bundled: Failure()"])
        #expect(report["many"]?.notes == (0..<16).map(String.init))
        #expect(report.json(pretty: false).contains(#""notes":["0","1""#))
    }

    @Test("fault O28: skipping reaches everything behind, and nothing else")
    func skipDependents() async throws {
        var graph = OperationGraph("skip")
        let speaker = graph.add("speaker", .onFailure(.skipDependents)) { throw Failure() }
        let volume = graph.add("volume", .onFailure(.continue), after: speaker) {}
        graph.add("equalizer", after: volume) {}
        graph.add("main-app") {}
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.failed, .skipped, .skipped, .succeeded])
    }

    @Test("fault O5: a condition that throws fails its operation")
    func throwingCondition() async throws {
        var graph = OperationGraph("condition")
        graph.add("step", .when { throw Failure() }, .onFailure(.continue)) {}
        let report = try await graph.run(options: .virtual()).report
        #expect(report["step"]?.outcome == .failed)
        #expect(report["step"]?.message == "Failure()")
    }
}
