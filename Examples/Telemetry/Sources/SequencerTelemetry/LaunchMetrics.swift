import Metrics
import Sequencer

/// Counts and times the operations of launches with swift-metrics.
///
/// | metric | is | dimensions |
/// |---|---|---|
/// | `sequencer.operation.duration` | a timer: from the first start to the end, retries and pauses included | `launch`, `operation`, `outcome` |
/// | `sequencer.operation.ended` | a counter: every operation, once a launch | the same |
/// | `sequencer.operation.retries` | a counter: attempts that failed and were followed by another | `launch`, `operation` |
/// | `sequencer.launch.duration` | a timer | `launch`, `outcome` |
/// | `sequencer.launch.ended` | a counter | `launch`, `outcome` |
/// | `sequencer.launch.over_budget` | a counter: launches that completed, and took too long | `launch` |
///
/// An operation that never started is counted and not timed. Identifiers become dimensions, so they should be few and the same in every launch.
public struct LaunchMetrics: LaunchObserver {
    private let factory: any MetricsFactory
    private var starts: [String: Duration] = [:]

    /// Metrics that `factory` makes; the one the program has bootstrapped, unless said.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
    }

    /// Counts what has ended or is tried again, and remembers what has started.
    public mutating func observe(_ event: LaunchEvent, in launch: String) {
        switch event.kind {
        case .started(let id, attempt: 1): starts[id] = event.time
        case .retrying(let id, _): increment("operation.retries", [("launch", launch), ("operation", id)])
        case .ended(let id, let outcome):
            let dimensions = [("launch", launch), ("operation", id), ("outcome", outcome.rawValue)]
            increment("operation.ended", dimensions)
            if let start = starts.removeValue(forKey: id) { record(event.time - start, "operation.duration", dimensions) }
        case .launchStarted, .ready, .started, .stopped, .launchEnded, .dropped: break
        }
    }

    /// Counts and times the launch.
    public func observe(_ report: LaunchReport) {
        let dimensions = [("launch", report.scenario), ("outcome", report.outcome.name)]
        increment("launch.ended", dimensions)
        // The person waits until the milestone.
        record(report.afterMilestone?.start ?? report.makespan, "launch.duration", dimensions)
        if report.outcome == .completed, !report.budget.isMet { increment("launch.over_budget", [("launch", report.scenario)]) }
    }

    private func increment(_ name: String, _ dimensions: [(String, String)]) {
        Counter(label: "sequencer.\(name)", dimensions: dimensions, factory: factory).increment()
    }

    private func record(_ duration: Duration, _ name: String, _ dimensions: [(String, String)]) {
        Timer(label: "sequencer.\(name)", dimensions: dimensions, factory: factory).recordNanoseconds(duration.nanoseconds)
    }
}
