import Foundation
import Sequencer
import SequencerAnalysis

/// `stats`: sums up the launches of files of reports, in any layout, however long they are.
struct StatsCommand: Command {
    /// The keys that times are grouped by, besides scenario, version and outcome.
    struct Keys: Equatable, Sendable {
        fileprivate static let operation = "operation"

        var hasOperations = false
        /// The name of an attribute of reports.
        var attribute: String?

        /// Reads `operation`, the name of an attribute, or both with a comma between them.
        static func parse(_ text: String) throws(ValueError) -> Keys {
            var keys = Keys()
            for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
                if word == operation, !keys.hasOperations {
                    keys.hasOperations = true
                } else if word != operation, !word.isEmpty, keys.attribute == nil {
                    keys.attribute = word
                } else {
                    throw ValueError(message: "\(quoted(text)) is not '\(operation)', the name of an attribute, or both with a comma")
                }
            }
            return keys
        }
    }

    static let name = "stats"
    static let summary = "Sum up the reports of many launches: percentiles, budget misses, crash and abort rates."
    static let positionals: [CommandPositional<Self>] = [
        .repeated(
            "FILE",
            help: "Reports and crashes of any size, also gzipped, or '-'; several files are summed up as one ('compare' compares two).",
            store: { $0.inputs.append($1) }
        )
    ]
    static let options: [CommandOption<Self>] = combined(
        [
            .value(
                "by",
                "KEY",
                words: [Keys.operation],
                help: "Sum up the times of operations, too (operation), or by the value of an attribute (its name); both with a comma.",
                read: { text throws(ValueError) in try Keys.parse(text) },
                set: { $0.keys = $1 }
            ),
            .word(
                "sketches",
                "FORMAT",
                SketchFormat.self,
                help: "Print the sketches of times in place of the summary, to be merged elsewhere: clickhouse or otlp."
            ) { $0.sketches = $1 },
            .flag("merge", help: "Read what '--sketches otlp' printed on many machines: the result is that of all their launches.") {
                $0.isMerging = true
            },
        ],
        part(CommonArguments.workingOptions, \.common)
    )
    static let examples: KeyValuePairs = [
        "stats launches.jsonl": "Sum up a file.",
        "stats launches/*.jsonl": "Sum up the files of many machines.",
        "stats launches.jsonl --by operation": "See which operations take long.",
        "stats launches.jsonl --by os.version": "Sum up each version of the system by itself.",
        "stats - --json < launches.jsonl": "Sum up standard input, as JSON.",
        "stats launches.jsonl --sketches otlp": "Histograms for OpenTelemetry or Prometheus.",
        "stats --merge sketches/*.json": "Sum up the launches of many machines by their sketches.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "Reports could be read, or there was no line. How launches ended is in the result, and changes no exit code.",
        "65": "There were lines, and not one could be read.",
    ]

    /// So many different mistakes are shown; the broken lines of the others are counted.
    private static let maximumShown = 10

    /// Files of reports; one may be `-`.
    var inputs: [String] = []
    /// Nil for launches as a whole.
    var keys: Keys?
    /// The form of the sketches; nil for a summary.
    var sketches: SketchFormat?
    /// Whether the inputs are sketches, not reports.
    var isMerging = false
    var common = CommonArguments()

    mutating func check() throws(UsageError) {
        if inputs.count(where: isStandardInput) > 1 { throw Self.failure("standard input ('-') can be read only once") }
        if sketches != nil, keys != nil { throw Self.failure("options '--by' and '--sketches' exclude each other") }
        // Sketches are of scenarios and versions alone.
        if isMerging, keys != nil { throw Self.failure("options '--by' and '--merge' exclude each other") }
        if sketches != nil, common.json { throw Self.failure("options '--json' and '--sketches' exclude each other") }
    }

    func run() throws -> ExitCode {
        let output = Output(common.output)
        try output.check()
        let summary = try isMerging ? mergedSketches() : readLines()
        let groups = summary.statistics.groups
        // A slip in the name would otherwise look like launches that are all alike.
        if let attribute = keys?.attribute, !groups.isEmpty, groups.allSatisfy({ $0.key.attribute == nil }) {
            message("no report has the attribute \(quoted(attribute))")
        }
        try output.write(text(summary, TextStyle(common.color, for: output)))
        // Without a single valid line, this was another kind of file.
        return summary.brokenLines > 0 && summary.statistics.groups.isEmpty ? .badData : .success
    }

    private func text(_ summary: LinesSummary, _ style: TextStyle) -> String {
        switch sketches {
        case .clickhouse: LaunchSketch.all(summary.statistics).map(\.clickHouseLine).joined()
        case .otlp: LaunchSketch.otlp(summary, time: Int64(Date().timeIntervalSince1970 * 1e9))
        case nil where common.json: summary.json(attribute: keys?.attribute)
        case nil: StatsText(summary: summary, style: style, name: name, attribute: keys?.attribute).text
        }
    }

    /// The name of all that is summed up.
    private var name: String { inputs.count == 1 ? inputName(inputs[0]) : "\(inputs.count) files" }

    private func newSummary() -> LinesSummary {
        LinesSummary(readsOperations: keys?.hasOperations ?? false, attribute: keys?.attribute)
    }

    private func mergedSketches() throws -> LinesSummary {
        var reader = SketchReader()
        for input in inputs {
            let file = try PlainInput(input)
            defer { file.close() }
            try ProgressBar.during("stats", reading: input) { try reader.read(file.readAll(), file: inputName(input)) }
        }
        return reader.summary
    }

    private func readLines() throws -> LinesSummary {
        var summary = newSummary()
        for input in inputs { summary.merge(try readLines(of: input)) }
        return summary
    }

    private func readLines(of input: String) throws -> LinesSummary {
        let file = try PlainInput(input)
        defer { file.close() }
        let progress = ProgressBar("stats", reading: input, inLines: common.showsProgress)
        // Also after an error.
        defer { progress?.end() }
        var summary = newSummary()
        var complaints: [LinesSummary.Complaint] = []
        try LinesReader().read(into: &summary) { buffer in
            try file.fill(buffer)
        } didRead: { summary in
            // The size of a pipe is unknown: then only bytes and lines are told.
            progress?.update(fraction: file.fraction, detail: "\(file.total / 1_000_000) MB, \(summary.lines) lines")
        } complain: { complaint in
            // By its text: a file that is wrong in one way has one complaint with a number, not a million.
            if let known = complaints.firstIndex(where: { $0.message == complaint.message }) {
                complaints[known].count += complaint.count
            } else if complaints.count < Self.maximumShown {
                complaints.append(complaint)
            }
        }
        // The bar is gone before the complaints.
        progress?.end()
        for complaint in complaints { message("\(inputName(input)):\(complaint)") }
        return summary
    }
}

