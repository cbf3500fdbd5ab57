import Foundation
import Sequencer
import SequencerAnalysis

/// Reads a saved bench, or saved reports, from a file, or from standard input for `-`.
func readBench(_ path: String) throws -> BenchDocument {
    try parseBench(try readInput(path), file: inputName(path))
}

/// Reads a saved bench, in the format `sequencer.bench/1`, or the runs of saved reports, in the format
/// `sequencer.report/1`.
func parseBench(_ bytes: [UInt8], file: String) throws(ScenarioError) -> BenchDocument {
    // Decided by the content, not by the name: `-` has none.
    if SavedReports.begin(bytes) {
        return try BenchDocument(try SavedReports.decode(bytes, file: file).map(\.withCriticalPath), file: file)
    }
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
        JSONWriter.document(Self.schema, pretty: pretty) { json in
            json.write(toolVersion, for: "toolVersion")
            json.writeObject(for: "machine") { machine.writeMembers(to: &$0) }
            json.write(clock.rawValue, for: "clock")
            if clock == .virtual { Grounds.virtualTime.write(to: &json) }
            json.write(warmups, for: "warmups")
            if let span { json.writeObject(for: "taken") { span.writeMembers(to: &$0) } }
            json.writeObjects(scenarios, for: "scenarios") { json, scenario in scenario.writeMembers(to: &json) }
            if comparisons.isEmpty { return }
            json.writeObjects(comparisons, for: "comparisons") { json, comparison in comparison.write(to: &json) }
        }
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
    fileprivate func writeMembers(to document: inout JSONWriter) {
        document.write(system, for: "system")
        document.write(architecture, for: "architecture")
        document.write(processors, for: "processors")
        document.write(name, for: "name")
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
    fileprivate func writeMembers(to document: inout JSONWriter) {
        document.write(begin, for: "begin")
        document.write(end, for: "end")
        if let loadAtBegin { document.write(decimal: loadAtBegin, for: "loadBegin") }
        if let loadAtEnd { document.write(decimal: loadAtEnd, for: "loadEnd") }
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
    fileprivate func writeMembers(to document: inout JSONWriter) {
        let summary = BenchSummary(self)
        document.write(name, for: "scenario")
        document.write(milliseconds: budget, for: "budgetMs")
        if let initialDisplayBudget { document.write(milliseconds: initialDisplayBudget, for: "initialDisplayBudgetMs") }
        if let milestone { document.write(milestone, for: "milestone") }
        if !unknown.isEmpty { document.write(unknown, for: "unknown") }
        document.writeObject(for: "summary") { summary.writeMembers(to: &$0) }
        document.writeObjects(runs, for: "runs") { document, run in run.writeMembers(to: &document) }
        let medians = Dictionary(summary.operations.map { ($0.id, $0.sample.median) }) { first, _ in first }
        document.writeObjects(operations, for: "operations") { document, operation in
            operation.writeMembers(to: &document, median: medians[operation.id])
        }
    }

    fileprivate init(_ document: DocumentReader) throws {
        self.init(
            name: try document.string("scenario"),
            budget: try document.duration("budgetMs"),
            initialDisplayBudget: try document.optionalDuration("initialDisplayBudgetMs")
        )
        milestone = try document.optionalString("milestone")
        unknown = try document.optionalStrings("unknown") ?? []
        let runs = try document.objects("runs").map(BenchRun.init)
        // Counted against the runs while the place is known; later code zips the two, which would drop the rest in
        // silence.
        let operations = try document.objects("operations").map { try BenchedOperation($0, runs: runs.count) }
        if let place = firstRepetition(operations.map(\.id)) {
            throw document.error("operations", at: place, "the operation \(quoted(operations[place].id)) is there twice")
        }
        (self.runs, self.operations) = (runs, operations)
    }
}

extension BenchRun {
    fileprivate func writeMembers(to document: inout JSONWriter) {
        document.write(outcome.rawValue, for: "outcome")
        document.write(isMet ? "pass" : "fail", for: "verdict")
        document.write(milliseconds: measured, for: "measuredMs")
        document.write(milliseconds: makespan, for: "makespanMs")
        document.write(milliseconds: interactive, for: "interactiveMs")
        if let initialDisplay { document.write(milliseconds: initialDisplay, for: "initialDisplayMs") }
        if let process { document.write(milliseconds: process, for: "processMs") }
        if missedMilestone { document.write(true, for: "missedMilestone") }
    }

    fileprivate init(_ document: DocumentReader) throws {
        outcome = try document.word("outcome")
        isMet = try document.isMet()
        measured = try document.duration("measuredMs")
        makespan = try document.duration("makespanMs")
        interactive = try document.duration("interactiveMs")
        initialDisplay = try document.optionalDuration("initialDisplayMs")
        process = try document.optionalDuration("processMs")
        missedMilestone = try document.optionalFlag("missedMilestone") ?? false
    }
}

extension BenchedOperation {
    fileprivate func writeMembers(to document: inout JSONWriter, median: Double?) {
        document.write(id, for: "id")
        document.write(nanoseconds: median, for: "medianMs")
        document.write(criticalRuns, for: "criticalRuns")
        if let dependencies { document.write(dependencies, for: "after") }
        if let outcomes { document.writeObject(for: "outcomes") { outcomes.writeMembers(to: &$0) } }
        document.writeArray(for: "durationsMs") { array in
            for duration in durations { array.write(milliseconds: duration, for: nil) }
        }
    }

    fileprivate init(_ document: DocumentReader, runs: Int) throws {
        id = try document.string("id")
        criticalRuns = try document.count("criticalRuns")
        dependencies = try document.optionalStrings("after")
        outcomes = try document.optionalObject("outcomes").map(OutcomeCounts.init)
        durations = try document.optionalDurations("durationsMs")
        if durations.count == runs { return }
        throw document.error("durationsMs", "expected a duration for each of \(runs) runs, found \(durations.count)")
    }
}

extension OutcomeCounts {
    func writeMembers(to document: inout JSONWriter) {
        for (outcome, count) in all { document.write(count, for: outcome.rawValue) }
        // One that was never there has no keys.
        if absences > 0, total > 0 { document.write(absences, for: "absent") }
    }

    fileprivate init(_ document: DocumentReader) throws {
        self.init()
        for outcome in Outcome.allCases { add(outcome, try document.optionalCount(outcome.rawValue) ?? 0) }
    }
}

/// The place of the first name that another one before it equals.
private func firstRepetition(_ names: [String]) -> Int? {
    // The second of the two, for that is the one to remove.
    var seen: Set<String> = []
    return names.firstIndex { !seen.insert($0).inserted }
}

extension DocumentReader {
    func isMet() throws -> Bool { try word("verdict", of: ["pass", "fail"]) == "pass" }

    /// One word out of a few, each spelled exactly.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String) throws -> Word {
        let text = try string(key)
        guard let word = Word(rawValue: text) else {
            throw error(key, unknownWord(text, called: key, among: Word.allCases.map(\.rawValue)))
        }
        return word
    }
}

extension BenchSummary {
    fileprivate func writeMembers(to document: inout JSONWriter) {
        document.write(count(of: .completed), for: "completed")
        if missedMilestones > 0 { document.write(missedMilestones, for: "missedMilestone") }
        document.write(nanoseconds: [
            "medianMs": sample?.median, "madMs": sample?.medianAbsoluteDeviation, "medianLowerMs": interval?.lower,
            "medianUpperMs": interval?.upper, "minMs": sample?.minimum, "p90Ms": sample?.nearestRank(90), "maxMs": sample?.maximum,
        ])
        if let outliers {
            document.writeArray(for: "outlierRuns") { array in
                for outlier in outliers { array.write(outlier.run, for: nil) }
            }
        } else {
            document.write(decimal: nil, for: "outlierRuns")
        }
        modes?.write(to: &document, for: "modes")
        if let initialDisplay { document.write(nanoseconds: initialDisplay.median, for: "initialDisplayMs") }
        document.write(misses, for: "budgetMisses")
        document.write(decimal: missBound, for: "missRateUpperBound")
    }
}

extension TwoModes {
    fileprivate func write(to document: inout JSONWriter, for key: String) {
        document.writeObjects([lower, upper], for: key) { document, mode in
            document.write(mode.count, for: "runs")
            document.write(nanoseconds: ["medianMs": mode.median, "madMs": mode.medianAbsoluteDeviation])
        }
    }
}

// MARK: - Comparisons

extension BenchComparison {
    static let schema = "sequencer.comparison/1"

    /// Comparisons as JSON, in the format `sequencer.comparison/1`, described by `Schemas/comparison.schema.json`.
    ///
    /// - Parameter clock: the one of all benches.
    static func json(_ comparisons: [BenchComparison], clock: ClockMode = .wall) -> String {
        JSONWriter.document(schema) { json in
            if clock == .virtual { Grounds.virtualTime.write(to: &json) }
            json.writeObjects(comparisons, for: "comparisons") { json, comparison in comparison.write(to: &json) }
        }
    }

    fileprivate func write(to json: inout JSONWriter) {
        json.write(before.scenario.name, for: "before")
        json.write(after.scenario.name, for: "after")
        json.write(verdict.rawValue, for: "verdict")
        json.write(decimal: threshold, for: "threshold")
        // A count for each way to end, for a comparison of medians says nothing of the runs that have none.
        for (summary, key) in [(before, "beforeRuns"), (after, "afterRuns")] {
            json.writeObject(for: key) { json in
                for (outcome, count) in summary.outcomes { json.write(count, for: outcome.rawValue) }
            }
        }
        if withoutOutcomes != nil { json.write(false, for: "outcomesKnown") }
        if let milestones = ends.milestones {
            json.writeObject(for: "milestones") { json in
                if let id = milestones.before { json.write(id, for: "before") }
                if let id = milestones.after { json.write(id, for: "after") }
            }
        }
        if !ends.unknown.before.isEmpty { json.write(ends.unknown.before, for: "unknownBefore") }
        if !ends.unknown.after.isEmpty { json.write(ends.unknown.after, for: "unknownAfter") }
        if let missed = ends.missedMilestone { json.write(missed.id, for: "missedMilestone") }
        if !ends.outcomes.isEmpty {
            json.writeObjects(ends.outcomes, for: "outcomes") { json, change in
                json.write(change.id, for: "id")
                json.writeObject(for: "before") { change.before.writeMembers(to: &$0) }
                json.writeObject(for: "after") { change.after.writeMembers(to: &$0) }
                json.write(change.isCertain, for: "certain")
            }
        }
        if let gap {
            json.writeObject(for: "apart") { json in
                json.write(decimals: ["askedThreshold": askedThreshold, "seconds": gap.seconds, "loadRatio": gap.loadRatio])
                // Without a trend there is nothing to explain.
                if drift > 1 { json.write(decimal: drift, for: "drift") }
            }
        }
        json.write(nanoseconds: ["beforeMs": before.sample?.median, "afterMs": after.sample?.median])
        if let displays = initialDisplays {
            json.writeObject(for: "initialDisplay") { $0.write(nanoseconds: ["beforeMs": displays.before, "afterMs": displays.after]) }
        }
        json.write(decimals: [
            "change": change, "changeLower": interval?.lower, "changeUpper": interval?.upper, "u": test?.u, "p": test?.p,
        ])
        if let runsNeeded { json.write(runsNeeded, for: "runsNeeded") }
        if before.modes != nil || after.modes != nil { json.writeObject(for: "modes") { json in writeModes(to: &json) } }
        json.writeObjects(operations, for: "operations") { json, operation in
            json.write(operation.id, for: "id")
            json.write(nanoseconds: ["beforeMs": operation.before, "afterMs": operation.after, "differenceMs": operation.difference])
            json.write(decimal: operation.p, for: "p")
            if let p = operation.adjustedP { json.write(decimal: p, for: "adjustedP") }
            if let share = operation.accountsFor { json.write(nanoseconds: share, for: "accountsForMs") }
            json.write(operation.isCritical, for: "critical")
        }
        guard let moved = criticalPathMove else { return }
        json.writeObject(for: "criticalPathMoved") { json in
            json.write(moved.from, for: "from")
            json.write(moved.to, for: "to")
        }
    }

    private func writeModes(to json: inout JSONWriter) {
        before.modes?.write(to: &json, for: "before")
        after.modes?.write(to: &json, for: "after")
        guard let modes else { return }
        json.write(decimals: ["changeLower": modes.interval.lower, "changeUpper": modes.interval.upper, "p": modes.p])
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
        let lines = document.scenarios.flatMap { elements(BenchSummary($0)) }
        // An empty array is written by hand, as the lines are joined by hand.
        return lines.isEmpty ? "[]\n" : "[\n  \(lines.joined(separator: ",\n  "))\n]\n"
    }

    private func elements(_ summary: BenchSummary) -> [String] {
        // The action's format has no value for a missing time.
        guard let sample = summary.sample else { return [] }
        let name = summary.scenario.name
        let runs = summary.scenario.runs.count
        let budget = "\(summary.misses) of \(runs) runs over the budget of \(summary.scenario.budgetText())"
        let trouble = summary.scenario.trouble, grounds = document.clock == .virtual ? [Grounds.virtualTime.text] : []
        let unknown = summary.scenario.unknownTimes
        let doubt = unknown.operations.isEmpty ? [] : [(unknown.tellNothing ? "unknown: " : "") + unknown.text()]
        let missed = summary.missedMilestonesText.map { [$0] } ?? []
        let extra = [budget] + missed + doubt + (trouble.isEmpty ? [] : [VerdictText.list(trouble)]) + grounds
        return [element(name, sample, extra.joined(separator: "; "))]
            + summary.operations.prefix(Self.maximumOperations).map { operation in
                element("\(name): \(operation.id)", operation.sample, operation.isCritical ? "on the critical path" : "")
            }
    }

    private func element(_ name: String, _ sample: SortedSample, _ extra: String) -> String {
        JSONWriter.object(pretty: false) { json in
            json.write(name, for: "name")
            json.write("ms", for: "unit")
            json.write(milliseconds: .nearest(nanoseconds: sample.median), for: "value")
            // A number of the value's unit: the action reads it as one, and converts it with the value.
            if let deviation = sample.medianAbsoluteDeviation {
                json.write("± \(Duration.nearest(nanoseconds: deviation).milliseconds)", for: "range")
            }
            if !extra.isEmpty { json.write(extra, for: "extra") }
        }
    }
}
