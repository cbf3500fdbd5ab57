import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// What virtual time waits for, and what it does not.
@Suite("Virtual time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct VirtualTimeTests {
    /// The report of a launch, or nil when it has not ended after so long that it never will.
    private func end(of graph: OperationGraph, _ options: LaunchOptions) async throws -> LaunchReport? {
        let (reports, continuation) = AsyncStream.makeStream(of: LaunchReport?.self)
        try graph.start(options: options) { continuation.yield($0.report) }
        DispatchQueue(label: "limit").asyncAfter(deadline: .now() + patience / .seconds(1)) { continuation.yield(nil) }
        for await report in reports { return report }
        return nil
    }

    /// Waits for something that is not on the clock, and comes soon.
    private static func hop() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume() }
        }
    }

    /// A step whose three child tasks sleep.
    private static func addSleepers(to graph: inout OperationGraph) {
        graph.add("children") { launch in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...3 { group.addTask { try await launch.sleep(for: .milliseconds(100 * number)) } }
                try await group.waitForAll()
            }
        }
    }

    /// A step that has work to do, a little of it elsewhere, and says when it had done it.
    private static func addWorker(to graph: inout OperationGraph) -> Step<Duration> {
        graph.add("works") { launch in
            for _ in 0..<200 { await hop() }
            return launch.elapsed
        }
    }

    @Test("fault C42: three child tasks asleep in one step do not move time past another step that works")
    func children() async throws {
        var graph = OperationGraph("children")
        Self.addSleepers(to: &graph)
        let works = Self.addWorker(to: &graph)
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)), seed: 1))
        let report = launch.report
        #expect(try launch[works] == .zero)
        #expect(report.makespan == .milliseconds(300))
        #expect(report.anomalies.isEmpty)
    }

    @Test("fault C42: what a step does on the main actor is work too, while its child tasks sleep")
    func mainActor() async throws {
        var graph = OperationGraph("main")
        let ends = graph.add("main", on: .main) { launch in
            async let asleep: Void = launch.sleep(for: .milliseconds(100))
            // Long enough for the child task to be asleep, and for time to move if it could.
            let end = ContinuousClock.now + .milliseconds(50)
            while ContinuousClock.now < end {}
            let elapsed = launch.elapsed
            try await asleep
            return [elapsed, launch.elapsed]
        }
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock(patience: .seconds(300)), seed: 1))
        #expect(try launch[ends] == [.zero, .milliseconds(100)])
    }

    // MARK: Blocked threads

    @Test("fault C41: a step that blocks its thread meets its timeout, and the others go on", arguments: [false, true])
    func blocks(isAsynchronous: Bool) async throws {
        let gate = Gate()
        var graph = OperationGraph("blocks")
        let options = StepOption.all([.timeout(.seconds(1)), .onFailure(.continue)])
        let stuck = isAsynchronous ? graph.add("stuck", options) { () async in gate.block() } : graph.add("stuck", options) { gate.block() }
        graph.wait("beside", 400)
        graph.add("main-app", .milestone, after: stuck) {}
        let report = try await end(of: graph, .virtual())
        gate.open()
        #expect(report?.operations.map(\.outcome) == [.timedOut, .succeeded, .succeeded])
        #expect(report?.operations.map(\.end) == [.seconds(1), .milliseconds(400), .seconds(1)])
        #expect(
            report?.operationAnomalies.map(\.description) == [
                "stuck waited for something that is not on the virtual clock, which went on without it"
            ]
        )
    }

    // MARK: Patience

    @Test("fault C50: a step that never ends costs patience once, not at each moment")
    func onePatience() async throws {
        let gate = Gate()
        var graph = OperationGraph("moments")
        graph.add("stuck", .timeout(.seconds(200)), .onFailure(.continue)) { await gate.wait() }
        graph.add("moments") { launch in for _ in 0..<100 { try await launch.sleep(for: .seconds(1)) } }
        let report = try await end(of: graph, .virtual())
        gate.open()
        #expect(report?.operations.map(\.outcome) == [.timedOut, .succeeded])
        #expect(report?.makespan == .seconds(200))
        #expect(
            report?.operationAnomalies.map(\.description) == [
                "stuck waited for something that is not on the virtual clock, which went on without it"
            ]
        )
    }

    // MARK: Several launches on one clock

    /// A launch with most of what a launch can have, that writes down what it does.
    private static func launch(_ name: String, _ journal: Locked<[String]>) -> OperationGraph {
        @Sendable func write(_ text: String, _ launch: StepContext) {
            let line = "\(name) \(launch.operation) \(text) \(launch.elapsed)"
            journal.withLock { $0.append(line) }
        }
        var graph = OperationGraph(name)
        let steps = (1...4).map { number in
            graph.add("sleeps-\(number)") { launch in
                for turn in 1...3 {
                    try await launch.sleep(for: .milliseconds(10 * number))
                    write("\(turn)", launch)
                }
            }
        }
        graph.add("straight") { launch in write("runs", launch) }
        graph.add("slow", .timeout(.milliseconds(30)), .onFailure(.continue)) { launch in
            defer { write("is over", launch) }
            try await launch.sleep(for: .seconds(1))
        }
        graph.add("children") { launch in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...3 {
                    group.addTask {
                        try? await launch.sleep(for: .milliseconds(10))
                        write("child \(number)", launch)
                    }
                }
            }
        }
        graph.add("last", after: steps.map(\.id)) { launch in write("runs", launch) }
        return graph
    }

    @Test("fault C40: two launches on one clock come to one result, ten times, and a thousand by night")
    func shared() async throws {
        var results: Set<[String]> = []
        for _ in 0..<Nightly.times(day: 10, night: 1_000) {
            let clock = VirtualClock(patience: .seconds(300))
            let journal = Locked<[String]>([])
            let options = LaunchOptions(clock: clock, seed: 1)
            let launches = try clock.hold {
                try ["first", "second"].map { name in try Self.launch(name, journal).start(options: options) }
            }
            for launch in launches { #expect(await launch.end().report.makespan == .milliseconds(120)) }
            results.insert(journal.withLock { $0 })
        }
        #expect(results.count == 1)
    }

    @Test("fault C40: a launch within a step of another, on one clock, comes to one result, ten times, and a thousand by night")
    func nested() async throws {
        var results: Set<[String]> = []
        for _ in 0..<Nightly.times(day: 10, night: 1_000) {
            let clock = VirtualClock(patience: .seconds(300))
            let options = LaunchOptions(clock: clock, seed: 1)
            let journal = Locked<[String]>([])
            var outer = Self.launch("outer", journal)
            let inner = outer.add("inner") { launch in
                try await launch.sleep(for: .milliseconds(15))
                return try await Self.launch("inner", journal).run(options: options).report.makespan
            }
            let launch = try await outer.run(options: options)
            let report = launch.report
            #expect(report.makespan == .milliseconds(135))
            #expect(try launch[inner] == .milliseconds(120))
            results.insert(journal.withLock { $0 })
        }
        #expect(results.count == 1)
    }
}
