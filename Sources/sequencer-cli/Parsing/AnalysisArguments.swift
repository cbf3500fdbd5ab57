/// The arguments of `blame` and `critical-chain`.
struct AnalysisArguments: Equatable, Sendable {
    /// A saved report, a built-in scenario, a scenario file, or `-`.
    var source: String
    var common = CommonArguments()
}

extension PositionalDeclaration {
    static let source = PositionalDeclaration(
        name: "SOURCE",
        isRequired: true,
        help: "A saved report, a built-in scenario, a scenario file, or '-'."
    )
}

extension CommandDeclaration {
    static let blame = CommandDeclaration(
        name: "blame",
        summary: "Show where the time of a launch went: what took longest, what waited, what shortening it would gain.",
        positionals: [.source],
        options: CommonArguments.options,
        examples: [
            CommandExample(line: "blame report.json", effect: "Look into a report that 'run --json' wrote."),
            CommandExample(line: "blame regular", effect: "Run a scenario in virtual time, and look into that."),
        ]
    ) { arguments throws(UsageError) in
        .blame(AnalysisArguments(source: try arguments.required(0), common: try CommonArguments(arguments)))
    }

    static let criticalChain = CommandDeclaration(
        name: "critical-chain",
        summary: "Show the operations that made a launch end when it did, from its end back to its beginning.",
        positionals: [.source],
        options: CommonArguments.options,
        examples: [
            CommandExample(line: "critical-chain report.json", effect: "See what to shorten first."),
            CommandExample(line: "critical-chain regular --json", effect: "The same of a scenario, for a program."),
        ]
    ) { arguments throws(UsageError) in
        .criticalChain(AnalysisArguments(source: try arguments.required(0), common: try CommonArguments(arguments)))
    }
}
