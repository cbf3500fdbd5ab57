import Logging
import Sequencer

/// Writes a line for each event of a launch to a swift-log `Logger`.
///
/// Messages are constant; what differs is in the metadata: `launch`, `operation`, `attempt`, `outcome` and `time_ms`, since the launch began. What goes
/// well is `info` and below, what was made up for (a retry, a fallback, an operation that failed alone) is `notice` or `warning`; only a launch
/// that has failed is an `error`.
public struct LaunchLog: LaunchObserver {
    private let logger: Logger

    /// A log that goes to `logger`, at whatever level that lets through.
    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// Writes a line, for every event but the last: the end of the launch is written with what its report says.
    public func observe(_ event: LaunchEvent, in launch: String) {
        func line(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
            write(level, message, launch, event.time, metadata)
        }
        switch event.kind {
        case .launchStarted: line(.info, "launch started")
        case .ready(let id): line(.trace, "operation ready", ["operation": "\(id)"])
        case .started(let id, let attempt): line(.debug, "operation started", ["operation": "\(id)", "attempt": "\(attempt)"])
        case .retrying(let id, let attempt): line(.notice, "operation retrying", ["operation": "\(id)", "attempt": "\(attempt)"])
        case .ended(let id, let outcome):
            line(Self.level(of: outcome), "operation ended", ["operation": "\(id)", "outcome": "\(outcome.rawValue)"])
        case .stopped: line(.notice, "launch stopped")
        case .dropped(let count): line(.warning, "events dropped", ["count": "\(count)"])
        case .launchEnded: break
        }
    }

    /// Writes the launch's last lines: its outcome, what its budget says, and who ended it; and how that ended which ran on after its milestone, if not well.
    public func observe(_ report: LaunchReport) {
        let budget = report.budget
        var metadata: Logger.Metadata = [
            "outcome": "\(report.outcome.name)",
            "budget": budget.isMet ? "met" : "missed",
        ]
        if let explanation = report.outcome.explanation {
            metadata["operation"] = "\(explanation.operation)"
            metadata["reason"] = "\(explanation.reason)"
        }
        if !budget.causes.isEmpty { metadata["causes"] = .array(budget.causes.map { "\($0)" }) }
        let level: Logger.Level =
            switch report.outcome {
            case .failed: .error
            case .aborted, .cancelled: .notice
            case .completed: budget.isMet ? .info : .warning
            }
        write(level, "launch ended", report.scenario, report.afterMilestone?.start ?? report.makespan, metadata)
        guard let later = report.afterMilestone?.outcome, later != .completed else { return }
        var trouble: Logger.Metadata = ["outcome": "\(later.name)"]
        if let explanation = later.explanation {
            trouble["operation"] = "\(explanation.operation)"
            trouble["reason"] = "\(explanation.reason)"
        }
        let laterLevel: Logger.Level = if case .failed = later { .warning } else { .notice }
        write(laterLevel, "trouble after the milestone", report.scenario, report.makespan, trouble)
    }

    private static func level(of outcome: Outcome) -> Logger.Level {
        switch outcome {
        case .succeeded, .skipped: .info
        case .cancelled: .notice
        case .fellBack, .failed, .timedOut: .warning
        }
    }

    private func write(_ level: Logger.Level, _ message: Logger.Message, _ launch: String, _ time: Duration, _ metadata: Logger.Metadata) {
        var all = metadata
        all["launch"] = "\(launch)"
        all["time_ms"] = .stringConvertible(time.milliseconds)
        logger.log(level: level, message, metadata: all)
    }
}
