import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import SequencerAnalysis

/// Graphs written in Swift, measured again and again.
@Suite("Benches of graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchBenchTests {
    private struct NoNetwork: Error {}

    private static func launch(_ milliseconds: Int, named name: String = "launch") -> OperationGraph {
        var graph = OperationGraph(name)
        graph.add("login") { launch in try await launch.sleep(for: .milliseconds(milliseconds)) }
        graph.add("main", .milestone, after: "login") {}
        return graph
    }

    private func bench(
        runs: Int = 10,
        warmups: Int = 1,
        budget: Budget? = nil,
        _ graph: @escaping @Sendable () async throws -> OperationGraph,
        baseline: (@Sendable () async throws -> OperationGraph)? = nil
    ) -> LaunchBench {
        LaunchBench(
            runs: runs,
            warmups: warmups,
            budget: budget,
            options: LaunchOptions(clock: VirtualClock(), seed: 1),
            graph: graph,
            baseline: baseline
        )
    }

    @Test("the runs that warm up are not measured; the median, the deviation and the misses are those of the others")
    func figures() async throws {
        // 900 ms to warm up, then 100, 200, 300, 400 and 1000 ms.
        let times = Locked([900, 100, 200, 300, 400, 1000])
        let result = try await bench(runs: 5, budget: .milliseconds(350)) {
            Self.launch(times.withLock { $0.removeFirst() })
        }.run()
        #expect(result.launches.reports.map(\.budget.measured) == [100, 200, 300, 400, 1000].map { .milliseconds($0) })
        #expect(result.launches.median == .milliseconds(300))
        #expect(result.launches.medianAbsoluteDeviation == .milliseconds(100))
        #expect(result.launches.interval == nil)
        #expect(result.launches.budgetMisses == 2)
        #expect(result.verdict == nil && result.change == nil && result.baseline == nil)
        #expect("\(result)" == "launch: 300 ms (too few runs for an interval), MAD 100 ms, 5 runs, 2 over budget")
    }

    @Test("one run of each, or runs that differ in virtual time, are too few for a verdict", arguments: [1, 3])
    func tooFewRuns(count: Int) async throws {
        let times = Locked(0)
        let result = try await bench(runs: count, warmups: 0) {
            times.withLock { $0 += 100 }
            return Self.launch(times.withLock { $0 })
        } baseline: {
            Self.launch(100, named: "before")
        }.run()
        #expect(result.verdict == .inconclusive && result.changeInterval == nil)
        #expect("\(result)".hasSuffix("\ninconclusive: too few runs, \(count == 1 ? 2 : 6) of each are needed"), "\(result)")
    }

    @Test("six runs have an interval, which contains the median")
    func interval() async throws {
        let times = Locked([900, 100, 200, 300, 300, 400, 1000])
        let result = try await bench(runs: 6) { Self.launch(times.withLock { $0.removeFirst() }) }.run()
        #expect(result.launches.interval?.contains(.milliseconds(300)) == true)
    }

    @Test("a baseline takes turns with the graph, and chance decides who comes first")
    func turns() async throws {
        let turns = Locked("")
        _ = try await bench(runs: 3, warmups: 1) {
            turns.withLock { $0 += "a" }
            return Self.launch(1)
        } baseline: {
            turns.withLock { $0 += "b" }
            return Self.launch(1)
        }.run()
        #expect(turns.withLock { $0 } == "abbabaab")
    }

    @Test(
        "the verdict is on the change from the baseline",
        arguments: [(106, ChangeVerdict.regression), (105, .same), (100, .same), (94, .improved)]
    )
    func verdict(milliseconds: Int, expected: ChangeVerdict) async throws {
        let result = try await bench(runs: 2) {
            Self.launch(milliseconds)
        } baseline: {
            Self.launch(100, named: "before")
        }.run()
        #expect(result.verdict == expected)
        let change = try #require(result.change)
        #expect(abs(change - (Double(milliseconds) / 100 - 1)) < 1e-9)
        // Every run is the same.
        #expect(result.changeInterval == nil)
        #expect("\(result)".contains("\n\(expected)"))
    }

    @Test("a step that begins to fail is no improvement, however fast the launch is without it")
    func outcomes() async throws {
        let result = try await bench(runs: 2) {
            var graph = Self.launch(100)
            graph.add("config", .onFailure(.continue)) { throw NoNetwork() }
            return graph
        } baseline: {
            var graph = Self.launch(100)
            graph.add("config", .onFailure(.continue)) { launch in try await launch.sleep(for: .milliseconds(300)) }
            graph.addDependency("config", to: "main")
            return graph
        }.run()
        #expect(result.verdict == .changed && result.change.map { $0 < -0.5 } == true)
        #expect("\(result)".hasSuffix("\nchanged: config: 2 succeeded, now 2 failed"), "\(result)")
    }

    @Test("launches that fail are counted, and are not in the times; where all do, and none did, the outcomes have changed")
    func failures() async throws {
        let result = try await bench(runs: 3) {
            var graph = Self.launch(100)
            graph.add("sync") { throw NoNetwork() }
            return graph
        } baseline: {
            Self.launch(100)
        }.run()
        #expect(result.launches.reports.count == 3 && result.launches.median == nil)
        #expect(result.verdict == .changed && result.change == nil)
        #expect("\(result.launches)" == "launch: 3 runs, none completed")
    }

    @Test("what makes a graph may fail, and a graph may not be valid: the bench ends")
    func errors() async throws {
        await #expect(throws: NoNetwork.self) { try await bench { throw NoNetwork() }.run() }
        await #expect(throws: GraphError.self) {
            try await bench {
                var graph = Self.launch(1)
                graph.add("login") {}
                return graph
            }.run()
        }
    }
}
