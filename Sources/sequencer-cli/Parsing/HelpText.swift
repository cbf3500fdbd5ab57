/// The help pages, written from the declarations alone so that they never lie.
enum HelpText {
    static let tool = "sequencer-cli"

    /// The page for the tool as a whole.
    static var overview: String {
        let commands = CommandDeclaration.all.map { command in
            ([command.name] + command.positionals.map(\.spelling)).joined(separator: " ")
        }
        return """
            Runs launches: graphs of operations, as parallel as their dependencies allow, against a budget.

            Usage: \(tool) COMMAND [SCENARIO] [options]

            Commands:
            \(table(Array(zip(commands, CommandDeclaration.all.map(\.summary)))))

            SCENARIO is the name of a built-in one, a scenario file, or '-' for standard input.

            Options:
            \(table([("-h, --help", "Show this help."), ("    --version", "Show the version.")]))

            Examples:
            \(examples(CommandDeclaration.all.compactMap(\.examples.first)))

            See '\(tool) help COMMAND' for the options of a command.
            """
    }

    /// The page of one command.
    static func page(of command: CommandDeclaration) -> String {
        var sections = [command.summary, usage(of: command)]
        if !command.positionals.isEmpty {
            sections.append("Arguments:\n" + table(command.positionals.map { ($0.name, $0.help) }))
        }
        sections.append("Options:\n" + table(command.allOptions.map { ($0.spelling, $0.help) }))
        sections.append("Examples:\n" + examples(command.examples))
        if !command.signals.isEmpty { sections.append("Signals:\n" + table(command.signals.map { ($0.line, $0.effect) })) }
        return sections.joined(separator: "\n\n")
    }

    static func usage(of command: CommandDeclaration) -> String {
        let words = ["Usage:", tool, command.name] + command.positionals.map(\.spelling) + (command.options.isEmpty ? [] : ["[options]"])
        return words.joined(separator: " ")
    }

    /// Two aligned columns, indented; the first is as wide as its widest cell.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }.joined(separator: "\n")
    }

    private static func examples(_ examples: [CommandExample]) -> String {
        table(examples.map { ("\(tool) \($0.line)", $0.effect) })
    }
}
