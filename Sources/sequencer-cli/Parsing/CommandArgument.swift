import Sequencer

/// An argument of a command line as it is written and explained: an option, or a word that is known by its place.
struct ArgumentDeclaration: Sendable {
    /// The long name of an option without its dashes; the name that help gives a word in its place.
    let name: String
    var isPositional = false
    /// Whether a positional one has to be there; options never have to.
    var isRequired = false
    /// Whether it may be given more than once; of positional ones only the last may.
    var isRepeated = false
    /// The name that help gives an option's value; nil for a flag, which is there or is not.
    var value: String?
    /// The values to choose from; empty where any value may be right.
    var words: [String] = []
    var help = ""

    /// Every command has this option; its own options come first in help.
    static let help = ArgumentDeclaration(name: "help", help: "Show this help.")
    /// The short names, which mean the same in all commands.
    private static let shorts: [String: Character] = ["help": "h", "output": "o"]

    private var short: Character? { Self.shorts[name] }

    /// How the user writes it: `-o, --output FILE`, `[SCENARIO]`.
    var spelling: String {
        if isPositional { return (isRequired ? name : "[\(name)]") + (isRepeated ? "..." : "") }
        // Long names stand below each other, whether there is a short one or not.
        return (short.map { "-\($0), " } ?? "    ") + "--" + name + (value.map { " " + $0 } ?? "")
    }

    /// Whether a word of a command line is this option.
    func isSpelled(_ word: String) -> Bool { !isPositional && (word == "--" + name || word == short.map { "-\($0)" }) }
}

// MARK: - Where values go

/// An argument of a command, with the place in the command that its value is stored in.
///
/// This is the only declaration of an argument: parsing, its checks, help and completions follow from it.
///
/// ```swift
/// .text("state", "DIR", \.state)
///     .help("Keep what the app remembers in DIR.")
/// ```
struct CommandArgument<Root>: Sendable {
    typealias Place<Value> = WritableKeyPath<Root, Value> & Sendable

    private(set) var declaration: ArgumentDeclaration
    /// Reads the texts that were given, none for a flag, and stores their value.
    let store: @Sendable (inout Root, [String]) throws -> Void

    /// The same argument, explained.
    func help(_ text: String) -> Self {
        var argument = self
        argument.declaration.help = text
        return argument
    }

    /// The same argument of a command that holds `Root` as one of its parts.
    func of<Whole>(_ part: WritableKeyPath<Whole, Root> & Sendable) -> CommandArgument<Whole> {
        CommandArgument<Whole>(declaration: declaration) { whole, texts in try store(&whole[keyPath: part], texts) }
    }

    /// A word that is known by its place; `store` is called with each word of a repeated one.
    static func positional(
        _ name: String,
        isRequired: Bool = true,
        isRepeated: Bool = false,
        store: @escaping @Sendable (inout Root, String) throws -> Void
    ) -> Self {
        var declaration = ArgumentDeclaration(name: name, isPositional: true)
        (declaration.isRequired, declaration.isRepeated) = (isRequired, isRepeated)
        return Self(declaration: declaration) { root, texts in for text in texts { try store(&root, text) } }
    }

    /// An option without a value, which sets its place to true.
    static func flag(_ name: String, _ place: Place<Bool>) -> Self {
        Self(declaration: ArgumentDeclaration(name: name)) { root, _ in root[keyPath: place] = true }
    }

    /// An option with one value, which `read` makes of its text.
    static func value<Value>(
        _ name: String,
        _ value: String,
        _ place: Place<Value>,
        words: [String] = [],
        read: @escaping @Sendable (String) throws -> Value
    ) -> Self {
        // Once at most: an option that is given twice is refused.
        Self(declaration: ArgumentDeclaration(name: name, value: value, words: words)) { root, texts in
            for text in texts { root[keyPath: place] = try read(text) }
        }
    }

    /// An option that may be given more than once; `read` makes its value of all texts, in the order in which they were
    /// given.
    static func repeated<Value>(
        _ name: String,
        _ value: String,
        _ place: Place<Value>,
        read: @escaping @Sendable ([String]) throws -> Value
    ) -> Self {
        Self(declaration: ArgumentDeclaration(name: name, isRepeated: true, value: value)) { root, texts in
            root[keyPath: place] = try read(texts)
        }
    }

    static func text(_ name: String, _ value: String, _ place: Place<String?>) -> Self {
        .value(name, value, place) { $0 }
    }

    static func integer(_ name: String, _ value: String, in range: ClosedRange<Int>, _ place: Place<Int?>) -> Self {
        .value(name, value, place) { try parseInteger($0, in: range) }
    }

