/// What a command line asks for.
enum ParsedCommand: Equatable, Sendable {
    case run(RunArguments)
    case graph(GraphArguments)
    case plan(PlanArguments)
    case verify(VerifyArguments)
    case blame(AnalysisArguments)
    case criticalChain(AnalysisArguments)
    case report(ReportArguments)
    case completions(CompletionsArguments)
    case bench(BenchArguments)
    case compare(CompareArguments)
    case stats(StatsArguments)
    case scenarios(ScenariosArguments)
    case explain(ExplainArguments)
    /// Print this text on standard output; that is a success.
    case help(String)
    case version
}

/// A command line that asks for nothing that exists.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let message: String
    /// The command whose arguments are wrong, nil when it is the command itself.
    let command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    var description: String { message }

    /// What to show below the message: the command's usage line, or the list of commands.
    var usage: String {
        guard let command = CommandDeclaration.all.first(where: { $0.name == command }) else { return HelpText.overview }
        return HelpText.usage(of: command) + "\nSee '\(HelpText.tool) help \(command.name)'."
    }
}

/// Reads the words of a command line, without the name of the program.
///
/// Help is given wherever it is asked for, even among mistakes: a person in doubt adds `--help` to what is there already.
func parseArguments(_ arguments: [String]) throws(UsageError) -> ParsedCommand {
    guard let first = arguments.first else { throw UsageError("a command is missing") }
    switch first {
    case "-h", "--help": return .help(HelpText.overview)
    case "--version": return .version
    default: break
    }
    if first.hasPrefix("-"), first != "-" {
        let known = ["--help", "--version"]
        let options = CommandDeclaration.all.flatMap(\.allOptions)
        if options.contains(where: { first == "--" + $0.name || first == $0.short.map { "-\($0)" } }) {
            throw UsageError("expected a command before the option \(quoted(first))")
        }
        throw UsageError("unknown option \(quoted(first)); \(suggestion(for: first, in: known))")
    }
    let command = try CommandDeclaration.named(first)
    let rest = arguments.dropFirst()
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) { return .help(HelpText.page(of: command)) }
    return try command.value(try ScannedArguments(rest, for: command))
}
