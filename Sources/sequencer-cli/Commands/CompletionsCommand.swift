import StartupOps

/// `completions`: what makes a shell complete command lines.
struct CompletionsCommand {
    private let arguments: CompletionsArguments

    init(_ arguments: CompletionsArguments) {
        self.arguments = arguments
    }

    func run() throws -> ExitCode {
        let text = CompletionsText(commands: CommandDeclaration.all, scenarios: Scenario.all.map(\.name))
        try Output(arguments.common.output).write(text.text(for: arguments.shell))
        return .success
    }
}
