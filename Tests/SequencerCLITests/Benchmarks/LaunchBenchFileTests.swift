import Foundation
import Sequencer
import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

/// What a bench in Swift saves, as the tool reads it.
@Suite("Files of benches of graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchBenchFileTests {
    private func saved(_ milliseconds: Int) async throws -> BenchDocument {
        let result = try await LaunchBench(runs: 4, options: LaunchOptions(clock: VirtualClock(), seed: 1)) {
            var graph = OperationGraph("launch")
            graph.add("login") { launch in try await launch.sleep(for: .milliseconds(milliseconds)) }
            graph.add("main", .milestone, after: "login") {}
            return graph
        }.run()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("launch-bench-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try result.launches.save(to: file)
        return try readBench(file.path)
    }

    @Test("compare reads it, and comes to the same")
    func compare() async throws {
        let (before, after) = (try await saved(100), try await saved(110))
        #expect(before.clock == .virtual && before.scenarios.map(\.name) == ["launch"])
        #expect(before.scenarios[0].runs.map(\.measured) == Array(repeating: .milliseconds(100), count: 4))
        let comparison = BenchComparison(before.scenarios[0], after.scenarios[0], clock: .virtual, threshold: 0.05)
        #expect(comparison.verdict == .regression)
        #expect(comparison.operations.first?.id == "login")
    }
}
