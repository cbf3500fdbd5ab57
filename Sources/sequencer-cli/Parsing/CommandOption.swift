import Sequencer

/// An option as it is written and explained.
struct OptionDeclaration: Sendable {
    /// The long name without its dashes.
    let name: String
    var short: Character?
    /// The name that help gives the option's value; nil for a flag, which is there or is not.
    var value: String?
    /// Whether it may be given more than once.
    var isRepeated = false
    /// The values to choose from; empty where any value may be right.
    var words: [String] = []
    let help: String

    /// Every command has this option; its own options come first in help.
    static let help = OptionDeclaration(name: "help", short: "h", help: "Show this help.")

    /// How a person writes the option, `-o, --output FILE`.
    var spelling: String {
        // Long names stand below each other, whether there is a short one or not.
        (short.map { "-\($0), " } ?? "    ") + "--" + name + (value.map { " " + $0 } ?? "")
    }

    /// Whether a word of a command line is this option.
    func isSpelled(_ word: String) -> Bool { word == "--" + name || word == short.map { "-\($0)" } }
}

/// An argument that is known by its place.
struct PositionalDeclaration: Sendable {
    let name: String
    let isRequired: Bool
    /// Whether it takes all further words, too; only the last one may.
    var isRepeated = false
    let help: String

    var spelling: String { (isRequired ? name : "[\(name)]") + (isRepeated ? "..." : "") }
}

// MARK: - Where values go

/// An option of a command, with the place in the command that its value is stored in.
///
/// This is the only declaration of an option: parsing, its checks, help and completions follow from it.
///
/// ```swift
/// .text("state", "DIR", help: "Keep what the app remembers in DIR.") { $0.state = $1 }
/// ```
struct CommandOption<Root>: Sendable {
    typealias Setter<Value> = @Sendable (inout Root, Value) -> Void

    let declaration: OptionDeclaration
    /// Reads the texts that were given, none for a flag, and stores their value.
    let store: @Sendable (inout Root, [String]) throws -> Void

    /// The same option of a command that holds `Root` as one of its parts.
    func of<Whole>(_ part: WritableKeyPath<Whole, Root> & Sendable) -> CommandOption<Whole> {
        CommandOption<Whole>(declaration: declaration) { whole, texts in try store(&whole[keyPath: part], texts) }
    }

    static func flag(_ name: String, help: String, set: @escaping @Sendable (inout Root) -> Void) -> Self {
        Self(declaration: OptionDeclaration(name: name, help: help)) { root, _ in set(&root) }
    }

    /// An option with one value, which `read` makes of its text.
    static func value<Value>(
        _ name: String,
        short: Character? = nil,
        _ value: String,
        words: [String] = [],
        help: String,
        read: @escaping @Sendable (String) throws -> Value,
        set: @escaping Setter<Value>
    ) -> Self {
        Self(declaration: OptionDeclaration(name: name, short: short, value: value, words: words, help: help)) { root, texts in
            // Once at most: the scanner refuses an option that is given twice.
            for text in texts { set(&root, try read(text)) }
        }
    }

    /// An option that may be given more than once; `store` reads all its texts, in the order in which they were given.
    static func repeated(
        _ name: String,
        _ value: String,
        help: String,
        store: @escaping @Sendable (inout Root, [String]) throws -> Void
    ) -> Self {
        Self(declaration: OptionDeclaration(name: name, value: value, isRepeated: true, help: help), store: store)
    }

    static func text(_ name: String, short: Character? = nil, _ value: String, help: String, set: @escaping Setter<String>) -> Self {
        Self.value(name, short: short, value, help: help, read: { $0 }, set: set)
    }

    static func integer(_ name: String, _ value: String, in range: ClosedRange<Int>, help: String, set: @escaping Setter<Int>) -> Self {
        Self.value(name, value, help: help, read: { try parseInteger($0, in: range) }, set: set)
    }

    /// An option whose value is one word out of a few.
    ///
    /// - Parameter hints: the answers to words that people expect there, such as those of another command.
    static func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ value: String,
        _ words: Word.Type,
        help: String,
        hints: [String: String] = [:],
        set: @escaping Setter<Word>
    ) -> Self {
        let read: @Sendable (String) throws -> Word = { text in
            if let hint = hints[text] { throw ValueError(message: "unknown value \(quoted(text)); \(hint)") }
            return try parseWord(text, words, called: "value")
        }
        return Self.value(name, value, words: Word.allCases.map(\.rawValue), help: help, read: read, set: set)
    }
}

