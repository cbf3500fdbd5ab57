/// The arguments of `stats`.
struct StatsArguments: Equatable, Sendable {
    /// A file of JSON lines, or `-`.
    var input: String
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let stats = CommandDeclaration(
        name: "stats",
        summary: "Sum up the reports of many launches, one a line: percentiles, budget misses, crash and abort rates.",
        positionals: [
            PositionalDeclaration(name: "FILE", isRequired: true, help: "JSON lines of reports and crashes, of any size, or '-'.")
        ],
        options: CommonArguments.options,
        examples: [
            CommandExample(line: "stats launches.jsonl", effect: "Sum up a file."),
            CommandExample(line: "stats - --json < launches.jsonl", effect: "Sum up standard input, as JSON."),
        ]
    ) { arguments throws(UsageError) in
        .stats(StatsArguments(input: try arguments.required(0), common: try CommonArguments(arguments)))
    }
}
