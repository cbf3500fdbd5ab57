import Sequencer
import SequencerAnalysis
import StartupOps

/// Launches of the built-in scenarios with operations that take as long as is expected of them: how near the makespan comes to what the
/// graph allows. That is the critical path or, where lanes or the main thread are scarce, the plan's makespan.
@MainActor
struct RealLaunches {
    let options: BenchOptions
    let progress: ProgressLine

    func metrics() async throws -> [Metric] {
        var metrics: [Metric] = []
        for lanes in [nil, 2] {
            for scenario in options.isQuick ? [.firstLaunch, .regular, .bootstrap] : Scenario.all {
                progress.show("launch of \(scenario.name), \(lanes.map { "\($0) lanes" } ?? "any number of lanes")")
                let graph = scenario.graph(.simulated())
                let plan = try await graph.plan(PlanOptions(lanes: lanes))
                let best = max(plan.criticalPathDuration, plan.makespan)
                let report = try await graph.run(options: LaunchOptions(lanes: lanes)).report
                guard report.outcome == .completed else {
                    throw EngineFailure("\(scenario.name): the launch ended as \(report.outcome.name)")
                }
                let suffix = lanes.map { "/\($0)" } ?? ""
                metrics.append(Metric("launch\(suffix)/\(scenario.name)", report.makespan / best, "\(report.makespan) of \(best)"))
            }
        }
        return metrics
            + [worst("launch", of: metrics) { !$0.hasPrefix("launch/2/") }, worst("launch/2", of: metrics) { $0.hasPrefix("launch/2/") }]
            .compactMap(\.self)
    }

    private func worst(_ key: Metric.Key, of metrics: [Metric], where isMeant: (Metric.Key) -> Bool) -> Metric? {
        metrics.filter { isMeant($0.key) }.max { $0.value < $1.value }.map {
            Metric(key, $0.value, "\($0.key.split(separator: "/").last ?? ""), \($0.detail)")
        }
    }
}