/// A positional argument of a command, with the place in the command that its word is stored in; `store` is called with
/// each word of a repeated one.
struct CommandPositional<Root>: Sendable {
    let declaration: PositionalDeclaration
    let store: @Sendable (inout Root, String) throws -> Void

    init(
        _ name: String,
        isRequired: Bool = true,
        isRepeated: Bool = false,
        help: String,
        store: @escaping @Sendable (inout Root, String) throws -> Void
    ) {
        declaration = PositionalDeclaration(name: name, isRequired: isRequired, isRepeated: isRepeated, help: help)
        self.store = store
    }
}

/// The words of a command line sorted into options and positionals as its command declares them, values still text.
struct ScannedArguments: Sendable {
    /// The texts of each option that was given, in the order in which they were given; none for a flag.
    private(set) var values: [String: [String]] = [:]
    private(set) var positionals: [String] = []
    private let command: String
    private let declared: [PositionalDeclaration]
    private let options: [OptionDeclaration]

    init(
        _ arguments: ArraySlice<String>,
        of command: String,
        _ declared: [PositionalDeclaration],
        _ options: [OptionDeclaration]
    ) throws(UsageError) {
        (self.command, self.declared, self.options) = (command, declared, options)
        var rest = arguments
        // By words and not by characters: the shell has taken quotes away already.
        while let word = rest.popFirst() {
            if word == "--" {
                // Behind it every word is an argument, even one that begins with a dash (POSIX, guideline 10).
                for word in rest { try add(positional: word) }
                break
            } else if word.hasPrefix("--") {
                // Only the first sign divides: a value may hold more of them.
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                try add(optionSpelled: parts[0], attached: parts.count > 1 ? parts[1] : nil, word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                // The rest of the word is the value, as in -oFILE.
                try add(optionSpelled: String(word.prefix(2)), attached: word.count > 2 ? String(word.dropFirst(2)) : nil, word, &rest)
            } else {
                try add(positional: word)
            }
        }
        if let missing = declared.dropFirst(positionals.count).first(where: \.isRequired) {
            throw failure("the argument \(missing.name) is missing")
        }
    }

    private mutating func add(
        optionSpelled spelling: String,
        attached: String?,
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        guard let option = options.first(where: { $0.isSpelled(spelling) }) else {
            let isLong = spelling.hasPrefix("--")
            let nearest = isLong ? nearestName(to: String(spelling.dropFirst(2)), in: options.map(\.name)) : nil
            let hint = nearest.map { "did you mean '--\($0)'?" } ?? "see '--help'"
            throw failure("unknown option \(quoted(isLong ? spelling : word)); \(hint)")
        }
        let name = "option '--\(option.name)'"
        if option.value == nil, let attached { throw failure("\(name) takes no value, found \(quoted(attached))") }
        if !option.isRepeated, values[option.name] != nil { throw failure("\(name) is given twice") }
        guard let expected = option.value else { return values[option.name] = [] }
        // A word that is no option: `-` and `-1s` are values, `--json` and `-o` are not. The complaint about a negative
        // number names the range.
        let isValue = rest.first.map { !$0.hasPrefix("-") || $0 == "-" || $0.dropFirst().first?.isNumber == true } ?? false
        guard let value = attached ?? (isValue ? rest.popFirst() : nil) else { throw failure("\(name) lacks its value \(expected)") }
        // An empty variable of a script: --output "" would otherwise be a file without a name.
        if value.isEmpty { throw failure("\(name) has an empty value; expected \(expected)") }
        values[option.name, default: []].append(value)
    }

    private mutating func add(positional word: String) throws(UsageError) {
        guard let positional = positionals.count < declared.count ? declared[positionals.count] : declared.last(where: \.isRepeated) else {
            let names = declared.isEmpty ? "no arguments" : "only \(declared.map(\.name).joined(separator: " "))"
            throw failure("unexpected argument \(quoted(word)); '\(command)' takes \(names)")
        }
        if word.isEmpty { throw failure("the argument \(positional.name) is empty") }
        positionals.append(word)
    }

    private func failure(_ message: String) -> UsageError { UsageError(message, command: command) }
}
