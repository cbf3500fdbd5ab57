import Sequencer

/// A command as help, completions and the scanner of command lines see it.
struct CommandDeclaration: Sendable {
    let name: String
    let summary: String
    let positionals: [PositionalDeclaration]
    let options: [OptionDeclaration]
    /// Lines to try, each with its effect.
    let examples: KeyValuePairs<String, String>
    /// The exit codes that say something of the launch, each with its meaning.
    let exitCodes: KeyValuePairs<String, String>
    /// The signals that it handles, each with its effect.
    let signals: KeyValuePairs<String, String>

    /// Every command has this option; its own options come first in help.
    private static let helpOption = OptionDeclaration(name: "help", short: "h", help: "Show this help.")

    var allOptions: [OptionDeclaration] { options + [Self.helpOption] }
}

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

    // By the name of the value, so that help and completions cannot disagree.
    /// Whether its value names a file or a folder.
    var takesFile: Bool { value.map { $0.contains("FILE") || $0.contains("DIR") } ?? false }
    /// Whether its value begins with an operation of the scenario.
    var takesOperation: Bool { value?.hasPrefix("OP=") ?? false }

    /// How a person writes the option, `-o, --output FILE`.
    var spelling: String {
        // Long names stand below each other, whether there is a short one or not.
        (short.map { "-\($0), " } ?? "    ") + "--" + name + (value.map { " " + $0 } ?? "")
    }
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
/// .duration("budget", "TIME", help: "The time that the launch may take, such as 3s or 800ms.") { $0.budget = $1 }
/// ```
struct CommandOption<Root>: Sendable {
    let declaration: OptionDeclaration
    /// Reads the texts that were given, none for a flag, and stores their value.
    let store: @Sendable (inout Root, [String]) throws(ValueError) -> Void

    /// The same option of a command that holds `Root` as one of its parts.
    func of<Whole>(_ part: WritableKeyPath<Whole, Root> & Sendable) -> CommandOption<Whole> {
        CommandOption<Whole>(declaration: declaration) { whole, texts throws(ValueError) in try store(&whole[keyPath: part], texts) }
    }

    static func flag(_ name: String, help: String, set: @escaping @Sendable (inout Root) -> Void) -> Self {
        Self(declaration: OptionDeclaration(name: name, help: help)) { root, _ throws(ValueError) in set(&root) }
    }

    /// An option with one value, which `read` makes of its text.
    static func value<Value>(
        _ name: String,
        short: Character? = nil,
        _ value: String,
        words: [String] = [],
        help: String,
        read: @escaping @Sendable (String) throws(ValueError) -> Value,
        set: @escaping @Sendable (inout Root, Value) -> Void
    ) -> Self {
        let declaration = OptionDeclaration(name: name, short: short, value: value, words: words, help: help)
        return Self(declaration: declaration) { root, texts throws(ValueError) in
            // Once at most: the scanner refuses an option that is given twice.
            for text in texts { set(&root, try read(text)) }
        }
    }

    /// An option that may be given more than once; `read` makes a value of all its texts, in the order in which they were given.
    static func repeated<Value>(
        _ name: String,
        _ value: String,
        help: String,
        read: @escaping @Sendable ([String]) throws(ValueError) -> Value,
        set: @escaping @Sendable (inout Root, Value) -> Void
    ) -> Self {
        Self(declaration: OptionDeclaration(name: name, value: value, isRepeated: true, help: help)) { root, texts throws(ValueError) in
            set(&root, try read(texts))
        }
    }

    static func text(
        _ name: String,
        short: Character? = nil,
        _ value: String,
        help: String,
        set: @escaping @Sendable (inout Root, String) -> Void
    ) -> Self {
        Self.value(name, short: short, value, help: help, read: { text throws(ValueError) in text }, set: set)
    }

    static func duration(_ name: String, _ value: String, help: String, set: @escaping @Sendable (inout Root, Duration) -> Void) -> Self {
        Self.value(name, value, help: help, read: { text throws(ValueError) in try DurationText.parse(text) }, set: set)
    }

