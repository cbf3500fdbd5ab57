import Sequencer
import SequencerAnalysis

/// `compare`: the change of a launch from one saved bench to another.
struct CompareCommand: ResultCommand {
    static let name = "compare"
    static let summary = "Compare two saved benches, or the reports of launches: the verdict, and which operations moved it."
    static let ownArguments: [CommandArgument<Self>] =
        [
            .positional("BEFORE") { $0.before = $1 }
                .help("What 'bench --save' or 'run --json' wrote, one or many, or '-'."),
            .positional("AFTER") { $0.after = $1 }.help("A later one."),
        ] + part(VerdictArguments.options, \.verdict)
    static let examples: KeyValuePairs = [
        "compare main.json branch.json": "Exit with 4 when the branch is slower.",
        "compare main.json branch.json --threshold 2% --strict": "Be severe.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "No scenario has become slower or is gone, and no operation ends otherwise.",
        "4": "One has become slower or is gone, or its operations end otherwise.",
        "5": "With --strict: there is too little to say.",
    ]

    /// The saved bench that was first.
    var before = ""
    /// The one that came later.
    var after = ""
    var verdict = VerdictArguments()
    var common = CommonArguments()

    func check() throws(UsageError) {
        // Its end would be reached by the first one, and the second would be empty.
        if before == "-", after == "-" { throw Self.failure("standard input ('-') can be read only once") }
    }

    func run(_ page: ResultPage) throws -> ExitCode {
        ProgressLine.begin("compare", reading: isStandardInput(after) ? after : before)
        let (first, second) = (try readBench(before), try readBench(after))
        try checkComparable((inputName(before), first), (inputName(after), second), force: verdict.isForced)
        let (gap, clock, pairs) = (BenchGap(first, second), first.clock(with: second), first.pairs(with: second))
        let comparisons = pairs.map { BenchComparison($0, $1, clock: clock, threshold: verdict.threshold, gap: gap) }
        if comparisons.isEmpty {
            let names = alternatives(first.scenarios.map(\.name))
            throw ToolError(.badData, "the two benches have no scenario in common: \(inputName(after)) has no \(names)")
        }
        let onlyBefore = first.names(besides: pairs.map(\.0)), onlyAfter = second.names(besides: pairs.map(\.1))
        let texts = comparisons.map { ComparisonText(comparison: $0, style: page.style).text }
        try page.write(
            json: BenchComparison.json(comparisons, clock: clock, onlyBefore: onlyBefore, onlyAfter: onlyAfter),
            text: (texts + only(onlyBefore, page.style.red("CHANGED"), "after")
                + only(onlyAfter, page.style.yellow("INCONCLUSIVE"), "before"))
                .joined(separator: "\n")
        )
        return ExitCode(of: comparisons, onlyBefore: onlyBefore, onlyAfter: onlyAfter, strict: verdict.isStrict)
    }

    /// A line on the scenarios that were measured on one side only; none without any.
    private func only(_ names: [String], _ verdict: String, _ place: String) -> [String] {
        if names.isEmpty { return [] }
        return ["\(verdict)  not measured \(place): \(listed(names) { printable($0, limit: 80) })\n"]
    }
}

/// When a difference counts, and what happens then.
struct VerdictArguments: Equatable, Sendable {
    /// The least change that counts, as a share.
    var threshold = 0.05
    /// Whether too little to say is an error.
    var isStrict = false
    /// Whether measurements of different machines may be compared.
    var isForced = false

    static let options: [CommandArgument<VerdictArguments>] = [
        .value("threshold", "SHARE", \.threshold, read: ShareText.parse)
            .help("Call a change of more than this a change (default: 5%)."),
        .flag("strict", \.isStrict).help("Exit with 5 when there is too little to say."),
        .flag("force", \.isForced).help("Compare even measurements of different machines."),
    ]
}

