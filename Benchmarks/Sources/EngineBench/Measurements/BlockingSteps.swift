import Foundation
import Sequencer

/// Sixty-four steps that each block their thread for 100 ms, on sixty-four lanes: how long they take together, as a multiple of one.
@MainActor
struct BlockingSteps {
    let options: BenchOptions
    let progress: ProgressLine

    func metrics() async throws -> [Metric] {
        progress.show("64 blocking steps on 64 lanes")
        var ratios: [Double] = []
        for _ in 0..<(options.isQuick ? 3 : 7) {
            var graph = OperationGraph("blocking")
            for index in 0..<64 {
                graph.add("blocks-\(index)") { usleep(100_000) }
            }
            let begin = now()
            let report = try await graph.run(options: LaunchOptions(lanes: 64)).report
            let time = Double(now() - begin)
            let longest = report.operations.map { $0.duration }.max() ?? .zero
            ratios.append(time / Double(longest.components.attoseconds / 1_000_000_000 + longest.components.seconds * 1_000_000_000))
        }
        return [Metric("blocking/64", ratios.median, "median of \(ratios.count)")]
    }
}
