import Sequencer

/// How much processor time a launch takes in which all operations wait for their timers.
@MainActor
struct IdleTime {
    let options: BenchOptions
    let progress: ProgressLine

    func metrics() async throws -> [Metric] {
        progress.show("a launch in which everything waits")
        let length = Duration.seconds(options.isQuick ? 1 : 3)
        var graph = OperationGraph("idle")
        for index in 0..<100 {
            graph.add("waits-\(index)", .timeout(.seconds(60))) { launch in try await launch.sleep(for: length) }
        }
        let (begin, processor) = (now(), processorTime())
        let report = try await graph.run(options: LaunchOptions(deadline: .seconds(60))).report
        let (time, used) = (now() - begin, processorTime() - processor)
        if report.outcome != .completed { throw EngineFailure("the launch ended as \(report.outcome.name)") }
        return [Metric("idle", Double(used) / Double(time), "100 operations for \(length), \(Figures.duration(Double(used)))")]
    }
}