/// Refuses to compare benches of different machines or clocks, whose times say nothing about each other.
///
/// - Parameter force: whether machines may differ; virtual time is the same on all of them.
func checkComparable(
    _ first: (name: String, bench: BenchDocument),
    _ second: (name: String, bench: BenchDocument),
    force: Bool
) throws(ToolError) {
    let (benches, machines) = ([first.bench, second.bench], [first.bench.machine, second.bench.machine])
    // Even with --force: a virtual time is a sum of expectations, and compares with nothing measured.
    if benches[0].clock != benches[1].clock, benches.allSatisfy(\.namesClock) {
        let clocks = [first, second].map { "\($0.name) was measured in \($0.bench.clock) time" }.joined(separator: ", ")
        throw ToolError(.badData, "\(clocks); measure both with the same '--clock'")
    }
    if machines[0] == machines[1] || benches.contains(where: { $0.clock == .virtual }) || force { return }
    if let place = machines.firstIndex(of: .unknown) {
        let (name, other) = place == 0 ? (first.name, second.name) : (second.name, first.name)
        let advice = "if that was the one of \(other), add '--force'"
        throw ToolError(.badData, "\(name) does not say on which machine it was measured; \(advice)")
    }
    let names = "\(printable(machines[0].description)); \(second.name): \(printable(machines[1].description))"
    let advice = "measure both on the same one, or add '--force'"
    throw ToolError(.badData, "\(first.name) was measured on another machine (\(names)); \(advice)")
}

extension ExitCode {
    /// The code of several comparisons: the worst counts.
    ///
    /// - Parameters:
    ///   - onlyBefore: the scenarios that were not measured again: a change.
    ///   - onlyAfter: those that there is nothing to compare with.
    init(of comparisons: [BenchComparison], onlyBefore: [String] = [], onlyAfter: [String] = [], strict: Bool) {
        // A regression comes before doubt: one scenario that is slower for sure must not hide behind another.
        if !onlyBefore.isEmpty || comparisons.contains(where: { $0.verdict == .regression || $0.verdict == .changed }) {
            self = .regression
        } else if strict, !onlyAfter.isEmpty || comparisons.contains(where: { $0.verdict == .inconclusive }) {
            self = .inconclusive
        } else {
            self = .success
        }
    }
}

/// The text of a comparison, for people; its last line is the verdict.
struct ComparisonText {
    private static let maximumOperations = 10

    let comparison: BenchComparison
    let style: TextStyle

    /// The two sides, with their names in sentences.
    private var sides: [(place: String, summary: BenchSummary)] { [("before", comparison.before), ("after", comparison.after)] }

    /// How many runs of each side count.
    private var counts: [Int] { sides.map { $0.summary.sample?.count ?? 0 } }

    var text: String {
        let names = sides.map { printable($0.summary.scenario.name, limit: 80) }
        // Two names where the scenarios were renamed between the benches.
        let name = style.bold(names[0] == names[1] ? names[0] : "\(names[0]) \(arrow) \(names[1])")
        let pairs = comparison.times.pairs.map { "\($0.count) pairs of runs, in turns" }
        var lines = ["\(name)  \(pairs ?? "\(counts[0]) against \(counts[1]) completed runs")"]
        for (place, summary) in sides {
            // Completed runs are in the counts already.
            let ended = summary.outcomes.filter { $0.outcome != .completed }.map { "\($0.count) \($0.outcome.rawValue)" }
            let others = ended + (summary.missedMilestonesText.map { [$0] } ?? [])
            if !others.isEmpty { lines.append(style.yellow("  \(place): \(others.joined(separator: ", ")), not in the times")) }
        }
        if let first = comparison.before.sample, let second = comparison.after.sample {
            let change = comparison.times.change.map { ", " + signed($0) } ?? ""
            lines.append("  median  \(time(first.median)) \(arrow) \(time(second.median))\(change)")
        }
        if let displays = comparison.initialDisplays {
            // A display that took no time has no ratio.
            let change = displays.before > 0 ? ", " + signed(displays.after / displays.before - 1) : ""
            lines.append("  display \(time(displays.before)) \(arrow) \(time(displays.after))\(change), to the initial one")
        }
        if let interval = comparison.times.interval {
            let sureness = comparison.times.pairs == nil ? "95% interval" : "99% interval, at any number of looks"
            lines.append("  change  \(signed(interval.lowerBound)) to \(signed(interval.upperBound)) (\(sureness))")
        }
        if let test = comparison.times.test {
            lines.append("  test    Mann-Whitney U = \(brief(test.u)), \(probability(test.p))\(test.isExact ? " (exact)" : "")")
        }
        lines += comparison.ends.outcomes.prefix(Self.maximumOperations).map { "  ended   \($0.text(arrow: " \(arrow) "))" }
        let moreOutcomes = comparison.ends.outcomes.count - Self.maximumOperations
        if moreOutcomes > 0 { lines.append("          and \(moreOutcomes) more operations") }
        if let gap = comparison.gap { lines.append("  apart   \(text(of: gap)): only a change of more than \(threshold) counts") }
        return lines.joined(separator: "\n") + "\n" + operations + verdict + "\n"
    }

