import Sequencer
import Tracing

/// The start of an app by the names that Sentry, Datadog and MetricKit have for it.
///
/// All of them know two times: until the first frame (the initial display, TTID), and until the screen has its content
/// (the full display, TTFD). The second is never less than the first.
public struct AppStart: Sendable, Hashable {
    /// A process that is new, or one that was there.
    public enum Kind: String, Sendable {
        case cold, warm
    }

    /// Whether the process was new.
    public let kind: Kind
    /// The screen that was shown first.
    public let screen: String
    /// From the start of the launch until the first frame.
    public let initialDisplay: Duration
    /// From the start of the launch until its milestone, and not less than ``initialDisplay``.
    public let fullDisplay: Duration

    /// The start of an app whose launch has completed; nil for another, and where `operation` has not shown anything.
    ///
    /// - Parameter operation: the name of the operation that shows the first frame.
    public init?(_ report: LaunchReport, _ kind: Kind, screen: String, shownBy operation: String) {
        let shown = report.operations.first { $0.id == operation && [.succeeded, .fellBack].contains($0.outcome) }
        guard let shown, report.outcome == .completed else { return nil }
        self.kind = kind
        self.screen = screen
        initialDisplay = shown.end
        fullDisplay = max(shown.end, report.afterMilestone?.start ?? report.makespan)
    }

    /// What each span of the start has in Sentry; ``LaunchTrace`` puts it on the launch's span and its children.
    public static func sentryAttributes(_ kind: Kind, screen: String) -> SpanAttributes {
        ["app.vitals.start.type": .string(kind.rawValue), "app.vitals.start.screen": .string(screen)]
    }

    /// Sentry's values, in milliseconds.
    public var sentry: [String: Double] {
        [
            "app.vitals.start.\(kind.rawValue).value": initialDisplay.milliseconds,
            "app.vitals.ttid.value": initialDisplay.milliseconds,
            "app.vitals.ttfd.value": fullDisplay.milliseconds,
        ]
    }

    /// The `vital` of two of Datadog's RUM events, durations in nanoseconds.
    public var datadog: [SpanAttributes] {
        [
            ("time_to_initial_display", "ttid", initialDisplay),
            ("time_to_full_display", "ttfd", fullDisplay),
        ].map { name, metric, duration in
            [
                "vital.type": "app_launch",
                "vital.name": .string(name),
                "vital.app_launch_metric": .string(metric),
                "vital.startup_type": .string("\(kind.rawValue)_start"),
                "vital.duration": .int64(duration.nanoseconds),
            ]
        }
    }

    /// The histograms of MetricKit's `MXAppLaunchMetric` in which the system counts these times.
    public var metricKit: [String: Duration] {
        ["histogrammedTimeToFirstDraw": initialDisplay, "histogrammedExtendedLaunch": fullDisplay]
    }

    /// Makes Sentry's spans: `ui.load`, and in it the start and the two displays.
    ///
    /// - Parameter begin: when the launch began, in nanoseconds since 1970.
    public func recordSentrySpans(
        in tracer: some Tracer,
        context: ServiceContext = .current ?? .topLevel,
        from begin: UInt64
    ) {
        func record(_ name: String, _ end: Duration, in context: ServiceContext) -> ServiceContext {
            let start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin)
            let span = tracer.startSpan(name, context: context, at: start)
            span.attributes.merge(Self.sentryAttributes(kind, screen: screen))
            span.attributes["sentry.op"] = name
            let length = UInt64(max(end, .zero).nanoseconds)
            span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: begin &+ length))
            return span.context
        }
        let load = record("ui.load", fullDisplay, in: context)
        _ = record("app.start.\(kind.rawValue)", initialDisplay, in: load)
        _ = record("ui.load.initial_display", initialDisplay, in: load)
        _ = record("ui.load.full_display", fullDisplay, in: load)
    }
}
