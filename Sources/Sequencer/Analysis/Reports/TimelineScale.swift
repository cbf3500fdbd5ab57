import Sequencer

/// From points in time to places on a drawing.
struct TimelineScale {
    /// The time at the right edge.
    let extent: Nanoseconds
    /// The place of zero.
    let origin: Double
    /// The width of the whole.
    let width: Double

    /// - Parameter extent: the last point in time that is to be seen; at least a nanosecond is.
    init(extent: Nanoseconds, origin: Double, width: Double) {
        self.extent = max(extent, 1)
        self.origin = origin
        self.width = width
    }

    /// The place of a point in time; those outside are at the edges.
    func place(_ time: Nanoseconds) -> Double {
        origin + width * min(max(Double(time) / Double(extent), 0), 1)
    }

    /// Round points in time, 4 to 10 of them besides zero: 1, 2 or 5 times a power of ten apart.
    var ticks: [Nanoseconds] {
        var step: Nanoseconds = 1
        for factor in sequence(first: Nanoseconds(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) {
            for multiple in [1, 2, 5] as [Nanoseconds] where extent / step > 10 {
                step = factor.multipliedReportingOverflow(by: multiple).0
            }
            if extent / step <= 10 { break }
        }
        return (0...extent / step).map { $0 * step }
    }
}

/// A number of pixels, to a tenth.
func pixels(_ value: Double) -> String {
    let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
    let text = "\(tenths.magnitude / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths.magnitude % 10)")
    return tenths < 0 ? "-" + text : text
}

/// When a launch's budget ran out, and when it stood still.
///
/// The clock stands still while a person is asked, so the budget's end moves right by what lies before it. Reports of earlier versions, and plans, do
/// not say when that was: there a person is asked while an interactive operation runs.
struct BudgetClock {
    /// When persons were asked: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// When the budget is used up; nil without one, and for a budget that counts from the process's start, a moment that is not part of the report.
    let limit: Nanoseconds?

    init(_ report: LaunchReport) {
        let result = report.budget
        let known = result.questions.map { $0.lowerBound.nanoseconds..<$0.upperBound.nanoseconds }
        let operations = report.operations.filter { $0.isInteractive && $0.start != nil && $0.end > ($0.start ?? $0.end) }
            .map { ($0.start ?? .zero).nanoseconds..<$0.end.nanoseconds }
        let intervals = (known.isEmpty ? operations : known).sorted {
            ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
        }
        var merged: [Range<Nanoseconds>] = []
        for interval in intervals {
            if let last = merged.last, interval.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, interval.upperBound)
            } else {
                merged.append(interval)
            }
        }
        pauses = merged
        if result.budget?.isFromProcessStart == true {
            limit = nil
            return
        }
        guard let budget = result.budget else {
            limit = nil
            return
        }
        var end = budget.limit.nanoseconds
        for pause in merged where pause.lowerBound < end { end = end.addingSaturated(pause.upperBound - pause.lowerBound) }
        limit = end
    }
}

/// How timelines look: light or dark as the person likes it, and apart for those who do not see colours (critical bars have a border,
/// waiting and slack are thinner than work).
enum TimelineStyle {
    static let css = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --rule: #d8dee4; --row: #f6f8fa; --work: #4c8dd6; \
        --main: #7a62c9; --critical: #c0392b; --interactive: #e0a526; --wait: #a9b4bf; --slack: #8a94a0; --pause: #fbf1d3; --bad: #cf222e; \
        --good: #1a7f37; --stopped: #9a6700; --mark: #fff8c5; }
        @media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --rule: #30363d; --row: #151b23; \
        --work: #5a9be6; --main: #9a86e8; --critical: #f47067; --interactive: #d4a72c; --wait: #545d68; --slack: #6e7781; --pause: #2b2411; \
        --bad: #ff7b72; --good: #3fb950; --stopped: #d29922; --mark: #3b3000; } }
        .timeline { background: var(--paper); font: 12px system-ui, sans-serif; }
        .timeline text { fill: var(--ink); }
        .timeline .axis text, .timeline .note, .timeline .number { fill: var(--faint); font-size: 11px; }
        .timeline .axis line { stroke: var(--rule); }
        .timeline .band { fill: var(--row); }
        .timeline .pause { fill: var(--pause); }
        .timeline .bar { fill: var(--work); }
        .timeline .main .bar { fill: var(--main); }
        .timeline .interactive .bar { fill: var(--interactive); }
        .timeline .unsuccessful .bar { fill-opacity: .45; }
        .timeline .failed .bar { fill: var(--bad); fill-opacity: 1; }
        .timeline .failed .label, .timeline .failed .number { fill: var(--bad); }
        .timeline .critical .bar { stroke: var(--critical); stroke-width: 2; }
        .timeline .critical .label { fill: var(--critical); font-weight: 600; }
        .timeline .wait { fill: var(--wait); }
        .timeline .slack { stroke: var(--slack); stroke-width: 1.5; stroke-dasharray: 2 3; }
        .timeline .never { fill: none; stroke: var(--faint); }
        .timeline .path { fill: none; stroke: var(--critical); stroke-width: 1.5; }
        .timeline .budget { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 6 4; }
        .timeline .milestone { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 1 3; }
        .timeline .budget-label { fill: var(--bad); font-weight: 600; }
        """
}