/// The text of statistics, for people.
struct StatsText {
    private static let percents = [50.0, 75, 90, 95, 99]
    private static let maximumOperations = 5
    /// With fewer launches, each moves a rate by more than 5 points: they are counted instead.
    private static let leastForRate = 20

    let summary: LinesSummary
    let style: TextStyle
    let name: String
    /// The name of the attribute that has a column.
    let attribute: String?

    var text: String {
        let groups = rows
        let total = summary.statistics.total
        var head = "\(name)  \(total.launches) launches, \(total.crashes) of them crashed"
        if summary.brokenLines > 0 { head += "; " + style.yellow("\(summary.brokenLines) of \(summary.lines) lines could not be read") }
        if groups.isEmpty { return head + "\n" }
        // The error is told, since a percentile of a sketch is not a measured value.
        let error = "percentiles are within \(ShareText.brief(QuantileSketch.relativeError)) of the exact ones; "
        let bound = "the true rate of misses is below 'at most' with 95% confidence"
        let tables = [times(groups), "\n", rates(groups), operations(groups), crashes(groups)].joined()
        return head + "\n\n" + tables + "\n" + style.dim("  " + error + bound) + "\n"
    }

    private var rows: [LaunchGroup] {
        let groups = summary.statistics.sortedGroups
        // With a single group, a line for all would be the same line again.
        return groups.count > 1 ? groups + [summary.statistics.total] : groups
    }

    private func times(_ groups: [LaunchGroup]) -> String {
        var table = timesTable(by: "outcome")
        for group in groups {
            var sketches = LaunchOutcome.allCases.compactMap { outcome in group.times[outcome].map { (outcome.rawValue, $0) } }
            if group.displays.count > 0 { sketches.append(("initial display", group.displays)) }
            for (name, sketch) in sketches {
                table.add(names(group) + [name] + times(sketch))
            }
        }
        return table.text(style)
    }

