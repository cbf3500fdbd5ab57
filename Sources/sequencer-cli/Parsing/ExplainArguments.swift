/// The arguments of `explain`.
struct ExplainArguments: Equatable, Sendable {
    /// The folder of what the app remembers between launches; nil is the user's own.
    var state: String?
    /// How many launches are told of, at the most.
    var last = ExplainArguments.defaultLast
    var common = CommonArguments()

    static let defaultLast = 10
}

extension CommandDeclaration {
    static let explain = CommandDeclaration(
        name: "explain",
        summary: "Say how the last launches ended and where, and what the next one leaves out because of that.",
        options: [
            OptionDeclaration(
                "state",
                .value("DIR"),
                help: "Look at the launches of 'run --state DIR' (default: the user's state folder)."
            ),
            OptionDeclaration("last", .value("N"), help: "Show N launches, 1 to 50 (default: \(ExplainArguments.defaultLast))."),
        ] + CommonArguments.options,
        examples: [
            CommandExample(line: "explain", effect: "Say how the last launches ended."),
            CommandExample(
                line: "explain --state device --json",
                effect: "Say it as JSON, for launches that keep their state in 'device'."
            ),
        ]
    ) { arguments throws(UsageError) in
        .explain(
            ExplainArguments(
                state: arguments.text("state"),
                last: try arguments.integer("last", in: 1...50) ?? ExplainArguments.defaultLast,
                common: try CommonArguments(arguments)
            )
        )
    }
}