    static func integer(_ name: String, _ value: String, in range: ClosedRange<Int>, _ place: Place<Int>) -> Self {
        .value(name, value, place) { try parseInteger($0, in: range) }
    }

    static func duration(_ name: String, _ place: Place<Duration?>) -> Self {
        .value(name, "TIME", place) { try DurationText.parse($0) }
    }

    /// An option whose value is one word out of a few.
    static func word<Word: WordOfMany>(_ name: String, _ value: String, _ place: Place<Word>) -> Self {
        .value(name, value, place, words: Word.words) { try parseWord($0, Word.self, called: "value") }
    }

    static func word<Word: WordOfMany>(_ name: String, _ value: String, _ place: Place<Word?>) -> Self {
        .value(name, value, place, words: Word.words) { try parseWord($0, Word.self, called: "value") }
    }
}

/// A word out of a few, each spelled exactly.
typealias WordOfMany = RawRepresentable<String> & CaseIterable & Sendable

extension CaseIterable where Self: RawRepresentable<String> {
    /// All spellings, in the order in which messages list them.
    static var words: [String] { allCases.map(\.rawValue) }
}

// MARK: - Reading a line

/// Sorts the words of a command line as its command declares them.
///
/// - Returns: the texts of each argument that was given, by its name and in their order; none for a flag.
func scanArguments(
    _ words: ArraySlice<String>,
    of command: String,
    _ declared: [ArgumentDeclaration]
) throws(UsageError) -> [String: [String]] {
    func failure(_ message: String) -> UsageError { UsageError(message, command: command) }
    let positionals = declared.filter(\.isPositional)
    var (texts, rest, count, isBehindDashes) = ([String: [String]](), words, 0, false)
    // By words and not by characters: the shell has taken quotes away already.
    while let word = rest.popFirst() {
        // Behind `--` every word is an argument, even one that begins with a dash (POSIX, guideline 10).
        if isBehindDashes || !word.hasPrefix("-") || word == "-" {
            guard let positional = count < positionals.count ? positionals[count] : positionals.last(where: \.isRepeated)
            else {
                let names = positionals.isEmpty ? "no arguments" : "only \(positionals.map(\.name).joined(separator: " "))"
                throw failure("unexpected argument \(quoted(word)); '\(command)' takes \(names)")
            }
            if word.isEmpty { throw failure("the argument \(positional.name) is empty") }
            texts[positional.name, default: []].append(word)
            count += 1
            continue
        }
        if word == "--" {
            isBehindDashes = true
            continue
        }
        // Only the first sign divides: a value may hold more of them. Behind a short name the rest of the word is the
        // value, as in -oFILE.
        let isLong = word.hasPrefix("--")
        let end = isLong ? word.firstIndex(of: "=") : word.index(word.startIndex, offsetBy: 2, limitedBy: word.endIndex)
        let spelling = String(word[..<(end ?? word.endIndex)])
        let attached = end.flatMap { $0 == word.endIndex ? nil : String(word[$0...].dropFirst(isLong ? 1 : 0)) }
        guard let option = declared.first(where: { $0.isSpelled(spelling) }) else {
            let names = declared.filter { !$0.isPositional }.map(\.name)
            let nearest = isLong ? nearestName(to: String(spelling.dropFirst(2)), in: names) : nil
            let hint = nearest.map { "did you mean '--\($0)'?" } ?? "see '--help'"
            throw failure("unknown option \(quoted(isLong ? spelling : word)); \(hint)")
        }
        let name = "option '--\(option.name)'"
        if option.value == nil, let attached { throw failure("\(name) takes no value, found \(quoted(attached))") }
        if !option.isRepeated, texts[option.name] != nil { throw failure("\(name) is given twice") }
        guard let expected = option.value else {
            texts[option.name] = []
            continue
        }
        // Tells values from options: `-` and `-1s` are values, `--json` and `-o` are not. The complaint about a
        // negative number names the range.
        let isValue = rest.first.map { !$0.hasPrefix("-") || $0 == "-" || $0.dropFirst().first?.isNumber == true } ?? false
        guard let value = attached ?? (isValue ? rest.popFirst() : nil) else {
            throw failure("\(name) lacks its value \(expected)")
        }
        // An empty variable of a script: --output "" would otherwise be a file without a name.
        if value.isEmpty { throw failure("\(name) has an empty value; expected \(expected)") }
        texts[option.name, default: []].append(value)
    }
    if let missing = positionals.dropFirst(count).first(where: \.isRequired) {
        throw failure("the argument \(missing.name) is missing")
    }
    return texts
}
