/// An option of a command. Its declaration is all there is to write: parsing, checks and help follow from it.
struct OptionDeclaration: Sendable {
    enum Kind: Equatable, Sendable {
        /// It is there or it is not.
        case flag
        /// It has a value, which help calls by this name.
        case value(String)
        /// It has a value and may be given more than once.
        case repeated(String)
    }

    /// The long name without its dashes.
    let name: String
    let short: Character?
    let kind: Kind
    let help: String
    /// The values there are, where there are few.
    let words: [String]

    init(_ name: String, short: Character? = nil, _ kind: Kind, words: [String] = [], help: String) {
        self.name = name
        self.short = short
        self.kind = kind
        self.words = words
        self.help = help
    }

    /// Whether a word follows it.
    var takesValue: Bool { kind != .flag }

    /// Whether that word names a file or a folder.
    var takesFile: Bool {
        switch kind {
        case .flag: false
        case .value(let name), .repeated(let name): name.contains("FILE") || name.contains("DIR")
        }
    }

    /// How a person writes the option, `-o, --output FILE`.
    var spelling: String {
        let names = (short.map { "-\($0), " } ?? "    ") + "--" + name
        switch kind {
        case .flag: return names
        case .value(let value), .repeated(let value): return names + " " + value
        }
    }
}

/// An argument that is known by its place.
struct PositionalDeclaration: Sendable {
    let name: String
    let isRequired: Bool
    let help: String

    var spelling: String { isRequired ? name : "[\(name)]" }
}

/// A line to try, and what it does.
struct CommandExample: Sendable {
    let line: String
    let effect: String
}

/// A command: what it accepts, what help says of it, and how its arguments become a value.
///
/// A new command is one of these, added to ``CommandDeclaration/all``.
struct CommandDeclaration: Sendable {
    let name: String
    let summary: String
    var positionals: [PositionalDeclaration] = []
    var options: [OptionDeclaration] = []
    let examples: [CommandExample]
    /// What signals do to it: each with its effect.
    var signals: [CommandExample] = []
    let value: @Sendable (ScannedArguments) throws(UsageError) -> ParsedCommand

    static let all: [CommandDeclaration] = [
        .run, .plan, .graph, .verify, .blame, .criticalChain, .bench, .compare, .report, .stats, .explain, .scenarios, .completions, .help,
    ]

    /// What every command understands; its own options come first in help.
    static let helpOption = OptionDeclaration("help", short: "h", .flag, help: "Show this help.")

    var allOptions: [OptionDeclaration] { options + [CommandDeclaration.helpOption] }

    static func named(_ name: String) throws(UsageError) -> CommandDeclaration {
        if let command = all.first(where: { $0.name == name }) { return command }
        throw UsageError("unknown command \(quoted(name)); \(suggestion(for: name, in: all.map(\.name)))")
    }
}