    private func timesTable(by key: String) -> TextTable {
        table([key], ["launches"] + Self.percents.map { "p\(Int($0))" } + ["max"])
    }

    /// A table whose rows begin with the names of a group.
    ///
    /// - Parameters:
    ///   - texts: the columns of texts that come next.
    ///   - numbers: the columns of numbers at its end.
    private func table(_ texts: [String], _ numbers: [String]) -> TextTable {
        let leading = ["scenario", "version"] + (attribute.map { [printable($0, limit: 40)] } ?? []) + texts
        return TextTable(leading + numbers, leading: leading.count)
    }

    private func times(_ sketch: QuantileSketch) -> [String] {
        let percentiles = Self.percents.map { percent in
            SortedSample.has(percentile: percent, of: sketch.count) ? sketch.percentile(percent).map(time) ?? "" : "too few"
        }
        return ["\(sketch.count)"] + percentiles + [time(sketch.maximum)]
    }

    private func rates(_ groups: [LaunchGroup]) -> String {
        // In most files no initial display has a budget.
        let hasDisplays = groups.contains { $0.displayVerdicts.launches > 0 }
        let displays: [String] = hasDisplays ? ["initial display over its own", "at most"] : []
        var table = table([], ["over budget", "at most"] + displays + ["aborted", "failed", "cancelled", "crashed"])
        for group in groups {
            var row = names(group) + misses(group.verdicts)
            if hasDisplays { row += misses(group.displayVerdicts) }
            let counts = [LaunchOutcome.aborted, .failed, .cancelled].map(group.count) + [group.crashes]
            table.add(row + counts.map { rate($0, of: group.launches) })
        }
        return table.text(style)
    }

    private func misses(_ verdicts: BudgetVerdicts) -> [String] {
        // A bound on nothing would be 100%, which reads like a result.
        [rate(verdicts.misses, of: verdicts.launches), verdicts.launches > 0 ? ShareText.format(verdicts.bound) : ""]
    }

    /// `5.3%`, or `1 of 4` of a few; nothing of none.
    private func rate(_ count: Int, of total: Int) -> String {
        if total == 0 { return "" }
        return total < Self.leastForRate ? "\(count) of \(total)" : ShareText.format(Double(count) / Double(total))
    }

    private func operations(_ groups: [LaunchGroup]) -> String {
        var times = timesTable(by: "operation")
        let trouble = Outcome.allCases.filter { $0 != .succeeded }
        var outcomes = table(["operation"], ["launches"] + trouble.map(\.words))
        var (hasTimes, hasTrouble) = (false, false)
        for group in groups {
            for (operation, sketch) in group.sortedOperations {
                times.add(names(group) + [printable(operation, limit: 60)] + self.times(sketch))
                hasTimes = true
            }
            for (operation, counts) in group.sortedOutcomes where counts[.succeeded] < counts.total {
                let rates = trouble.map { rate(counts[$0], of: counts.total) }
                outcomes.add(names(group) + [printable(operation, limit: 60), "\(counts.total)"] + rates)
                hasTrouble = true
            }
        }
        return (hasTimes ? "\n" + times.text(style) : "") + (hasTrouble ? "\n" + outcomes.text(style) : "")
    }

    private func crashes(_ groups: [LaunchGroup]) -> String {
        let groups = groups.filter { !$0.crashesByOperation.isEmpty }
        guard !groups.isEmpty else { return "" }
        var table = table(["crashed in"], ["launches"])
        for group in groups {
            for (operation, count) in group.sortedCrashes.prefix(Self.maximumOperations) {
                table.add(names(group) + [printable(operation, limit: 60), "\(count)"])
            }
        }
        return "\n" + table.text(style)
    }

    private func names(_ group: LaunchGroup) -> [String] {
        let names = [printable(group.key.scenario, limit: 60), printable(group.key.version ?? "", limit: 40)]
        return attribute == nil ? names : names + [printable(group.key.attribute ?? "", limit: 40)]
    }

    private func time(_ milliseconds: Double) -> String {
        style.duration(.nearest(nanoseconds: milliseconds * 1e6))
    }
}

