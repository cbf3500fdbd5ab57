import Sequencer
import SequencerAnalysis

/// Plans for a terminal: how long the launch is expected to take on each number of lanes, and the schedule on the most
/// of them.
struct PlanText {
    let plans: [LaunchPlan]
    /// How the command ends.
    let code: ExitCode
    /// The operations without work that have an expected duration.
    var workless: [String] = []
    /// When the launch will be ended; nil for never.
    let deadline: Duration?
    /// The number of processors that the plans suppose; nil for as many as operations want.
    let processors: Int?
    /// The durations of each operation in past launches, in the order they were added; nil without a history.
    let durations: [[Duration]]?
    let page: ResultPage

    private var style: TextStyle { page.style }

    var text: String {
        guard let plan = earliest else { return "" }
        let (report, width) = (plan.report(deadline: deadline), page.output.width)
        let drawn = TimelineText(report, isPlan: true, unknown: plan.unknownTimes, style: style, width: width)
        let timeline = plan.graph.count > 0 ? drawn.text : nil
        let parts = [summary, timeline, durations.map { comparison(plan, $0) }].compactMap(\.self)
        return parts.joined(separator: "\n") + remarks(plan)
    }

    /// Of the plans that say what the exit code says, that which reaches its goal first; of several, that with the
    /// fewest lanes.
    private var earliest: LaunchPlan? {
        let decisive = plans.filter { ExitCode(foreseen: $0.report, deadline: deadline) == code }
        return (decisive.isEmpty ? plans : decisive).min { left, right in
            // As the launch's goals are ordered: the display first, then the milestone, then everything.
            func ends(_ plan: LaunchPlan) -> (Duration, Duration, Duration) {
                (plan.initialDisplayEnd ?? .zero, plan.milestoneEnd, plan.makespan)
            }
            return ends(left) < ends(right)
        }
    }

    private var summary: String {
        let hasMilestone = plans.first?.report.milestone != nil
        // A column that would be the same as another is left out.
        let ends: [String] = (plans.first?.initialDisplayEnd == nil ? [] : ["initial display"]) + (hasMilestone ? ["milestone"] : [])
        let rows = plans.map { plan -> [String] in
            let (report, isInTime) = (plan.report, plan.report.isWithin(deadline))
            let pass = plan.unknownTimes.tellNothing ? style.yellow("UNKNOWN") : style.green("PASS")
            var measured = report.isWithinBudgets && isInTime ? pass : style.red("FAIL")
            measured += " \(report.budget.measuredText(style.duration))\(report.milestoneOutcomeText)"
            // Only where it is missed: most budgets lie far below the deadline.
            if let deadline, !isInTime { measured += "; deadline \(style.duration(deadline))" }
            if case .failed(let operation, let message) = report.outcome {
                measured += "; \(printable(operation, limit: 80)): \(printable(message, limit: 200))"
            }
            if report.isInitialDisplayMet == false { measured += report.initialDisplayText(style.duration) }
            let times = [plan.initialDisplayEnd, hasMilestone ? plan.milestoneEnd : nil, plan.makespan, plan.lowerBound]
            let used = "\(Int((plan.utilization * 100).rounded()))%"
            return ["\(plan.lanes)"] + times.compactMap { $0.map(style.duration) } + [used, measured]
        }
        return style.table(["lanes"] + ends + ["takes", "at least", "busy", "budget"], leading: 0, rows)
    }

    /// The planned durations beside those of past launches.
    private func comparison(_ plan: LaunchPlan, _ durations: [[Duration]]) -> String {
        let rows = zip(plan.operations, durations).map { operation, past -> [String] in
            let last = past.last.map { [style.duration($0), style.difference($0 - operation.duration)] } ?? ["", ""]
            return [printable(operation.id, limit: 80), style.duration(operation.duration)] + last + ["\(past.count)"]
        }
        return style.table(["operation", "expected", "last took", "difference", "launches"], rows)
    }

    private func remarks(_ plan: LaunchPlan) -> String {
        let path = plan.criticalPath
        let ids = listed(path, limit: path.count > 12 ? 11 : 12) { printable($0, limit: 80) }
        let longest: [String] = path.isEmpty ? [] : ["longest path: \(style.duration(plan.criticalPathDuration)), \(ids)"]
        let off = plan.graph.switchedOff
        let notes = Notes.lines([
            "switched off, which counts as 0 ms": off,
            Notes.unexpected: plan.operationsWithoutExpectation,
            Notes.workless: workless.filter { !off.contains($0) },
        ])
        let remarks: [String] =
            longest + ["deadline: \(deadline.map(style.duration) ?? "none")"] + notes
            + [Grounds.plan(processors: processors).text]
        return remarks.flatMap { wrapped($0, to: page.output.width, indent: 2, ellipsis: style.ellipsis) }.map { style.dim($0) + "\n" }
            .joined()
    }
}

extension LaunchPlan {
    /// The report of a launch that goes as planned, and fails at its deadline where that comes first.
    fileprivate func report(deadline: Duration?) -> LaunchReport {
        var report = report
        // The plan prints its own grounds.
        report.isVirtual = false
        report.budget.causes = []
        guard let deadline, !report.isWithin(deadline) else { return report }
        // The first that the deadline cuts off, in the order of starts, as a launch would name it.
        let late = report.operations.filter { $0.end > deadline }.min { $0.start ?? .zero < $1.start ?? .zero }
        let message = "expected to end after the launch's deadline, \(durationText(deadline))"
        report.outcome = .failed(operation: late?.id ?? "", message: message)
        return report
    }
}
