import Sequencer

/// What a typed text means where a few things can be chosen.
enum Choice: Equatable, Sendable {
    case option(Int)
    /// Nothing that could be chosen; why, in one sentence.
    case unclear(String)

    /// Reads a number from 1 on, a name in any case, or the beginning of a name that no other one shares. Nothing at all chooses the default.
    ///
    /// A number wins over a name that looks like another number: numbers are what the list shows first.
    init(_ text: String, among options: [String], default standard: Int?) {
        let text = text.trimmed
        if text.isEmpty {
            self = standard.map(Choice.option) ?? .unclear("Nothing was chosen; \(Self.expectation(options)).")
            return
        }
        if let number = Int(text), options.indices.contains(number - 1) {
            self = .option(number - 1)
            return
        }
        let names = options.map { $0.trimmed.lowercased() }
        let word = text.lowercased()
        var matches = names.indices.filter { names[$0] == word }
        if matches.isEmpty { matches = names.indices.filter { names[$0].hasPrefix(word) } }
        switch matches.count {
        case 1: self = .option(matches[0])
        case 0:
            let hint = question(nearestName(to: text, in: options))
            self = .unclear("There is no \(quoted(text)); \(Self.expectation(options))\(hint.isEmpty ? "." : hint)")
        default: self = .unclear("\(quoted(text)) could be \(alternatives(matches.prefix(4).map { options[$0] })); enter its number.")
        }
    }

    private static func expectation(_ options: [String]) -> String {
        options.count == 1 ? "enter 1 or its name" : "enter a number from 1 to \(options.count), or a name"
    }
}

extension String {
    /// Without the spaces and tabs around it.
    var trimmed: String {
        var rest = self[...].drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
