import Foundation
import Sequencer
import SequencerAnalysis

/// Reads a saved bench, or saved reports, from a file, or from standard input for `-`.
func readBench(_ path: String) throws -> BenchDocument { try parseBench(try readInput(path), file: inputName(path)) }

/// Reads a saved bench, in the format `sequencer.bench/1`, or the runs of saved reports, in the format
/// `sequencer.report/1`.
func parseBench(_ bytes: [UInt8], file: String) throws(ScenarioError) -> BenchDocument {
    // Decided by the content, not by the name: `-` has none.
    if let reports = try SavedReports.read(bytes, file: file) { return try BenchDocument(reports, file: file) }
    return try decodeDocument(BenchDocument.self, from: bytes, file: file)
}

// The format `sequencer.bench/1`, described by `Schemas/bench.schema.json`. It holds figures that follow from the
// measurements, too, for other readers; this tool computes them again. Unknown keys are ignored: a later version may
// have more of them.

extension BenchDocument: Decodable {
    /// The document as JSON.
    ///
    /// - Parameters:
    ///   - comparisons: the changes of the scenarios; not a part of saved benches.
    ///   - pretty: two spaces a level, or all in one line, which is much shorter.
    func json(_ comparisons: [BenchComparison] = [], pretty: Bool = true) -> String {
        let begin: JSONTree = ["toolVersion": .text(toolVersion), "machine": machine.json, "clock": .text(clock.rawValue)]
        let rest: JSONTree = [
            "warmups": .number(warmups), "taken": span?.json, "scenarios": .array(scenarios.map(\.json)),
            "comparisons": .objects(comparisons, \.json),
        ]
        return JSONTree.document(Self.schema, pretty: pretty, begin + clock.grounds + rest)
    }

    init(from decoder: any Decoder) throws {
        let document = try DocumentReader(decoder)
        let schema = try document.string("schema")
        // The version is a part of the name, so a newer format is refused here rather than read wrongly.
        guard schema == Self.schema else {
            throw document.error("schema", "expected '\(Self.schema)', as 'bench --save' writes it, found \(quoted(schema))")
        }
        toolVersion = try document.string("toolVersion")
        machine = try BenchMachine(document.object("machine"))
        clock = try document.word("clock")
        warmups = try document.count("warmups")
        span = try document.optionalObject("taken").map(BenchSpan.init)
        scenarios = try document.objects("scenarios").map(BenchedScenario.init)
        // Without this, every comparison would be one of nothing, and a success.
        if scenarios.isEmpty { throw document.error("scenarios", "there is no scenario") }
        // Scenarios are paired by name: of two with one name, which pairs would be arbitrary.
        if let place = firstRepetition(scenarios.map(\.name)) {
            throw document.error("scenarios", at: place, "the scenario \(quoted(scenarios[place].name)) is there twice")
        }
    }
}

extension BenchMachine {
    fileprivate var json: JSONTree {
        ["system": .text(system), "architecture": .text(architecture), "processors": .number(processors), "name": .text(name)]
    }

    fileprivate init(_ document: DocumentReader) throws {
        system = try document.string("system")
        architecture = try document.string("architecture")
        processors = try document.count("processors")
        // The load is divided by the number of processors.
        if processors == 0 { throw document.error("processors", "expected one at least, found 0") }
        name = try document.string("name")
    }
}

extension BenchSpan {
    fileprivate var json: JSONTree {
        [
            "begin": .text(begin.timestamp), "end": .text(end.timestamp),
            "loadBegin": loadAtBegin.map { .decimal($0) }, "loadEnd": loadAtEnd.map { .decimal($0) },
        ]
    }

    fileprivate init(_ document: DocumentReader) throws {
        begin = try document.date("begin", LaunchReport.timestamp)
        end = try document.date("end", LaunchReport.timestamp)
        if end < begin { throw document.error("end", "the bench ends before it begins") }
        loadAtBegin = try document.optionalNumber("loadBegin", in: 0...1e6)
        loadAtEnd = try document.optionalNumber("loadEnd", in: 0...1e6)
    }
}

