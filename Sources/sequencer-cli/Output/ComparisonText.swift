import Sequencer

/// What a comparison says, for people; its last line is the verdict.
struct ComparisonText {
    private static let mostOperations = 10

    let comparison: BenchComparison
    let style: TextStyle

    var text: String {
        let (before, after) = (comparison.before, comparison.after)
        let names = [before, after].map { printable($0.scenario.name, limit: 80) }
        var lines = [style.bold(names[0] == names[1] ? names[0] : "\(names[0]) \(arrow) \(names[1])") + "  \(counts)"]
        if let first = before.sample, let second = after.sample {
            lines.append(
                "  median  \(time(first.median)) \(arrow) \(time(second.median))" + (comparison.change.map { ", " + signed($0) } ?? "")
            )
        }
        if let interval = comparison.interval {
            lines.append("  change  \(signed(interval.lower)) to \(signed(interval.upper)) (95% interval)")
        }
        if let test = comparison.test {
            lines.append("  test    Mann-Whitney U = \(brief(test.u)), \(probability(test.p))\(test.isExact ? " (exact)" : "")")
        }
        return lines.joined(separator: "\n") + "\n" + operations + verdict + "\n"
    }

    private var counts: String {
        let counts = [comparison.before, comparison.after].map { $0.sample?.count ?? 0 }
        return "\(counts[0]) against \(counts[1]) completed runs"
    }

    private var operations: String {
        guard !comparison.operations.isEmpty else {
            return comparison.verdict == .same ? "" : "  no operation of its own has changed beyond doubt\n"
        }
        var table = TextTable(["operation", "change", "before", "after", "p"])
        for operation in comparison.operations.prefix(Self.mostOperations) {
            let difference = style.duration(.nearest(nanoseconds: abs(operation.difference)))
            table.add([
                printable(operation.id, limit: 60) + (operation.isCritical ? " *" : ""),
                (operation.difference < 0 ? "-" : "+") + difference,
                operation.before.map(time) ?? "absent", operation.after.map(time) ?? "absent",
                operation.p.map { $0 < 0.0001 ? "<0.0001" : brief($0) } ?? "",
            ])
        }
        let rest = comparison.operations.count - Self.mostOperations
        let more = rest > 0 ? "  and \(rest) more\n" : ""
        return "\n" + table.text(style) + more + style.dim("  * on the critical path; operations overlap, their changes do not add up")
            + "\n\n"
    }

    private var verdict: String {
        let threshold = ShareText.brief(comparison.threshold)
        switch comparison.verdict {
        case .improved: return style.green("IMPROVED") + "  faster by more than \(threshold)"
        case .same: return style.green("SAME") + "  neither faster nor slower by more than \(threshold)"
        case .regression: return style.red("REGRESSION") + "  slower by more than \(threshold)"
        case .inconclusive: return style.yellow("INCONCLUSIVE") + "  \(doubt)"
        }
    }

    /// Why there is nothing to say, and what to do about it.
    private var doubt: String {
        let names = [("before", comparison.before), ("after", comparison.after)]
        if let (name, _) = names.first(where: { $0.1.sample == nil }) { return "no run \(name) has completed" }
        guard let interval = comparison.interval, let test = comparison.test else { return "the runs before took no time" }
        if test.p >= BenchComparison.significance, interval.lower > comparison.threshold || interval.upper < -comparison.threshold {
            return "chance may explain the change (p is not below \(brief(BenchComparison.significance))); measure more runs"
        }
        return "the change may be more or less than \(ShareText.brief(comparison.threshold)); measure more runs, on a quiet machine"
    }

    private var arrow: String { style.isUnicode ? "→" : "->" }

    private func signed(_ share: Double) -> String { ShareText.format(share, signed: true) }

    private func probability(_ p: Double) -> String { p < 0.0001 ? "p < 0.0001" : "p = \(brief(p))" }

    private func brief(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String((number * 10_000).rounded() / 10_000)
    }

    private func time(_ nanoseconds: Double) -> String {
        style.duration(.nearest(nanoseconds: nanoseconds))
    }
}
