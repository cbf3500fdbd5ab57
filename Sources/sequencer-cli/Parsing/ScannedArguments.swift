import Sequencer

/// The words of a command line sorted into options and positionals as its command declares them, values still text.
struct ScannedArguments: Sendable {
    let command: CommandDeclaration
    private var values: [String: [String]] = [:]
    private var positionals: [String] = []

    init(_ arguments: ArraySlice<String>, for command: CommandDeclaration) throws(UsageError) {
        self.command = command
        var rest = arguments
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try add(positional: word) }
                break
            }
            if word.hasPrefix("--") {
                let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                try add(try option(named: parts[0]), attached: parts.count > 1 ? parts[1] : nil, rest: &rest)
            } else if word.hasPrefix("-"), word != "-" {
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

    // MARK: - Scanning

    private func option(named name: String) throws(UsageError) -> OptionDeclaration {
        if let option = command.allOptions.first(where: { $0.name == name }) { return option }
        let names = command.allOptions.map(\.name)
        let hint = nearestName(to: name, in: names).map { "did you mean '--\($0)'?" } ?? "see '--help'"
        throw failure("unknown option \(quoted("--" + name)); \(hint)")
    }

    private mutating func add(_ option: OptionDeclaration, attached: String?, rest: inout ArraySlice<String>) throws(UsageError) {
        switch option.kind {
        case .flag:
            if let attached { throw failure("option '--\(option.name)' takes no value, found \(quoted(attached))") }
            if values[option.name] != nil { throw failure("option '--\(option.name)' is given twice") }
            values[option.name] = []
        case .value(let name), .repeated(let name):
            if option.kind == .value(name), values[option.name] != nil { throw failure("option '--\(option.name)' is given twice") }
            guard let value = attached ?? takeValue(&rest) else { throw failure("option '--\(option.name)' lacks its value \(name)") }
            if value.isEmpty { throw failure("option '--\(option.name)' has an empty value; expected \(name)") }
            values[option.name, default: []].append(value)
        }
    }

    /// The next word unless it is an option: `-` and `-1s` are values, `--json` and `-o` are not.
    private func takeValue(_ rest: inout ArraySlice<String>) -> String? {
        guard let word = rest.first else { return nil }
        let isOption = word.hasPrefix("-") && word != "-" && !(word.dropFirst().first?.isNumber ?? false)
        return isOption ? nil : rest.popFirst()
    }

    private mutating func add(positional word: String) throws(UsageError) {
        if positionals.count == command.positionals.count {
            throw failure("unexpected argument \(quoted(word)); '\(command.name)' takes \(count(of: command.positionals))")
        }
        if word.isEmpty { throw failure("the argument \(command.positionals[positionals.count].name) is empty") }
        positionals.append(word)
    }

    private func count(of positionals: [PositionalDeclaration]) -> String {
        switch positionals.count {
        case 0: "no arguments"
        case 1: "only \(positionals[0].name)"
        default: "only \(positionals.map(\.name).joined(separator: " "))"
        }
    }

    // MARK: - Values

    func positional(_ index: Int) -> String? {
        positionals.indices.contains(index) ? positionals[index] : nil
    }

    /// The positional that the declaration calls required, so scanning has made sure of it.
    func required(_ index: Int) throws(UsageError) -> String {
        guard let word = positional(index) else { throw failure("an argument is missing") }
        return word
    }

    func flag(_ name: String) -> Bool {
        values[name] != nil
    }

    func text(_ name: String) -> String? {
        values[name]?.first
    }

    /// The option's value as `read` understands it, nil when it is not given.
    func value<Value>(_ name: String, _ read: (String) throws(ValueError) -> Value) throws(UsageError) -> Value? {
        try all(name, read).first
    }

    /// All values of a repeatable option, in the order in which they were given.
    func all<Value>(_ name: String, _ read: (String) throws(ValueError) -> Value) throws(UsageError) -> [Value] {
        var result: [Value] = []
        for text in values[name] ?? [] {
            do throws(ValueError) { result.append(try read(text)) } catch { throw failure("option '--\(name)': \(error.message)") }
        }
        return result
    }

    func word<Word: RawRepresentable<String> & CaseIterable>(_ name: String, _ words: Word.Type) throws(UsageError) -> Word? {
        try value(name) { text throws(ValueError) in
            if let word = Word(rawValue: text) { return word }
            throw ValueError(message: unknownWord(text, called: "value", among: Word.allCases.map(\.rawValue)))
        }
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        try value(name) { text throws(ValueError) in
            if let number = Int(text), range.contains(number) { return number }
            throw ValueError(message: "\(quoted(text)) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    func duration(_ name: String) throws(UsageError) -> Duration? {
        try value(name) { text throws(ValueError) in try DurationText.parse(text) }
    }

    func failure(_ message: String) -> UsageError {
        UsageError(message, command: command.name)
    }
}
