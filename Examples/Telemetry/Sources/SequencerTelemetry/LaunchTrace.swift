import Sequencer
import Tracing

/// Makes a span for each launch, with a child span for each of its operations, in a swift-distributed-tracing `Tracer`.
///
/// Times are the launch's own, counted from when its first event was told: spans are as long as its report says, however late the tracer hears of them.
/// Every operation has one span, which ends once; one that never started (skipped, or cancelled before) has a span without length, where it ended.
/// Retries are events of the operation's span, whose status is an error when the operation has failed or timed out.
public struct LaunchTrace: LaunchObserver {
    private let tracer: any Tracer
    private let context: ServiceContext
    private let attributes: SpanAttributes
    private let now: @Sendable () -> UInt64
    private var begin: UInt64 = 0
    private var launch: (any Span)?
    private var operations: [String: any Span] = [:]

    /// A trace in `tracer`.
    ///
    /// - Parameters:
    ///   - context: where the launch's span belongs; that of the calling task unless said.
    ///   - attributes: what each of the spans has, such as the kind of the start.
    ///   - now: the time, in nanoseconds since 1970; asked for once, when the launch begins.
    public init(
        _ tracer: any Tracer,
        in context: ServiceContext = .current ?? .topLevel,
        attributes: SpanAttributes = [:],
        now: @escaping @Sendable () -> UInt64 = { DefaultTracerClock.now.nanosecondsSinceEpoch }
    ) {
        self.tracer = tracer
        self.context = context
        self.attributes = attributes
        self.now = now
    }

    /// Starts and ends spans.
    public mutating func observe(_ event: LaunchEvent, in launch: String) {
        let time = event.time
        switch event.kind {
        case .launchStarted:
            begin = now()
            self.launch = startSpan(launch, time)
        case .started(let id, attempt: 1): operations[id] = startSpan(id, time)
        case .started(let id, let attempt): addEvent("attempt", attempt, to: id, time)
        case .retrying(let id, let attempt): addEvent("retrying", attempt, to: id, time)
        case .ended(let id, let outcome):
            let span = operations.removeValue(forKey: id) ?? startSpan(id, time)
            span.attributes["sequencer.outcome"] = outcome.rawValue
            if outcome == .failed || outcome == .timedOut { span.setStatus(SpanStatus(code: .error)) }
            span.end(at: instant(time))
        case .stopped: self.launch?.addEvent(SpanEvent(name: "stopped", at: instant(time)))
        case .ready, .launchEnded, .dropped: break
        }
    }

    /// Ends the launch's span, with the outcome and what the budget says.
    public mutating func observe(_ report: LaunchReport) {
        guard let span = launch else { return }
        span.attributes["sequencer.outcome"] = report.outcome.name
        span.attributes["sequencer.budget.met"] = report.budget.isMet
        span.attributes["sequencer.critical_path"] = report.criticalPath
        if let (operation, reason) = report.outcome.explanation {
            span.attributes["sequencer.ended_by"] = operation
            span.attributes["sequencer.reason"] = reason
        }
        if let later = report.afterMilestone?.outcome, later != .completed {
            span.attributes["sequencer.after_milestone.outcome"] = later.name
            if let (operation, reason) = later.explanation {
                span.attributes["sequencer.after_milestone.ended_by"] = operation
                span.attributes["sequencer.after_milestone.reason"] = reason
            }
        }
        if case .failed(let operation, let message) = report.outcome {
            span.setStatus(SpanStatus(code: .error, message: "\(operation): \(message)"))
        }
        span.end(at: instant(report.makespan))
        launch = nil
    }

    private func startSpan(_ name: String, _ time: Duration) -> any Span {
        let span: any Span = tracer.startSpan(name, context: launch?.context ?? context, at: instant(time))
        span.attributes.merge(attributes)
        return span
    }

    private func addEvent(_ name: String, _ attempt: Int, to operation: String, _ time: Duration) {
        operations[operation]?.addEvent(SpanEvent(name: name, at: instant(time), attributes: ["sequencer.attempt": .int64(Int64(attempt))]))
    }

    private func instant(_ time: Duration) -> DefaultTracerClock.Timestamp {
        DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin &+ UInt64(max(time, .zero).nanoseconds))
    }
}