    private var operations: String {
        // Where nothing changed, the sentence would only repeat the verdict.
        if comparison.operations.isEmpty {
            return (comparison.verdict == .same ? "" : "  no operation of its own has changed beyond doubt\n") + move
        }
        let rows = comparison.operations.map { operation -> [String] in
            [
                printable(operation.id, limit: 60) + (operation.isCritical ? " *" : ""),
                signedTime(operation.difference), accountsFor(operation),
                operation.before.map(time) ?? "absent", operation.after.map(time) ?? "absent",
                operation.adjustedP.map { $0 < 0.0001 ? "<0.0001" : brief($0) } ?? "",
            ]
        }
        let header = ["operation", "change", "accounts for", "before", "after", "p"]
        let note = style.dim("  * on the critical path; operations overlap, their changes do not add up")
        return "\n" + style.table(header, limit: Self.maximumOperations, rows) + note + "\n" + move + "\n"
    }

    /// `+300 ms (100%)`.
    private func accountsFor(_ operation: OperationChange) -> String {
        let share = comparison.share(of: operation).map { " (\(Int(exactly: ($0 * 100).rounded()) ?? 0)%)" } ?? ""
        return operation.accountsFor.map { signedTime($0) + share } ?? ""
    }

    /// Which operations no longer make the launch as long as it is, and which do instead.
    private var move: String {
        guard let move = comparison.criticalPathMove else { return "" }
        let names = [move.from, move.to].map { ids in listed(ids) { printable($0, limit: 60) } }
        return "  by median times the longest path moved from \(names[0]) to \(names[1])\n"
    }

    private var verdict: String {
        switch comparison.verdict {
        case .improved: style.green("IMPROVED") + "  faster \(amount)"
        case .same: style.green("SAME") + "  neither faster nor slower by more than \(threshold)\(apart)"
        case .regression: style.red("REGRESSION") + "  slower \(amount)"
        case .inconclusive: style.yellow("INCONCLUSIVE") + "  \(doubt)"
        case .changed: style.red("CHANGED") + "  \(change)"
        }
    }

    /// What weakens a verdict.
    private var apart: String { comparison.gap == nil ? "" : ", in benches taken apart" }

    /// How much slower or faster it is for sure.
    private var amount: String {
        guard comparison.times.pairs != nil, let interval = comparison.times.interval else {
            return "by more than \(threshold)\(apart)"
        }
        let ends = [abs(interval.lowerBound), abs(interval.upperBound)].sorted().map { ShareText.format($0) }
        return "by \(ends[0]) to \(ends[1])"
    }

    /// Why the times cannot be compared.
    private var change: String {
        let ends = comparison.ends
        if let milestones = ends.milestonesText(arrow: " \(arrow) ") {
            return "\(milestones): the times end at different operations"
        }
        // A step that is gone counts only where nothing else has changed.
        let changes = ends.outcomes.filter { $0.isCertain && !$0.isGone }
        let certain = changes.isEmpty ? ends.outcomes.filter(\.isGone) : changes
        let more = certain.count > 1 ? ", and \(certain.count - 1) more operation\(certain.count > 2 ? "s" : "")" : ""
        return (certain.first?.text(arrow: " \(arrow) ") ?? "") + more + ": the times are of different work"
    }

