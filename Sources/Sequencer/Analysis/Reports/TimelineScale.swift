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
    var ticks: [Nanoseconds] { ticks(atMost: 10) }

    /// Round points in time besides zero, at least one and at most `most` of them: 1, 2 or 5 times a power of ten apart.
    func ticks(atMost most: Nanoseconds) -> [Nanoseconds] {
        var step: Nanoseconds = 1
        // Ends before a product overflows: no extent is longer.
        for factor in sequence(first: Nanoseconds(1), next: { $0 > .max / 10 ? nil : $0 * 10 }) {
            for multiple in [1, 2, 5] as [Nanoseconds] where extent / step > most {
                step = factor.multipliedReportingOverflow(by: multiple).0
            }
            if extent / step <= most { break }
        }
        return (0...extent / step).map { $0 * step }
    }
}

/// A number of pixels, to a tenth.
func pixels(_ value: Double) -> String {
    // Bounded: the conversion traps where a number does not fit.
    let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
    let text = "\(tenths.magnitude / 10)" + (tenths % 10 == 0 ? "" : ".\(tenths.magnitude % 10)")
    return tenths < 0 ? "-" + text : text
}

/// A part of a hundred, to a thousandth, as `12.5%`; those outside are at the edges.
func percent(_ value: Double) -> String {
    let thousandths = Int((min(max(value, 0), 100) * 1000).rounded())
    if thousandths.isMultiple(of: 1000) { return "\(thousandths / 1000)%" }
    var digits = String(1000 + thousandths % 1000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(thousandths / 1000).\(digits)%"
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
    /// The same of the initial display's own budget.
    let displayLimit: Nanoseconds?

    init(_ report: LaunchReport) {
        let result = report.budget
        let known = result.questions.map { $0.lowerBound.nanoseconds..<$0.upperBound.nanoseconds }
        let operations = report.operations.filter { $0.isInteractive && $0.start != nil && $0.end > ($0.start ?? $0.end) }
            .map { ($0.start ?? .zero).nanoseconds..<$0.end.nanoseconds }
        let intervals = (known.isEmpty ? operations : known).sorted {
            ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
        }
        var merged: [Range<Nanoseconds>] = []
        // Interactive operations may overlap, and each moment counts once.
        for interval in intervals {
            if let last = merged.last, interval.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, interval.upperBound)
            } else {
                merged.append(interval)
            }
        }
        pauses = merged
        let budget = result.budget?.isFromProcessStart == true ? nil : result.budget
        limit = budget.map { Self.end(of: $0.limit, merged) }
        displayLimit = budget?.initialDisplay.map { Self.end(of: $0, merged) }
    }

    private static func end(of time: Duration, _ pauses: [Range<Nanoseconds>]) -> Nanoseconds {
        var end = time.nanoseconds
        for pause in pauses where pause.lowerBound < end { end = end.addingSaturated(pause.upperBound - pause.lowerBound) }
        return end
    }
}