    static func integer(
        _ name: String,
        _ value: String,
        in range: ClosedRange<Int>,
        help: String,
        set: @escaping @Sendable (inout Root, Int) -> Void
    ) -> Self {
        let read: @Sendable (String) throws(ValueError) -> Int = { text throws(ValueError) in
            if let number = Int(text), range.contains(number) { return number }
            throw ValueError(message: "\(quoted(text)) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return Self.value(name, value, help: help, read: read, set: set)
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
        set: @escaping @Sendable (inout Root, Word) -> Void
    ) -> Self {
        let names = Word.allCases.map(\.rawValue)
        let read: @Sendable (String) throws(ValueError) -> Word = { text throws(ValueError) in
            if let word = Word(rawValue: text) { return word }
            let message = hints[text].map { "unknown value \(quoted(text)); \($0)" }
            throw ValueError(message: message ?? unknownWord(text, called: "value", among: names))
        }
        return Self.value(name, value, words: names, help: help, read: read, set: set)
    }
}

/// A positional argument of a command, with the place in the command that its word is stored in.
struct CommandPositional<Root>: Sendable {
    let declaration: PositionalDeclaration
    let store: @Sendable (inout Root, String) throws(ValueError) -> Void

    static func required(
        _ name: String,
        help: String,
        store: @escaping @Sendable (inout Root, String) throws(ValueError) -> Void
    ) -> Self {
        Self(declaration: PositionalDeclaration(name: name, isRequired: true, help: help), store: store)
    }

    /// The last one of a command, which may be given more than once; `store` is called with each of its words.
    static func repeated(_ name: String, help: String, store: @escaping @Sendable (inout Root, String) -> Void) -> Self {
        Self(declaration: PositionalDeclaration(name: name, isRequired: true, isRepeated: true, help: help)) {
            root,
            word throws(ValueError) in
            store(&root, word)
        }
    }

    static func optional(_ name: String, help: String, store: @escaping @Sendable (inout Root, String) -> Void) -> Self {
        Self(declaration: PositionalDeclaration(name: name, isRequired: false, help: help)) { root, word throws(ValueError) in
            store(&root, word)
        }
    }
}

/// The words of a command line sorted into options and positionals as its command declares them, values still text.
struct ScannedArguments: Sendable {
    /// The texts of each option that was given, in the order in which they were given; none for a flag.
    private(set) var values: [String: [String]] = [:]
    private(set) var positionals: [String] = []
    private let command: CommandDeclaration

    init(_ arguments: ArraySlice<String>, for command: CommandDeclaration) throws(UsageError) {
        self.command = command
        var rest = arguments
        // By words and not by characters: the shell has taken quotes away already.
        while let word = rest.popFirst() {
            // Behind it every word is an argument, even one that begins with a dash (POSIX, guideline 10).
            if word == "--" {
                for word in rest { try add(positional: word) }
                break
            }
            if word.hasPrefix("--") {
                // Only the first sign divides: a value may hold more of them.
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                try add(try option(named: parts[0]), attached: parts.count > 1 ? parts[1] : nil, rest: &rest)
            } else if word.hasPrefix("-"), word != "-" {
                // The rest of the word is the value, as in -oFILE.
                let attached = word.dropFirst(2)
                let option = command.allOptions.first { $0.short == word.dropFirst().first }
                guard let option else { throw failure("unknown option \(quoted(word)); see '--help'") }
                try add(option, attached: attached.isEmpty ? nil : String(attached), rest: &rest)
            } else {
                try add(positional: word)
            }
        }
        if let missing = command.positionals.dropFirst(positionals.count).first(where: \.isRequired) {
            throw failure("the argument \(missing.name) is missing")
        }
    }

    private func option(named name: String) throws(UsageError) -> OptionDeclaration {
        if let option = command.allOptions.first(where: { $0.name == name }) { return option }
        let names = command.allOptions.map(\.name)
        let hint = nearestName(to: name, in: names).map { "did you mean '--\($0)'?" } ?? "see '--help'"
        throw failure("unknown option \(quoted("--" + name)); \(hint)")
    }

    private mutating func add(_ option: OptionDeclaration, attached: String?, rest: inout ArraySlice<String>) throws(UsageError) {
        let name = "option '--\(option.name)'"
        if option.value == nil, let attached { throw failure("\(name) takes no value, found \(quoted(attached))") }
        if !option.isRepeated, values[option.name] != nil { throw failure("\(name) is given twice") }
        guard let expected = option.value else { return values[option.name] = [] }
        guard let value = attached ?? takeValue(&rest) else { throw failure("\(name) lacks its value \(expected)") }
        // An empty variable of a script: --output "" would otherwise be a file without a name.
        if value.isEmpty { throw failure("\(name) has an empty value; expected \(expected)") }
        values[option.name, default: []].append(value)
    }

    /// The next word unless it is an option: `-` and `-1s` are values, `--json` and `-o` are not.
    private func takeValue(_ rest: inout ArraySlice<String>) -> String? {
        guard let word = rest.first else { return nil }
        // A negative number is a value, so that its own complaint names the range.
        let isOption = word.hasPrefix("-") && word != "-" && !(word.dropFirst().first?.isNumber ?? false)
        return isOption ? nil : rest.popFirst()
    }

    private mutating func add(positional word: String) throws(UsageError) {
        let place = min(positionals.count, command.positionals.count - 1)
        if place < positionals.count, !(command.positionals.last?.isRepeated ?? false) {
            throw failure("unexpected argument \(quoted(word)); '\(command.name)' takes \(expectation)")
        }
        if word.isEmpty { throw failure("the argument \(command.positionals[place].name) is empty") }
        positionals.append(word)
    }

    private var expectation: String {
        command.positionals.isEmpty ? "no arguments" : "only \(command.positionals.map(\.name).joined(separator: " "))"
    }

    private func failure(_ message: String) -> UsageError { UsageError(message, command: command.name) }
}
