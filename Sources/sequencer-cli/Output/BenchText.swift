import Sequencer

/// What a bench says, for people.
struct BenchText {
    private static let mostOperations = 20

    let document: BenchDocument
    let style: TextStyle
    /// How many runs of each scenario were asked for.
    let requested: Int

    var text: String {
        let clock = "clock: from the launch's begin to the end of its milestone, without waiting for a person"
        let parts = document.scenarios.map { text(BenchSummary($0)) }
        return parts.joined(separator: "\n") + "\n" + style.dim("\(document.clock.rawValue) \(clock)") + "\n"
    }

    private func text(_ summary: BenchSummary) -> String {
        let scenario = summary.scenario
        let runs = scenario.runs.count
        var lines = [
            style.bold(printable(scenario.name, limit: 80))
                + "  \(runs)\(runs < requested ? " of \(requested)" : "") run\(requested == 1 ? "" : "s")"
                + " after \(document.warmups) to warm up, budget \(style.duration(scenario.budget))"
        ]
        if let sample = summary.sample, let interval = summary.interval {
            lines.append("  median    \(time(sample.median)), 95% interval \(time(interval.lower)) to \(time(interval.upper))")
            lines.append("  MAD       \(time(sample.medianAbsoluteDeviation))")
            lines.append("  range     \(time(sample.minimum)) to \(time(sample.maximum)), p90 \(time(sample.percentile(90)))")
            lines.append("  outliers  \(outliers(summary, sample))")
        } else {
            lines.append(style.yellow("  no run completed: there is no time to tell"))
        }
        for outcome in [BenchRun.Outcome.aborted, .failed, .cancelled] where summary.count(of: outcome) > 0 {
            lines.append(
                style.yellow("  \(outcome.rawValue)".padded(to: 12) + "\(summary.count(of: outcome)) of \(runs), not in the times above")
            )
        }
        if runs > 0 { lines.append("  budget    \(misses(summary))") }
        return lines.joined(separator: "\n") + "\n" + operations(summary)
    }

    private func outliers(_ summary: BenchSummary, _ sample: SortedSample) -> String {
        let count = summary.outliers.count
        if count == 0 { return "none" }
        let named = summary.outliers.prefix(5).map { "run \($0.run): \(time($0.time))" }.joined(separator: ", ")
        return style.yellow("\(count) of \(sample.count)") + " (\(named)\(count > 5 ? ", \(style.ellipsis)" : ""))"
    }

    private func misses(_ summary: BenchSummary) -> String {
        let misses = summary.misses
        let count = "\(misses) of \(summary.scenario.runs.count) missed"
        if document.clock == .virtual { return misses > 0 ? style.red(count) : count }
        let bound = "the true rate is below \(ShareText.format(summary.missBound)) with 95% confidence"
        return (misses > 0 ? style.red(count) : count) + "; " + bound
    }

    private func operations(_ summary: BenchSummary) -> String {
        guard !summary.operations.isEmpty else { return "" }
        var table = TextTable(["operation", "median", "MAD", "max", "runs"])
        for operation in summary.operations.prefix(Self.mostOperations) {
            let sample = operation.sample
            table.add([
                printable(operation.id, limit: 60) + (operation.isCritical ? " *" : ""), time(sample.median),
                time(sample.medianAbsoluteDeviation), time(sample.maximum), "\(sample.count)",
            ])
        }
        let rest = summary.operations.count - Self.mostOperations
        let more = rest > 0 ? "  and \(rest) shorter ones\n" : ""
        return "\n" + table.text(style) + more + style.dim("  * on the critical path; operations overlap, their times do not add up") + "\n"
    }

    private func time(_ nanoseconds: Double) -> String {
        style.duration(.nearest(nanoseconds: nanoseconds))
    }
}

extension String {
    /// With spaces after it, up to `width` characters.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
