extension BenchOptions {
    /// Reads the words after the program's name.
    ///
    /// - Throws: ``UsageError``, in one sentence.
    init(_ words: [String]) throws {
        var words = words[...]
        while let word = words.popFirst() {
            func value() throws -> String {
                guard let value = words.popFirst(), !value.hasPrefix("--") else { throw UsageError("\(word) needs a value") }
                return value
            }
            switch word {
            case "-h", "--help": isHelp = true
            case "--quick": isQuick = true
            case "--full": isFull = true
            case "--json": printsJSON = true
            case "--save": save = try value()
            case "--svg": svg = try value()
            case "--cli": cli = try value()
            case "--empty": empty = try value()
            case "--launches": launches = try Self.choices(try value(), word, ContestLaunch.all, \.name).map(\.name)
            case "--contestant": contestant = try value()
            case "--runs": maximumRuns = try Self.number(try value(), word, 1...100_000)
            case "--sizes": sizes = try Self.list(try value()).map { try Self.number($0, word, 3...1_000_000) }
            case "--shapes": families = try Self.choices(try value(), word, ShapeFamily.all, \.name)
            case "--engines": engines = try Self.choices(try value(), word, Engine.all, \.name)
            case "--only": sections = try Self.choices(try value(), word, Section.allCases, \.rawValue)
            default: throw UsageError("'\(word)' is not an option of engine-bench; `engine-bench --help` names them")
            }
        }
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map(String.init)
    }

    private static func number(_ text: String, _ option: String, _ range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(text.filter { $0 != "_" }), range.contains(number) else {
            throw UsageError("\(option) takes \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return number
    }

    private static func choices<Choice>(_ text: String, _ option: String, _ all: [Choice], _ name: (Choice) -> String) throws -> [Choice] {
        try list(text).map { word in
            guard let choice = all.first(where: { name($0).lowercased() == word.lowercased() }) else {
                throw UsageError("\(option) takes \(all.map(name).joined(separator: ", ")); '\(word)' is none of them")
            }
            return choice
        }
    }
}

/// A command line that cannot be followed.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
