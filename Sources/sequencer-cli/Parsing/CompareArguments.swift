/// The arguments of `compare`.
struct CompareArguments: Equatable, Sendable {
    /// The saved bench that was first.
    var before: String
    /// The one that came later.
    var after: String
    var verdict = VerdictArguments()
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let compare = CommandDeclaration(
        name: "compare",
        summary: "Compare two saved benches: the verdict, and which operations moved it.",
        positionals: [
            PositionalDeclaration(name: "BEFORE", isRequired: true, help: "A bench that 'bench --save' wrote, or '-'."),
            PositionalDeclaration(name: "AFTER", isRequired: true, help: "A later one."),
        ],
        options: VerdictArguments.options + CommonArguments.options,
        examples: [
            CommandExample(line: "compare main.json branch.json", effect: "Exit with 4 when the branch is slower."),
            CommandExample(line: "compare main.json branch.json --threshold 2% --strict", effect: "Be severe."),
        ]
    ) { arguments throws(UsageError) in
        let compare = CompareArguments(
            before: try arguments.required(0),
            after: try arguments.required(1),
            verdict: try VerdictArguments(arguments),
            common: try CommonArguments(arguments)
        )
        if compare.before == "-", compare.after == "-" { throw arguments.failure("standard input ('-') can be read only once") }
        return .compare(compare)
    }
}