extension BenchedScenario {
    fileprivate var json: JSONTree {
        let summary = BenchSummary(self)
        let samples = summary.samples
        return [
            "scenario": .text(name), "budgetMs": .milliseconds(budget),
            "timeIsUnknown": .mark(unknownTimes.tellNothing),
            "initialDisplayBudgetMs": .milliseconds(initialDisplayBudget), "milestone": .text(milestone),
            "unknown": hasDetails ? .texts(unknown) : nil, "summary": summary.json, "runs": .array(runs.map(\.json)),
            "operations": .array(operations.map { $0.json(median: samples[$0.id]?.median) }),
        ]
    }

    fileprivate init(_ document: DocumentReader) throws {
        self.init(
            name: try document.string("scenario"),
            budget: try document.duration("budgetMs"),
            initialDisplayBudget: try document.optionalDuration("initialDisplayBudgetMs")
        )
        milestone = try document.optionalString("milestone")
        let unknown = try document.optionalStrings("unknown")
        self.unknown = unknown ?? []
        hasDetails = try unknown != nil && document.objects("operations").allSatisfy(BenchedOperation.hasDetails)
        let runs = try document.objects("runs").map(BenchRun.init)
        // Counted against the runs while the place is known; later code zips the two, which would drop the rest in
        // silence.
        let operations = try document.objects("operations").map { try BenchedOperation($0, runs: runs.count) }
        if let place = firstRepetition(operations.map(\.id)) {
            throw document.error("operations", at: place, "the operation \(quoted(operations[place].id)) is there twice")
        }
        // Times that end nowhere would be compared with any others.
        if let milestone, runs.contains(where: { $0.outcome == .completed }), !operations.contains(where: { $0.id == milestone }) {
            throw document.error("milestone", "there is no operation \(quoted(milestone))")
        }
        (self.runs, self.operations) = (runs, operations)
    }
}

extension BenchRun {
    fileprivate var json: JSONTree {
        [
            "outcome": .text(outcome.rawValue), "verdict": isMet ? "pass" : "fail", "measuredMs": .milliseconds(measured),
            "makespanMs": .milliseconds(makespan), "interactiveMs": .milliseconds(interactive),
            "initialDisplayMs": .milliseconds(initialDisplay), "processMs": .milliseconds(process),
            "processorMs": .milliseconds(processor), "missedMilestone": missedMilestone ? true : nil,
        ]
    }

    fileprivate init(_ document: DocumentReader) throws {
        outcome = try document.word("outcome")
        isMet = try document.isMet()
        measured = try document.duration("measuredMs")
        makespan = try document.duration("makespanMs")
        interactive = try document.duration("interactiveMs")
        initialDisplay = try document.optionalDuration("initialDisplayMs")
        process = try document.optionalDuration("processMs")
        processor = try document.optionalDuration("processorMs")
        missedMilestone = try document.optionalFlag("missedMilestone") ?? false
    }
}

extension BenchedOperation {
    fileprivate func json(median: Double?) -> JSONTree {
        [
            "id": .text(id), "medianMs": .nanoseconds(median), "criticalRuns": .number(criticalRuns),
            "after": dependencies.map { .texts($0) }, "outcomes": outcomes?.json,
            "deferredRuns": outcomes.map { .number($0.deferrals) },
            "durationsMs": .array(durations.map { .milliseconds($0) ?? .null }),
        ]
    }

    fileprivate init(_ document: DocumentReader, runs: Int) throws {
        id = try document.string("id")
        criticalRuns = try document.count("criticalRuns")
        dependencies = try document.optionalStrings("after")
        outcomes = try document.optionalObject("outcomes").map(OutcomeCounts.init)
        outcomes?.deferrals = try document.optionalCount("deferredRuns") ?? 0
        if let outcomes, outcomes.deferrals > outcomes.total {
            throw document.error("deferredRuns", "expected 0 to \(outcomes.total), found \(outcomes.deferrals)")
        }
        durations = try document.optionalDurations("durationsMs")
        if durations.count == runs { return }
        throw document.error("durationsMs", "expected a duration for each of \(runs) runs, found \(durations.count)")
    }

