/// The arguments of `verify`.
struct VerifyArguments: Equatable, Sendable {
    var scenario: String
    var common = CommonArguments()
}

extension PositionalDeclaration {
    static let scenario = PositionalDeclaration(name: "SCENARIO", isRequired: true, help: "A built-in scenario, a scenario file, or '-'.")
}

extension CommandDeclaration {
    static let verify = CommandDeclaration(
        name: "verify",
        summary: "Find mistakes in a scenario: cycles, unknown names, implied dependencies, a budget out of reach.",
        positionals: [.scenario],
        options: CommonArguments.options,
        examples: [
            CommandExample(line: "verify launch.json", effect: "Check a scenario file."),
            CommandExample(line: "verify - < launch.json", effect: "Check one from standard input."),
        ]
    ) { arguments throws(UsageError) in
        .verify(VerifyArguments(scenario: try arguments.required(0), common: try CommonArguments(arguments)))
    }
}
