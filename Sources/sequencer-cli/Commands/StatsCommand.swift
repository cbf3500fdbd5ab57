import Foundation
import Sequencer
import SequencerAnalysis

/// `stats`: sums up the launches of files of reports, in any layout, however long they are.
struct StatsCommand: ResultCommand {
    static let name = "stats"
    static let summary = "Sum up the reports of many launches: percentiles, budget misses, crash and abort rates."
    static let ownArguments: [CommandArgument<Self>] = [
        .positional("FILE", isRepeated: true) { $0.inputs.append($1) }
            .help(
                "Reports and crashes, also gzipped, or '-'; several files are one ('compare' compares two). "
                    + "Beyond a million: Examples/Fleet."
            ),
        .value("by", "KEY", \.keys, words: ["operation"], read: StatsKeys.parse)
            .help(
                "Sum up the times of operations, too (operation), or by the value of an attribute (its name); "
                    + "both with a comma."
            ),
    ]
    static let resultOptions = CommonArguments.workingOptions
    static let examples: KeyValuePairs = [
        "stats launches.jsonl": "Sum up a file.",
        "stats launches/*.jsonl": "Sum up the files of many machines.",
        "stats launches.jsonl --by operation": "See which operations take long.",
        "stats launches.jsonl --by os.version": "Sum up each version of the system by itself.",
        "stats - --json < launches.jsonl": "Sum up standard input, as JSON.",
    ]
    static let exitCodes: KeyValuePairs = [
        "0": "Reports could be read, or there was no line. "
            + "How launches ended is in the result, and changes no exit code.",
        "65": "There were lines, and not one could be read.",
    ]

    /// Files of reports; one may be `-`.
    var inputs: [String] = []
    var keys = StatsKeys()
    var common = CommonArguments()

    mutating func check() throws(UsageError) {
        if inputs.count(where: isStandardInput) > 1 { throw Self.failure("standard input ('-') can be read only once") }
    }

    func run(_ page: ResultPage) throws -> ExitCode {
        let name = inputs.count == 1 ? inputName(inputs[0]) : "\(inputs.count) files"
        var summary = StatsSummary(name: name, attribute: keys.attribute)
        for input in inputs { try read(input, into: &summary) }
        let groups = summary.statistics.sortedGroups
        // A slip in the name would otherwise look like launches that are all alike.
        if let attribute = keys.attribute, !groups.isEmpty, groups.allSatisfy({ $0.key.attribute == nil }) {
            message("no report has the attribute \(quoted(attribute))")
        }
        try page.write(
            json: summary.json,
            text: fitted(StatsText(summary: summary, style: page.style).text, to: page.output.width)
        )
        // Without a single valid line, this was another kind of file.
        return summary.brokenLines > 0 && groups.isEmpty ? .badData : .success
    }

    private func read(_ input: String, into summary: inout StatsSummary) throws {
        let plain = try PlainInput(input)
        defer { plain.close() }
        let progress = ProgressLine.begin("stats", reading: input, inLines: common.showsProgress)
        var file = LaunchFile(name: inputName(input), keys: keys)
        try file.read(into: &summary.statistics) { buffer in
            try plain.fill(buffer)
        } didRead: { file in
            // The size of a pipe is unknown: then only bytes and lines are told.
            progress?.update(fraction: plain.fraction, detail: "\(plain.total / 1_000_000) MB, \(file.lines) lines")
        }
        summary.lines += file.lines
        summary.brokenLines += file.brokenLines
        for mistake in file.mistakes { message(mistake.description) }
    }
}