    /// As it was asked for, or to a tenth where the benches' distance has moved it.
    private var threshold: String {
        comparison.gap == nil ? ShareText.brief(comparison.threshold) : ShareText.format(comparison.threshold)
    }

    /// Why there is nothing to say, and what to do about it.
    private var doubt: String {
        let (ends, times, limit) = (comparison.ends, comparison.times, comparison.threshold)
        if let (id, isBefore, outcomes) = ends.missedMilestone {
            let place = sides[isBefore ? 0 : 1].place
            return "\(printable(id, limit: 60)): \(outcomes) \(place), and the times are those to this milestone"
        }
        if let side = sides.first(where: { $0.summary.sample == nil }) { return "no run \(side.place) has completed" }
        if let unknown = ends.unknownText { return unknown + "; give a duration that is expected" }
        if let needed = times.runsNeeded {
            let few = sides.filter { $0.summary.sample?.count ?? 0 < needed }
            let place = few.count == 1 ? few[0].place : "of each"
            return "too few runs: \(counts[0]) against \(counts[1]); measure at least \(needed) \(place)"
        }
        if let place = ends.withoutDetails {
            let missing = "how its operations ended, which were put off and which times are unknown"
            return "the bench \(place) does not say \(missing); measure it anew"
        }
        if let outcome = ends.outcomes.first(where: \.counts) {
            let why = outcome.isNew ? "new, and not always successful" : "which chance may explain; measure more runs"
            return "\(outcome.text(arrow: " \(arrow) ")), \(why)"
        }
        if let pairs = times.pairs, pairs.count > 0 {
            guard let needed = pairs.pairsNeeded(threshold: limit) else { return "it may be slower or not" }
            return "it may be slower or not; about \(needed) pairs like these would tell ('--at-most \(needed)')"
        }
        // Without an interval there was nothing to divide by.
        guard let interval = times.interval, let test = times.test else { return "the runs before took no time" }
        // The interval is beyond the threshold, and yet p is not small: too few runs, rather than too small a change.
        if test.p >= SampleChange.significance, interval.lowerBound > limit || interval.upperBound < -limit {
            return "chance may explain the change (p is not below \(brief(SampleChange.significance))); measure more runs"
        }
        let turns = "measure both in turns ('bench --command' twice)"
        // Within the threshold for benches taken apart: more runs of the same kind would not help, turns would.
        if comparison.gap != nil, max(-interval.lowerBound, interval.upperBound) <= limit {
            return "the machine alone may have made the change; \(turns)"
        }
        let advice = comparison.gap == nil ? "measure more runs, on a quiet machine" : turns
        return "the change may be more or less than \(threshold); \(advice)"
    }

    /// How far the benches are apart.
    private func text(of gap: BenchGap) -> String {
        let time =
            switch gap.seconds {
            case nil: "taken apart"
            case 0?: "taken at the same time only in part"
            case let seconds?: "taken \(style.duration(nanoseconds: seconds * 1e9)) apart"
            }
        let isBusier = gap.loadRatio.map { $0 > BenchGap.leastLoadRatio } ?? false
        let computing = comparison.processorShare.map { ShareText.format($0) }
        return "\(time), not in turns" + (isBusier ? " and on a machine that was not as busy" : "")
            + (comparison.drift > 1 ? ", while runs became longer or shorter all the time" : "")
            + (computing.map { ", of launches that compute \($0) of their time" } ?? "")
    }

    private var arrow: String { style.isUnicode ? "→" : "->" }

    private func signedTime(_ nanoseconds: Double) -> String { style.difference(.nearest(nanoseconds: nanoseconds)) }

    private func signed(_ share: Double) -> String { ShareText.format(share, signed: true) }

    private func probability(_ p: Double) -> String { p < 0.0001 ? "p < 0.0001" : "p = \(brief(p))" }

    private func brief(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String((number * 10_000).rounded() / 10_000) }

    private func time(_ nanoseconds: Double) -> String { style.duration(nanoseconds: nanoseconds) }
}