    /// Whether the bench of an operation says how often it was put off, if it says how it ended.
    fileprivate static func hasDetails(_ document: DocumentReader) throws -> Bool {
        try document.optionalObject("outcomes") == nil || document.optionalCount("deferredRuns") != nil
    }
}

extension OutcomeCounts {
    var json: JSONTree {
        let counts = all.map { (key: $0.outcome.rawValue, value: JSONTree?.some(.number($0.count))) }
        // An operation that was never there has no keys.
        return .object(counts) + ["absent": total > 0 ? .count(absences) : nil]
    }

    fileprivate init(_ document: DocumentReader) throws {
        self.init()
        for outcome in Outcome.allCases { add(outcome, try document.optionalCount(outcome.rawValue) ?? 0) }
    }
}

extension DocumentReader {
    func isMet() throws -> Bool { try word("verdict", of: ["pass", "fail"]) == "pass" }

    /// A word out of a few, each spelled exactly.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String) throws -> Word {
        let text = try string(key)
        guard let word = Word(rawValue: text) else {
            throw error(key, unknownWord(text, called: key, among: Word.words))
        }
        return word
    }
}

extension BenchSummary {
    fileprivate var json: JSONTree {
        [
            "completed": .number(count(of: .completed)), "missedMilestone": .count(missedMilestones),
            "medianMs": .nanoseconds(sample?.median), "madMs": .nanoseconds(sample?.medianAbsoluteDeviation),
            "medianLowerMs": .nanoseconds(interval?.lowerBound), "medianUpperMs": .nanoseconds(interval?.upperBound),
            "minMs": .nanoseconds(sample?.minimum), "p90Ms": .nanoseconds(sample?.nearestRank(90)),
            "maxMs": .nanoseconds(sample?.maximum),
            // Outliers are no longer looked for; the format has the key.
            "outlierRuns": .null,
            "initialDisplayMs": initialDisplay.map { .nanoseconds($0.median) }, "budgetMisses": .number(misses),
            "missRateUpperBound": .decimal(missBound),
        ]
    }
}

// MARK: - Comparisons

extension BenchComparison {
    static let schema = "sequencer.comparison/1"

    /// Comparisons as JSON, in the format `sequencer.comparison/1`, described by `Schemas/comparison.schema.json`.
    ///
    /// - Parameters:
    ///   - clock: the one of all benches.
    ///   - onlyBefore: the scenarios that the later bench does not have.
    ///   - onlyAfter: those that the first one does not have.
    static func json(
        _ comparisons: [BenchComparison],
        clock: ClockMode = .wall,
        onlyBefore: [String] = [],
        onlyAfter: [String] = []
    ) -> String {
        let only: JSONTree = ["onlyBefore": .list(onlyBefore), "onlyAfter": .list(onlyAfter)]
        return JSONTree.document(schema, clock.grounds + ["comparisons": .array(comparisons.map(\.json))] + only)
    }

    fileprivate var json: JSONTree {
        // A count for each way to end, for a comparison of medians says nothing of the runs that have none.
        func runs(_ summary: BenchSummary) -> JSONTree {
            .object(summary.outcomes.map { ($0.outcome.rawValue, .number($0.count)) })
        }
        let ended: JSONTree = [
            "before": .text(before.scenario.name), "after": .text(after.scenario.name), "verdict": .text(verdict.rawValue),
            "threshold": .decimal(threshold), "beforeRuns": runs(before), "afterRuns": runs(after),
            "outcomesKnown": ends.withoutDetails == nil ? nil : false,
            "milestones": ends.milestones.map { ["before": .text($0.before), "after": .text($0.after)] },
            "unknownBefore": .list(ends.unknown.before), "unknownAfter": .list(ends.unknown.after),
            "missedMilestone": .text(ends.missedMilestone?.id),
            "outcomes": .objects(ends.outcomes, \.json),
        ]
        let measured: JSONTree = [
            "apart": gap.map {
                [
                    "askedThreshold": .decimal(askedThreshold), "seconds": .decimal($0.seconds), "loadRatio": .decimal($0.loadRatio),
                    "processorShare": processorShare.map { .decimal($0) },
                    // Without a trend there is nothing to explain.
                    "drift": drift > 1 ? .decimal(drift) : nil,
                ]
            },
            "beforeMs": .nanoseconds(before.sample?.median), "afterMs": .nanoseconds(after.sample?.median),
            "initialDisplay": initialDisplays.map { ["beforeMs": .nanoseconds($0.before), "afterMs": .nanoseconds($0.after)] },
            "change": .decimal(times.change), "changeLower": .decimal(times.interval?.lowerBound),
            "changeUpper": .decimal(times.interval?.upperBound), "u": .decimal(times.test?.u), "p": .decimal(times.p),
            "pairs": times.pairs.map { .number($0.count) }, "runsNeeded": times.runsNeeded.map { .number($0) },
            "operations": .array(operations.map { $0.json(share: share(of: $0)) }),
            "criticalPathMoved": criticalPathMove.map { ["from": .texts($0.from), "to": .texts($0.to)] },
        ]
        return ended + measured
    }
}

