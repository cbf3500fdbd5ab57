import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// The same launches, in virtual time, over and over: also where their steps block threads, and signal one another.
@Suite("Virtual launches, repeated", .serialized, .timeLimit(.minutes(30)), .real, .nightly)
struct RealRepeatedVirtualLaunchTests {
    /// Steps that sleep, and pairs of which one sleeps and then signals another, which blocks its thread or is suspended until then.
    private static func graph(_ name: String, _ random: inout SplitMix64) -> OperationGraph {
        var graph = OperationGraph(name)
        var ids: [String] = []
        func after() -> [String] { ids.filter { _ in Int.random(in: 0..<3, using: &random) == 0 } }
        for number in 0..<Int.random(in: 1...3, using: &random) {
            let gate = Gate()
            let duration = Duration.milliseconds(10 * Int.random(in: 0...20, using: &random))
            let before = after()
            if Bool.random(using: &random) {
                graph.add("blocks-\(number)", .timeout(.seconds(10)), after: before) { gate.block() }
            } else {
                graph.add("waits-\(number)", .timeout(.seconds(10)), after: before) { await gate.wait() }
            }
            graph.add("signals-\(number)", after: before) { launch in
                try await launch.sleep(for: duration)
                gate.open()
            }
            ids += ["signals-\(number)", graph.identifiers[graph.identifiers.count - 2]]
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let id = "sleeps-\(ids.count)"
                let duration = Duration.milliseconds(10 * Int.random(in: 1...20, using: &random))
                graph.add(id, after: after()) { launch in try await launch.sleep(for: duration) }
                ids.append(id)
            }
        }
        return graph
    }

    private static func reports(seed: UInt64) async throws -> [String] {
        var random = SplitMix64(seed: seed)
        let clock = VirtualClock()
        let graphs = (0..<Int.random(in: 1...2, using: &random)).map { graph("launch-\($0)", &random) }
        let launches = try clock.hold {
            try graphs.map { try $0.start(options: LaunchOptions(deadline: .seconds(60), clock: clock, seed: 1)) }
        }
        var reports: [String] = []
        for launch in launches {
            let report = await launch.end().report
            // A step that blocks until another has signalled ends at the same moment: which of them gives its lane back first is the machine's.
            let times = report.operations.map { "\($0.id) \($0.outcome) \($0.ready ?? .zero) \($0.start ?? .zero) \($0.end) \($0.slack)" }
            reports.append("\(report.description) \(times) \(report.anomalies)")
        }
        return reports
    }

    @Test("fault C41: 100 launches whose steps block and signal one another, alone or two on a clock, each have one report, twenty times")
    func repeated() async throws {
        for seed in 0..<100 as Range<UInt64> {
            var results: Set<[String]> = []
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<20 { group.addTask { try await Self.reports(seed: seed) } }
                for try await reports in group { results.insert(reports) }
            }
            #expect(results.count == 1, "seed \(seed): \(results)")
        }
    }
}
