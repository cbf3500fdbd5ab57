import Sequencer
import SequencerAnalysis
import TestSupport
import Testing

/// Graphs that are measured in turns until it is sure which one is slower.
@Suite("Benches of graphs, in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLaunchBenchTests {
    private struct NoNetwork: Error {}

    private static func launch(_ milliseconds: Int) -> OperationGraph {
        var graph = OperationGraph("launch")
        graph.add("login") { launch in try await launch.sleep(for: .milliseconds(milliseconds)) }
        return graph
    }

    @Test("A launch that takes ten times as long is found out after a few pairs, and so is one that takes a tenth")
    func verdicts() async throws {
        for (before, after, verdict) in [(3, 30, ChangeVerdict.regression), (30, 3, .improved)] {
            let result = try await LaunchBench {
                Self.launch(after)
            } baseline: {
                Self.launch(before)
            }.run()
            #expect(result.verdict == verdict, "\(result)")
            let counts = [result.launches.reports.count, result.baseline?.reports.count]
            #expect(counts[0] == counts[1] && (10..<200).contains(result.launches.reports.count), "\(result)")
        }
    }

    @Test("It ends after as many as it may take, and where no launch has a time")
    func limits() async throws {
        let few = try await LaunchBench(atMost: 4) {
            Self.launch(1)
        } baseline: {
            Self.launch(30)
        }.run()
        #expect(few.launches.reports.count == 4 && few.verdict == .inconclusive)
        #expect("\(few)".hasSuffix("\ninconclusive: too few runs, 10 of each are needed"))
        let failing: @Sendable () -> OperationGraph = {
            var graph = OperationGraph("launch")
            graph.add("sync") { throw NoNetwork() }
            return graph
        }
        let failed = try await LaunchBench(graph: failing, baseline: failing).run()
        #expect(failed.launches.reports.count == 10 && failed.verdict == .inconclusive && failed.change == nil)
    }
}