extension OutcomeChange {
    fileprivate var json: JSONTree {
        [
            "id": .text(id), "before": before.json, "after": after.json, "deferredBefore": .count(before.deferrals),
            "deferredAfter": .count(after.deferrals), "certain": .flag(isCertain),
        ]
    }
}

extension OperationChange {
    /// - Parameter share: the part of the launch's change that it accounts for.
    fileprivate func json(share: Double?) -> JSONTree {
        [
            "id": .text(id), "beforeMs": .nanoseconds(before), "afterMs": .nanoseconds(after),
            "differenceMs": .nanoseconds(difference), "p": .decimal(p), "adjustedP": adjustedP.map { .decimal($0) },
            "accountsForMs": accountsFor.map { .nanoseconds($0) },
            "accountsForShare": share.map { .decimal($0) }, "critical": .flag(isCritical),
        ]
    }
}

// MARK: - For github-action-benchmark

/// A bench as github-action-benchmark reads it, to draw how it has changed from commit to commit: its
/// `customSmallerIsBetter` (https://github.com/benchmark-action/github-action-benchmark).
struct BenchmarkActionText {
    /// More operations than a page has room for graphs.
    private static let maximumOperations = 20

    let document: BenchDocument

    /// An array of one object for each scenario, and for each of its operations.
    var text: String {
        let all = document.scenarios.flatMap { elements(BenchSummary($0)) }
        return JSONTree.array(all).document(pretty: false) + "\n"
    }

    private func elements(_ summary: BenchSummary) -> [JSONTree] {
        // The action's format has no value for a missing time.
        guard let sample = summary.sample else { return [] }
        let name = summary.scenario.name
        let runs = summary.scenario.runs.count
        let budget = "\(summary.misses) of \(runs) runs over the budget of \(summary.scenario.budgetText())"
        let trouble = summary.scenario.trouble, grounds = document.clock == .virtual ? [Grounds.virtualTime.text] : []
        let unknown = summary.scenario.unknownTimes
        let doubt = unknown.operations.isEmpty ? [] : [(unknown.tellNothing ? "unknown: " : "") + unknown.text()]
        let missed = summary.missedMilestonesText.map { [$0] } ?? []
        let extra = [budget] + missed + doubt + (trouble.isEmpty ? [] : [listed(trouble) { $0 }]) + grounds
        return [element(name, sample, extra.joined(separator: "; "))]
            + summary.operations.prefix(Self.maximumOperations).map { operation in
                element("\(name): \(operation.id)", operation.sample, operation.isCritical ? "on the critical path" : "")
            }
    }

    private func element(_ name: String, _ sample: SortedSample, _ extra: String) -> JSONTree {
        [
            "name": .text(name), "unit": "ms", "value": .milliseconds(.nearest(nanoseconds: sample.median)),
            // A number of the value's unit: the action reads it as one, and converts it with the value.
            "range": sample.medianAbsoluteDeviation.map { .text("± \(Duration.nearest(nanoseconds: $0).milliseconds)") },
            "extra": extra.isEmpty ? nil : .text(extra),
        ]
    }
}
