/// The arguments of `scenarios`.
struct ScenariosArguments: Equatable, Sendable {
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let scenarios = CommandDeclaration(
        name: "scenarios",
        summary: "List the built-in scenarios.",
        options: CommonArguments.options,
        examples: [
            CommandExample(line: "scenarios", effect: "List the built-in scenarios."),
            CommandExample(line: "scenarios --json", effect: "List them as JSON."),
        ]
    ) { arguments throws(UsageError) in
        .scenarios(ScenariosArguments(common: try CommonArguments(arguments)))
    }

    static let help = CommandDeclaration(
        name: "help",
        summary: "Show help for the tool or for a command.",
        positionals: [PositionalDeclaration(name: "COMMAND", isRequired: false, help: "The command to explain.")],
        examples: [
            CommandExample(line: "help", effect: "List the commands."),
            CommandExample(line: "help run", effect: "Explain one."),
        ]
    ) { arguments throws(UsageError) in
        guard let name = arguments.positional(0) else { return .help(HelpText.overview) }
        return .help(HelpText.page(of: try CommandDeclaration.named(name)))
    }
}
