import Sequencer
import StartupOps

/// How long it takes from `run()` to the first body's first instruction, and from the last body's end to `run()`'s return, for each built-in
/// scenario with operations that succeed at once. Called from the main actor, as apps do.
@MainActor
struct StartLatency {
    let options: BenchOptions
    let progress: ProgressLine

    private struct Times {
        var untilFirst: [Double] = []
        var afterLast: [Double] = []
    }

    func metrics() async throws -> [Metric] {
        progress.show("start and end of the built-in scenarios")
        var times = [Times](repeating: Times(), count: Scenario.all.count)
        let rounds = options.isQuick ? 100 : 500
        for round in 0..<(rounds + 10) {
            for (index, scenario) in Scenario.all.enumerated() {
                let (untilFirst, afterLast) = try await launch(scenario)
                // The first rounds warm up.
                guard round >= 10 else { continue }
                times[index].untilFirst.append(untilFirst)
                times[index].afterLast.append(afterLast)
            }
        }
        return worst("start", times.map(\.untilFirst.median)) + worst("return", times.map(\.afterLast.median)) + [try graphBuilding()]
    }

    private func launch(_ scenario: Scenario) async throws -> (untilFirst: Double, afterLast: Double) {
        let times = BodyTimes()
        let begin = now()
        let launch = try await scenario.graph(.instant(times)).run()
        let end = now()
        // Made now, when it is asked for.
        let report = launch.report
        guard report.outcome == .completed, let first = times.begin else {
            throw EngineFailure("\(scenario.name): the launch ended as \(report.outcome.name)")
        }
        return (Double(first) - Double(begin), Double(end) - Double(times.end))
    }

    private func worst(_ key: Metric.Key, _ medians: [Double]) -> [Metric] {
        let each = zip(Scenario.all, medians).map { scenario, median in Metric("\(key)/\(scenario.name)", median) }
        guard let worst = zip(Scenario.all, medians).max(by: { $0.1 < $1.1 }) else { return each }
        return each + [Metric(key, worst.1, "\(worst.0.name); the best \(Figures.duration(medians.min() ?? 0))")]
    }

    /// Building and validating a graph of a hundred operations.
    private func graphBuilding() throws -> Metric {
        let shape = ShapeFamily.layered.shapes([100])[0]
        let workload = Workload(count: shape.count, purpose: .counting)
        let times = try (0..<1_000).map { _ in
            let begin = now()
            let graph = try OperationGraph(shape, workload).validated()
            let end = now()
            let count = graph.graph.identifiers.count
            if count != shape.count { throw EngineFailure("a graph of \(shape.count) operations has \(count)") }
            return Double(end - begin)
        }
        return Metric("building/100", times.dropFirst(50).median, "layered, median of 950")
    }
}
