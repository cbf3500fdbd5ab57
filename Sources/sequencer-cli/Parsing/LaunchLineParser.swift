/// Reads what is needed of one line, a report or a crash, and passes over the rest.
///
/// Nothing is allocated but the few texts that are kept: a file of a gigabyte takes seconds, not minutes.
struct LaunchLineParser {
    static let reportSchema = "sequencer.report/1"
    static let crashSchema = "sequencer.crash/1"
    /// A longer name is no name.
    private static let nameLimit = 256
    /// In milliseconds: more than any launch takes.
    private static let timeLimit = 1e10

    private enum Key: UInt8, CaseIterable {
        case schema, scenario, version, outcome, budget, operation

        var name: StaticString {
            switch self {
            case .schema: "schema"
            case .scenario: "scenario"
            case .version: "version"
            case .outcome: "outcome"
            case .budget: "budget"
            case .operation: "operation"
            }
        }
    }

    private var json: JSONSkipper
    /// One bit for each key that has come.
    private var seen: UInt8 = 0
    private var schema: String?, scenario: String?, version: String?, operation: String?
    private var outcome: String?
    private var measured: Double?
    private var verdict: String?

    /// What the line says; nil when it is blank.
    static func parse(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> LaunchLine? {
        var parser = LaunchLineParser(json: JSONSkipper(line))
        parser.json.skipWhitespace()
        if parser.json.offset == line.count { return nil }
        try parser.readObject { parser throws(JSONError) in try parser.readMember() }
        parser.json.skipWhitespace()
        if parser.json.offset < line.count { throw parser.json.unexpected("nothing after the object") }
        return try parser.result()
    }

    private init(json: JSONSkipper) {
        self.json = json
    }

    private func result() throws(JSONError) -> LaunchLine {
        guard let schema else { throw missing("schema") }
        guard schema == Self.reportSchema || schema == Self.crashSchema else {
            let expected = "expected '\(Self.reportSchema)' or '\(Self.crashSchema)'"
            throw JSONError(offset: 0, message: "unknown schema \(quoted(schema, limit: 40)); \(expected)")
        }
        guard let scenario else { throw missing("scenario") }
        if schema == Self.crashSchema { return LaunchLine(scenario: scenario, version: version, end: .crash(operation: operation)) }
        guard let name = outcome else { throw missing("outcome") }
        guard let outcome = BenchRun.Outcome(rawValue: name) else {
            throw JSONError(offset: 0, message: unknownWord(name, called: "outcome", among: BenchRun.Outcome.allCases.map(\.rawValue)))
        }
        guard seen & 1 << Key.budget.rawValue != 0 else { throw missing("budget") }
        guard let measured else { throw missing("budget.measuredMs") }
        guard let verdict else { throw missing("budget.verdict") }
        guard verdict == "pass" || verdict == "fail" else {
            throw JSONError(offset: 0, message: unknownWord(verdict, called: "verdict", among: ["pass", "fail"]))
        }
        return LaunchLine(scenario: scenario, version: version, end: .report(outcome, measured: measured, isMet: verdict == "pass"))
    }

    private func missing(_ key: String) -> JSONError {
        JSONError(offset: 0, message: "missing key '\(key)'")
    }

    // MARK: Objects

    /// Reads an object; `member` is called at each key.
    private mutating func readObject(_ member: (inout LaunchLineParser) throws(JSONError) -> Void) throws(JSONError) {
        guard json.current == ASCII.openBrace else { throw json.unexpected("an object") }
        json.offset += 1
        json.skipWhitespace()
        if json.current == ASCII.closeBrace {
            json.offset += 1
            return
        }
        while true {
            json.skipWhitespace()
            guard json.current == ASCII.quote else { throw json.unexpected("a key") }
            try member(&self)
            json.skipWhitespace()
            if json.current == ASCII.closeBrace {
                json.offset += 1
                return
            }
            guard json.current == ASCII.comma else { throw json.unexpected("',' or '}'") }
            json.offset += 1
        }
    }

    private mutating func readMember() throws(JSONError) {
        let start = json.offset
        let key = try readKey()
        guard let wanted = Key.allCases.first(where: { key.matches($0.name) }) else { return try json.skipValue() }
        let bit = UInt8(1) << wanted.rawValue
        if seen & bit != 0 { throw JSONError(offset: start, message: "the key '\(wanted.name)' comes twice") }
        seen |= bit
        switch wanted {
        case .schema: schema = try readText(wanted.name)
        case .scenario: scenario = try readText(wanted.name)
        case .version: version = try readText(wanted.name)
        case .outcome: outcome = try readText(wanted.name)
        case .operation: operation = try readText(wanted.name)
        case .budget: try readObject { parser throws(JSONError) in try parser.readBudgetMember() }
        }
    }

    private mutating func readBudgetMember() throws(JSONError) {
        let key = try readKey()
        if key.matches("measuredMs") {
            measured = try readMilliseconds()
        } else if key.matches("verdict") {
            verdict = try readText("verdict")
        } else {
            try json.skipValue()
        }
    }

    // MARK: Values

    /// Reads a key and its colon. One that is written with escapes is decoded, as every reader of JSON does.
    private mutating func readKey() throws(JSONError) -> RawKey {
        let start = json.offset
        let hasEscapes = try json.skipString()
        let raw = UnsafeBufferPointer(rebasing: json.bytes[start + 1..<json.offset - 1])
        let decoded = hasEscapes ? try decode(from: start) : nil
        try json.expect(ASCII.colon)
        json.skipWhitespace()
        return RawKey(raw: raw, decoded: decoded)
    }

    private mutating func readText(_ key: StaticString) throws(JSONError) -> String {
        let start = json.offset
        guard json.current == ASCII.quote else { throw JSONError(offset: start, message: "expected '\(key)' to be a string") }
        try json.skipString()
        guard json.offset - start <= Self.nameLimit + 2 else {
            throw JSONError(offset: start, message: "'\(key)' has more than \(Self.nameLimit) bytes")
        }
        return try decode(from: start)
    }

    /// The string that begins at `offset`, whose encoding is checked.
    private func decode(from offset: Int) throws(JSONError) -> String {
        var parser = JSONParser(json.bytes)
        parser.offset = offset
        return try parser.parseString()
    }

    private mutating func readMilliseconds() throws(JSONError) -> Double {
        let start = json.offset
        guard json.current == ASCII.minus || ASCII.zero...ASCII.nine ~= json.current else {
            throw JSONError(offset: start, message: "expected 'measuredMs' to be a number")
        }
        try json.skipNumber()
        // Long enough for any number that means anything; few have more than ten characters, for which no memory is needed.
        let text = String(decoding: json.bytes[start..<min(json.offset, start + 400)], as: UTF8.self)
        guard let value = Double(text), 0...Self.timeLimit ~= value else {
            throw JSONError(offset: start, message: "expected 'measuredMs' to be from 0 to \(Int(Self.timeLimit))")
        }
        return value
    }
}

/// A key as it stands in the line.
private struct RawKey {
    let raw: UnsafeBufferPointer<UInt8>
    /// Where it holds escapes: without them.
    let decoded: String?

    func matches(_ name: StaticString) -> Bool {
        if let decoded { return decoded == name.description }
        guard raw.count == name.utf8CodeUnitCount else { return false }
        for index in 0..<raw.count where raw[index] != name.utf8Start[index] { return false }
        return true
    }
}
