import Foundation
import Sequencer

/// A subcommand: its arguments, its help and its work, in one file. It is added to the tool by a line in ``Commands``.
///
/// ```swift
/// struct GraphCommand: ResultCommand {
///     static let name = "graph"
///     static let ownArguments: [CommandArgument<Self>] = [.scenario(\.scenario)]
///     ...
///     var scenario = ""
///     var common = CommonArguments()
///
///     func run(_ page: ResultPage) throws -> ExitCode { ... }
/// }
/// ```
protocol Command: Equatable, Sendable {
    static var name: String { get }
    static var summary: String { get }
    static var arguments: [CommandArgument<Self>] { get }
    /// Lines to try, each with its effect.
    static var examples: KeyValuePairs<String, String> { get }
    /// The exit codes that say something of the launch, each with its meaning; those of mistakes are the same for all
    /// commands.
    static var exitCodes: KeyValuePairs<String, String> { get }
    /// The signals that it handles, each with its effect.
    static var signals: KeyValuePairs<String, String> { get }

    /// A command with no argument given. The properties of required arguments have a value that is never used.
    init()

    /// Checks the arguments together, and sets those that follow from others.
    mutating func check() throws(UsageError)

    /// Does the work, on the main thread. The command is over when this returns.
    func run() throws -> ExitCode
}

extension Command {
    static var arguments: [CommandArgument<Self>] { [] }
    static var examples: KeyValuePairs<String, String> { [:] }
    static var exitCodes: KeyValuePairs<String, String> { [:] }
    static var signals: KeyValuePairs<String, String> { [:] }

    mutating func check() throws(UsageError) {}

    /// Reads the words after the command's name.
    init(_ words: ArraySlice<String>) throws(UsageError) {
        self.init()
        let texts = try scanArguments(words, of: Self.name, Self.declared)
        // Absent arguments store nothing: the property's own default stands.
        for argument in Self.arguments {
            let declaration = argument.declaration
            guard let texts = texts[declaration.name] else { continue }
            do { try argument.store(&self, texts) } catch {
                throw Self.failure(declaration.isPositional ? "\(error)" : "option '--\(declaration.name)': \(error)")
            }
        }
        // At the end, when all arguments have their values.
        try check()
    }

    /// Its arguments, positional ones before its options.
    static var declared: [ArgumentDeclaration] { arguments.map(\.declaration) + [.help] }
    static var declaredPositionals: [ArgumentDeclaration] { declared.filter(\.isPositional) }
    static var declaredOptions: [ArgumentDeclaration] { declared.filter { !$0.isPositional } }

    static func failure(_ message: String) -> UsageError { UsageError(message, command: name) }

    /// The arguments of a part of the command.
    static func part<Part>(
        _ arguments: [CommandArgument<Part>],
        _ part: WritableKeyPath<Self, Part> & Sendable
    ) -> [CommandArgument<Self>] {
        arguments.map { $0.of(part) }
    }

    /// Groups of arguments, in the order of help.
    static func combined(_ groups: [CommandArgument<Self>]...) -> [CommandArgument<Self>] { groups.flatMap(\.self) }

    /// The one format that `--format` and `--json` ask for together; nil where neither is given.
    static func format<Format: RawRepresentable<String> & Equatable>(
        _ format: Format?,
        _ common: CommonArguments,
        json: Format
    ) throws(UsageError) -> Format? {
        if !common.json || format == json { return format }
        guard let format else { return json }
        throw failure("options '--\(common.isInLines ? "json-lines" : "json")' and '--format \(format.rawValue)' exclude each other")
    }
}

/// A command that prints a result: its arguments end with the options for that.
protocol ResultCommand: Command {
    /// Its arguments, without the options for its result.
    static var ownArguments: [CommandArgument<Self>] { get }
    /// The options for its result: ``CommonArguments/options`` unless said otherwise.
    static var resultOptions: [CommandArgument<CommonArguments>] { get }

    var common: CommonArguments { get set }

    /// Does the work, on the main thread. It is not called where the result could not be written.
    func run(_ page: ResultPage) throws -> ExitCode
}

extension ResultCommand {
    static var ownArguments: [CommandArgument<Self>] { [] }
    static var resultOptions: [CommandArgument<CommonArguments>] { CommonArguments.options }
    static var arguments: [CommandArgument<Self>] { ownArguments + part(resultOptions, \.common) }

    func run() throws -> ExitCode { try run(ResultPage(common)) }
}

/// A command that runs launches. They need the main thread for their steps on it, so the work continues beside a run
/// loop.
protocol LaunchingCommand: ResultCommand {
    /// The clock of its launches; virtual unless said otherwise.
    var clock: ClockMode { get }

    func launch(_ page: ResultPage) async throws -> ExitCode
}

extension LaunchingCommand {
    var clock: ClockMode { .virtual }

    func run(_ page: ResultPage) throws -> ExitCode {
        try CommandLineTool.runBesideMainLoop(clock) { try await launch(page) }
    }
}

enum Commands {
    /// All commands, in the order of help.
    static let all: [any Command.Type] = [
        RunCommand.self, PlanCommand.self, GraphCommand.self, VerifyCommand.self, ExploreCommand.self, BlameCommand.self,
        CriticalChainCommand.self, BenchCommand.self, CompareCommand.self, ReportCommand.self, ImportCommand.self, StatsCommand.self,
        ExplainCommand.self, ScenariosCommand.self, CompletionsCommand.self, HelpCommand.self,
    ]
}

/// Reads the words of a command line, without the name of the program.
///
/// Help is given wherever it is asked for, even among mistakes: a user in doubt adds `--help` to an unfinished line.
func parseArguments(_ arguments: [String]) throws(UsageError) -> any Command {
    guard let first = arguments.first else { throw UsageError("a command is missing") }
    let rest = arguments.dropFirst()
    switch first {
    case "-h", "--help": return HelpCommand()
    case "--version": return VersionCommand()
    case CompleteCommand.name: return CompleteCommand(words: Array(rest))
    // A dash alone is standard input, and so a missing command, not an option.
    case _ where first.hasPrefix("-") && first != "-":
        // An option that exists was put in the wrong place: to call it unknown would be wrong.
        if Commands.all.contains(where: { $0.declaredOptions.contains { $0.isSpelled(first) } }) {
            throw UsageError("expected a command before the option \(quoted(first))")
        }
        throw UsageError("unknown option \(quoted(first))", hint: suggestion(for: first, in: ["--help", "--version"]))
    default:
        let command = try command(named: first)
        // Not behind `--`, where every word is an argument.
        if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) { return HelpCommand(topic: first) }
        return try command.init(rest)
    }
}

func command(named name: String) throws(UsageError) -> any Command.Type {
    if let command = Commands.all.first(where: { $0.name == name }) { return command }
    throw UsageError("unknown command \(quoted(name))", hint: suggestion(for: name, in: Commands.all.map { $0.name }))
}
