/// When a launch's budget ran out, and when it stood still.
///
/// A report says how much time counted and how much did not; a drawing needs to know when. The clock stands still while an interactive operation
/// runs, so the budget's end moves right by what lies before it.
struct BudgetClock {
    /// When interactive operations ran: in order, without overlaps.
    let pauses: [Range<Nanoseconds>]
    /// When the budget is used up; nil when the report does not tell: a budget that counts from the process's start began at a moment that
    /// is not part of it.
    let limit: Nanoseconds?
    /// When the milestone ended (the launch, when there is none); nil when the report does not tell.
    let milestone: Nanoseconds?

    init(_ document: ReportDocument) {
        let intervals = document.operations.filter { $0.isInteractive && $0.start != nil && $0.end > ($0.start ?? $0.end) }
            .map { ($0.start ?? .zero).nanoseconds..<$0.end.nanoseconds }
            .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
        var merged: [Range<Nanoseconds>] = []
        for interval in intervals {
            if let last = merged.last, interval.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, interval.upperBound)
            } else {
                merged.append(interval)
            }
        }
        pauses = merged
        let budget = document.budget
        guard budget.budget.origin == .run else {
            (limit, milestone) = (nil, nil)
            return
        }
        milestone = budget.measured.nanoseconds.addingSaturated(budget.interactive.nanoseconds)
        var end = budget.budget.limit.nanoseconds
        for pause in merged where pause.lowerBound < end { end = end.addingSaturated(pause.upperBound - pause.lowerBound) }
        limit = end
    }
}