extension LaunchGroup {
    /// The operation with the longest median first.
    fileprivate var sortedOperations: [(operation: String, times: QuantileSketch)] {
        // Of two equal medians the name decides, as below.
        let medians = operations.map { (operation: $0.key, times: $0.value, median: $0.value.percentile(50) ?? 0) }
        return medians.sorted { ($1.median, $0.operation) < ($0.median, $1.operation) }.map { (operation: $0.operation, times: $0.times) }
    }

    /// The operation that succeeded least often first.
    fileprivate var sortedOutcomes: [(operation: String, counts: OutcomeCounts)] {
        func share(_ counts: OutcomeCounts) -> Double { Double(counts[.succeeded]) / Double(max(counts.total, 1)) }
        return outcomes.sorted { (share($0.value), $0.key) < (share($1.value), $1.key) }.map { ($0.key, $0.value) }
    }
}

extension LinesSummary {
    /// The summary as JSON, in the format `sequencer.stats/1`, described by `Schemas/stats.schema.json`.
    ///
    /// - Parameter attribute: the name of the attribute that launches are told apart by.
    func json(attribute: String?) -> String {
        JSONWriter.document("sequencer.stats/1") { json in
            json.write(decimal: QuantileSketch.relativeError, for: "relativeError")
            if let attribute { json.write(attribute, for: "attribute") }
            json.write(lines, for: "lines")
            json.write(brokenLines, for: "brokenLines")
            json.writeObject(for: "total") { json in statistics.total.write(to: &json) }
            json.writeObjects(statistics.sortedGroups, for: "groups") { json, group in
                json.write(group.key.scenario, for: "scenario")
                if let version = group.key.version { json.write(version, for: "version") }
                if let value = group.key.attribute { json.write(value, for: "attributeValue") }
                group.write(to: &json)
            }
        }
    }
}

extension LaunchGroup {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(launches, for: "launches")
        json.write(misses, for: "budgetMisses")
        json.write(decimal: verdicts.rate, for: "budgetMissRate")
        json.write(decimal: verdicts.bound, for: "budgetMissRateUpperBound")
        json.write(decimal: rate(of: .aborted), for: "abortRate")
        json.write(decimal: rate(of: .failed), for: "failureRate")
        json.write(decimal: rate(of: .cancelled), for: "cancelRate")
        json.write(crashes, for: "crashes")
        json.write(decimal: crashRate, for: "crashRate")
        json.writeObjects(sortedCrashes, for: "crashesByOperation") { json, crash in
            json.write(crash.operation, for: "operation")
            json.write(crash.count, for: "crashes")
        }
        let measured = LaunchOutcome.allCases.compactMap { outcome in times[outcome].map { (outcome, $0) } }
        json.writeObjects(measured, for: "outcomes") { json, pair in
            let (outcome, sketch) = pair
            json.write(outcome.rawValue, for: "outcome")
            sketch.write(to: &json)
        }
        if displays.count > 0 { json.writeObject(for: "initialDisplay") { json in displays.write(to: &json) } }
        if displayVerdicts.launches > 0 {
            json.writeObject(for: "initialDisplayBudget") { json in
                json.write(displayVerdicts.launches, for: "launches")
                json.write(displayVerdicts.misses, for: "misses")
                json.write(decimal: displayVerdicts.rate, for: "missRate")
                json.write(decimal: displayVerdicts.bound, for: "missRateUpperBound")
            }
        }
        if !operations.isEmpty {
            json.writeObjects(sortedOperations, for: "operations") { json, pair in
                json.write(pair.operation, for: "operation")
                pair.times.write(to: &json)
            }
        }
        if outcomes.isEmpty { return }
        json.writeObjects(sortedOutcomes, for: "operationOutcomes") { json, pair in
            json.write(pair.operation, for: "operation")
            json.writeObject(for: "outcomes") { pair.counts.writeMembers(to: &$0) }
        }
    }
}

extension QuantileSketch {
    fileprivate func write(to json: inout JSONWriter) {
        json.write(count, for: "launches")
        json.write(decimal: minimum, for: "minMs")
        for percent in [50, 75, 90, 95, 99] { json.write(decimal: percentile(Double(percent)), for: "p\(percent)Ms") }
        json.write(decimal: maximum, for: "maxMs")
    }
}
