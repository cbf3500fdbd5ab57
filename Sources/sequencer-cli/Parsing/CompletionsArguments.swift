/// A shell that completions are written for.
enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// The arguments of `completions`.
struct CompletionsArguments: Equatable, Sendable {
    var shell: Shell
    var common = CommonArguments()
}

extension CommandDeclaration {
    static let completions = CommandDeclaration(
        name: "completions",
        summary: "Print what makes a shell complete commands, options and scenarios.",
        positionals: [PositionalDeclaration(name: "SHELL", isRequired: true, help: "bash, zsh or fish.")],
        options: [CommonArguments.outputOption],
        examples: [
            CommandExample(line: "completions bash -o /etc/bash_completion.d/sequencer-cli", effect: "Install them for bash."),
            CommandExample(line: "completions zsh -o ~/.zfunc/_sequencer-cli", effect: "For zsh, in a folder of its fpath."),
            CommandExample(line: "completions fish -o ~/.config/fish/completions/sequencer-cli.fish", effect: "For fish."),
        ]
    ) { arguments throws(UsageError) in
        let name = try arguments.required(0)
        guard let shell = Shell(rawValue: name) else {
            throw arguments.failure(unknownWord(name, called: "shell", among: Shell.allCases.map(\.rawValue)))
        }
        return .completions(CompletionsArguments(shell: shell, common: try CommonArguments(arguments)))
    }
}
