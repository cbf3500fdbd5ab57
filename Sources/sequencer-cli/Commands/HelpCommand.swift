/// `help`: the page of the tool, or of a command.
struct HelpCommand: Command {
    static let name = "help"
    static let summary = "Show help for the tool or for a command."
    static let arguments: [CommandArgument<Self>] = [
        .positional("COMMAND", isRequired: false) { $0.topic = $1 }.help("The command to explain.")
    ]
    static let examples: KeyValuePairs = ["help": "List the commands.", "help run": "Explain one."]

    /// The name of a command; nil for the tool as a whole.
    var topic: String?

    func check() throws(UsageError) {
        // An unknown topic is a mistake of the line, found before anything is printed.
        if let topic { _ = try command(named: topic) }
    }

    func run() throws -> ExitCode {
        // On standard output and a success: help that was asked for can be piped into a pager.
        let output = Output(nil)
        try output.write(fitted(try text() + "\n", to: output.width))
        return .success
    }

    func text() throws(UsageError) -> String {
        try topic.map { topic throws(UsageError) in HelpText.page(of: try command(named: topic)) } ?? HelpText.overview
    }
}

/// `--version`: not a command of the list, so help names it among the options.
struct VersionCommand: Command {
    static let name = "--version"
    static let summary = "Show the version."

    func run() throws -> ExitCode {
        try Output(nil).write("\(CommandLineTool.name) \(CommandLineTool.version)\n")
        return .success
    }
}

extension UsageError {
    /// The text below the problem: the nearest valid word, the command's usage line, or the list of commands; and where
    /// to find help.
    var usage: String {
        // A word was nearly right: the whole usage would push the hint off the screen.
        if let hint { return "\(hint)\nSee '\(CommandLineTool.name) help'." }
        guard let command = Commands.all.first(where: { $0.name == command }) else { return HelpText.overview }
        return HelpText.usage(of: command) + "\nSee '\(CommandLineTool.name) help \(command.name)'."
    }
}

/// The help pages, written from the declarations alone so that they never lie.
enum HelpText {
    static let summary = "Runs launches: graphs of operations, as parallel as their dependencies allow, against a budget."
    static let scenario = "SCENARIO is the name of a built-in one, a scenario file, or '-' for standard input."
    /// The exit codes that all commands have, and their meaning.
    private static let mistakes: KeyValuePairs = [
        "64": "wrong usage", "65": "invalid input", "66": "no such input", "73": "an output that cannot be written",
    ]

    /// The page for the tool as a whole.
    static var overview: String {
        let commands = Commands.all.map { command in
            (([command.name] + command.declaredPositionals.map(\.spelling)).joined(separator: " "), command.summary)
        }
        return """
            \(summary)

            Usage: \(CommandLineTool.name) COMMAND [SCENARIO] [options]

            Commands:
            \(table(commands))

            \(scenario)

            Options:
            \(table([("-h, --help", "Show this help."), ("    --version", "Show the version.")]))

            Examples:
            \(examples(Commands.all.compactMap { $0.examples.first }))

            See '\(CommandLineTool.name) help COMMAND' for the options of a command.
            """
    }

    /// The page of one command.
    static func page(of command: any Command.Type) -> String {
        func section(_ title: String, _ rows: [(String, String)]) -> String? { rows.isEmpty ? nil : "\(title):\n" + table(rows) }

        var codes = command.exitCodes.map { ($0.key, $0.value) }
        if !codes.isEmpty {
            // Codes that the command explains itself are not printed twice.
            let others = mistakes.filter { code in !command.exitCodes.contains { $0.key == code.key } }
            let meaning = others.map(\.value).joined(separator: ", ")
            codes.append((others.map(\.key).joined(separator: ", "), meaning.prefix(1).uppercased() + meaning.dropFirst() + "."))
        }
        let sections = [
            command.summary, usage(of: command), section("Arguments", command.declaredPositionals.map { ($0.name, $0.help) }),
            section("Options", command.declaredOptions.map { ($0.spelling, $0.help) }), "Examples:\n" + examples(command.examples),
            section("Exit codes", codes), section("Signals", command.signals.map { ($0.key, $0.value) }),
        ]
        return sections.compactMap(\.self).joined(separator: "\n\n")
    }

    static func usage(of command: any Command.Type) -> String {
        // The tool's own options come with every command, and have no place in its usage.
        let words = [CommandLineTool.name, command.name] + command.declaredPositionals.map(\.spelling)
        return "Usage: " + words.joined(separator: " ") + (command.declaredOptions.count == 1 ? "" : " [options]")
    }

    /// Two aligned columns, indented; the first is as wide as its widest cell.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }.joined(separator: "\n")
    }

    private static func examples(_ examples: some Sequence<(key: String, value: String)>) -> String {
        table(examples.map { ("\(CommandLineTool.name) \($0.key)", $0.value) })
    }
}
