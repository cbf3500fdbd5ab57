import Sequencer

/// Reads the few values of one line, a report or a crash, that statistics need, and skips the rest.
///
/// Nothing is allocated but the few texts that are kept: a file of a gigabyte takes seconds, not minutes.
struct LaunchLineParser {
    /// A line with a longer name is refused.
    private static let nameLimit = 256
    /// In milliseconds: more than any launch takes.
    private static let timeLimit = 9e12

    private enum Key: UInt8 {
        case schema, scenario, version, outcome, budget, operation, initialDisplayMs, initialDisplayBudget, operations, attributes,
            processStart

        var name: StaticString {
            switch self {
            case .schema: "schema"
            case .scenario: "scenario"
            case .version: "version"
            case .outcome: "outcome"
            case .budget: "budget"
            case .operation: "operation"
            case .initialDisplayMs: "initialDisplayMs"
            case .initialDisplayBudget: "initialDisplayBudget"
            case .operations: "operations"
            case .attributes: "attributes"
            case .processStart: "processStart"
            }
        }
    }

    private var json: JSONTokenizer
    /// One bit for each key that has come.
    private var seen: UInt16 = 0
    private var schema: String?, scenario: String?, version: String?, operation: String?, processStart: String?
    private var outcome: String?
    private var measured: Double?, display: Double?
    private var verdict: String?, displayVerdict: String?
    private let readsOperations: Bool
    /// The name of the attribute that is wanted.
    private let attribute: String?
    private var operations: [LaunchLine.Operation] = []
    private var attributeValue: String?

    /// The launch of the line; nil when the line is blank.
    ///
    /// - Parameters:
    ///   - readsOperations: whether the times of its operations are wanted; else they are skipped.
    ///   - attribute: the name of the attribute whose value is wanted; nil for none.
    static func parse(
        _ line: UnsafeBufferPointer<UInt8>,
        readsOperations: Bool = false,
        attribute: String? = nil
    ) throws(JSONError) -> LaunchLine? {
        var parser = LaunchLineParser(json: JSONTokenizer(line), readsOperations: readsOperations, attribute: attribute)
        do throws(JSONFault) {
            return try parser.parse()
        } catch {
            // Only of a line that is refused: most are not, and need no second look.
            try requireUTF8Start(Array(line.prefix(3)))
            throw parser.explained(error)
        }
    }

    private init(json: JSONTokenizer, readsOperations: Bool, attribute: String?) {
        self.json = json
        self.readsOperations = readsOperations
        self.attribute = attribute
    }

    private mutating func parse() throws(JSONFault) -> LaunchLine? {
        json.skipWhitespace()
        if json.offset == json.bytes.count { return nil }
        // Schemas demand keys, not an order: all are read before any is judged.
        try readObject { parser throws(JSONFault) in try parser.readMember() }
        json.skipWhitespace()
        if json.offset < json.bytes.count { throw expected("nothing after the object") }
        return try result()
    }

    private func result() throws(JSONFault) -> LaunchLine {
        // The schema first: without it any other complaint would be misleading.
        guard let schema else { throw missing("schema") }
        guard schema == SavedSchema.report || schema == SavedSchema.crash else {
            let expected = "expected '\(SavedSchema.report)' or '\(SavedSchema.crash)'"
            let hint = schema == SavedSchema.bench ? "; 'compare' reads benches" : ""
            throw JSONFault(0, .mistake("unknown schema \(quoted(schema, limit: 40)); \(expected)\(hint)"))
        }
        guard var scenario else { throw missing("scenario") }
        // Such launches are another scenario: some of what others have still to do is done in their processes.
        if let processStart { scenario += " (\(processStart))" }
        // A crash has no outcome and no budget.
        if schema == SavedSchema.crash {
            return LaunchLine(scenario: scenario, version: version, end: .crash(operation: operation), attribute: attributeValue)
        }
        guard let name = outcome else { throw missing("outcome") }
        guard let outcome = LaunchOutcome(rawValue: name) else {
            throw JSONFault(0, .mistake(unknownWord(name, called: "outcome", among: LaunchOutcome.allCases.map(\.rawValue))))
        }
        // Told apart from a budget without its members.
        guard seen & UInt16(1) << Key.budget.rawValue != 0 else { throw missing("budget") }
        guard let measured else { throw missing("budget.measuredMs") }
        guard let verdict else { throw missing("budget.verdict") }
        var isDisplayMet: Bool?
        if let displayVerdict { isDisplayMet = try Self.isMet(displayVerdict) }
        let isMet = LaunchReport.isWithinBudgets(try Self.isMet(verdict), initialDisplay: isDisplayMet)
        let end = LaunchLine.End.report(outcome, measured: measured, isMet: isMet, display: display, isDisplayMet: isDisplayMet)
        return LaunchLine(scenario: scenario, version: version, end: end, operations: operations, attribute: attributeValue)
    }

    private static func isMet(_ verdict: String) throws(JSONFault) -> Bool {
        guard verdict == "pass" || verdict == "fail" else {
            throw JSONFault(0, .mistake(unknownWord(verdict, called: "verdict", among: ["pass", "fail"])))
        }
        return verdict == "pass"
    }

    private func missing(_ key: String) -> JSONFault {
        JSONFault(0, .mistake("missing key '\(key)'"))
    }

    // MARK: Objects

    /// Reads an object; `member` is called at each key.
    private mutating func readObject(_ member: (inout LaunchLineParser) throws(JSONFault) -> Void) throws(JSONFault) {
        guard json.skip(ASCII.openBrace) else { throw expected("an object") }
        json.skipWhitespace()
        if json.skip(ASCII.closeBrace) { return }
        while true {
            json.skipWhitespace()
            guard json.current == ASCII.quote else { throw expected("a key") }
            try member(&self)
            json.skipWhitespace()
            if json.skip(ASCII.closeBrace) { return }
            guard json.skip(ASCII.comma) else { throw expected("',' or '}'") }
        }
    }

    private mutating func readMember() throws(JSONFault) {
        let start = json.offset
        let key = try readKey()
        guard let wanted = Self.key(named: key), isWanted(wanted) else {
            return try json.skipValue()
        }
        let bit = UInt16(1) << wanted.rawValue
        // Of two values the decoder would take one, this reader another.
        if seen & bit != 0 { throw JSONFault(start, .mistake("the key '\(wanted.name)' comes twice")) }
        seen |= bit
        switch wanted {
        case .schema: schema = try readText(wanted.name)
        case .scenario: scenario = try readText(wanted.name)
        case .version: version = try readText(wanted.name)
        case .outcome: outcome = try readText(wanted.name)
        case .operation: operation = try readText(wanted.name)
        case .processStart: processStart = try readText(wanted.name)
        case .initialDisplayMs: display = try readMilliseconds(wanted.name)
        case .budget: try readObject { parser throws(JSONFault) in try parser.readBudgetMember() }
        case .initialDisplayBudget: try readObject { parser throws(JSONFault) in try parser.readDisplayBudgetMember() }
        case .operations: try readArray { parser throws(JSONFault) in try parser.readOperation() }
        case .attributes: try readArray { parser throws(JSONFault) in try parser.readAttribute() }
        }
    }

    /// Few keys, compared byte by byte: a dictionary would need a text for each key of each line, and a list of them would be shared by all processors.
    private static func key(named name: RawKey) -> Key? {
        var number: UInt8 = 0
        while let key = Key(rawValue: number) {
            if name.matches(key.name) { return key }
            number += 1
        }
        return nil
    }

    private func isWanted(_ key: Key) -> Bool {
        switch key {
        case .operations: readsOperations
        case .attributes: attribute != nil
        case .schema, .scenario, .version, .outcome, .budget, .operation, .initialDisplayMs, .initialDisplayBudget, .processStart: true
        }
    }

    /// Reads an array; `element` is called at the beginning of each element.
    private mutating func readArray(_ element: (inout LaunchLineParser) throws(JSONFault) -> Void) throws(JSONFault) {
        guard json.skip(ASCII.openBracket) else { throw expected("an array") }
        json.skipWhitespace()
        if json.skip(ASCII.closeBracket) { return }
        while true {
            json.skipWhitespace()
            try element(&self)
            json.skipWhitespace()
            if json.skip(ASCII.closeBracket) { return }
            guard json.skip(ASCII.comma) else { throw expected("',' or ']'") }
        }
    }

    /// The facts about an operation that were read so far.
    private struct PartialOperation {
        var id: String?
        var duration: Double?
        var hasStarted = false
        var outcome: Outcome?
    }

    private mutating func readOperation() throws(JSONFault) {
        var operation = PartialOperation()
        try readObject { parser throws(JSONFault) in try parser.readMember(of: &operation) }
        let duration = operation.hasStarted ? operation.duration : nil
        guard let id = operation.id, duration != nil || operation.outcome != nil else { return }
        operations.append(LaunchLine.Operation(id: id, milliseconds: duration, outcome: operation.outcome))
    }

    private mutating func readMember(of operation: inout PartialOperation) throws(JSONFault) {
        let key = try readKey()
        if key.matches("id") {
            operation.id = try readText("id")
        } else if key.matches("durationMs"), json.current != UInt8(ascii: "n") {
            operation.duration = try readMilliseconds("durationMs")
        } else if key.matches("outcome") {
            let name = try readText("outcome")
            operation.outcome = Outcome(rawValue: name)
            if operation.outcome == nil {
                throw JSONFault(0, .mistake(unknownWord(name, called: "outcome", among: Outcome.allCases.map(\.rawValue))))
            }
        } else {
            // Null, as the duration is, or not there, where it never started.
            if key.matches("startMs") { operation.hasStarted = json.current != UInt8(ascii: "n") }
            try json.skipValue()
        }
    }

    private mutating func readAttribute() throws(JSONFault) {
        var isWanted = false
        // Where the value begins: its name may come after it, and only the wanted one is read.
        var place: JSONTokenizer?
        try readObject { parser throws(JSONFault) in
            let key = try parser.readKey()
            if key.matches("name"), parser.json.current == ASCII.quote {
                isWanted = try parser.json.readString() == parser.attribute
            } else {
                if key.matches("value") { place = parser.json }
                try parser.json.skipValue()
            }
        }
        guard isWanted, let place else { return }
        let end = json
        json = place
        attributeValue = try readText("value")
        json = end
    }

    private mutating func readBudgetMember() throws(JSONFault) {
        let key = try readKey()
        if key.matches("measuredMs") {
            measured = try readMilliseconds("measuredMs")
        } else if key.matches("verdict") {
            verdict = try readText("verdict")
        } else {
            try json.skipValue()
        }
    }

    /// Reads a member of the budget of the initial display, which has no verdict where that was not wanted.
    private mutating func readDisplayBudgetMember() throws(JSONFault) {
        if try readKey().matches("verdict") { displayVerdict = try readText("verdict") } else { try json.skipValue() }
    }

    // MARK: Values

    /// Reads a key and its colon. One that is written with escapes is decoded, as every reader of JSON does.
    private mutating func readKey() throws(JSONFault) -> RawKey {
        // A copy is a few words: the bytes themselves are not copied.
        var copy = json
        let hasEscapes = try json.skipString()
        let raw = UnsafeBufferPointer(rebasing: json.bytes[copy.offset + 1..<json.offset - 1])
        let decoded = hasEscapes ? try copy.readString() : nil
        try json.expect(ASCII.colon)
        json.skipWhitespace()
        return RawKey(raw: raw, decoded: decoded)
    }

    private mutating func readText(_ key: StaticString) throws(JSONFault) -> String {
        let start = json.offset
        guard json.current == ASCII.quote else { throw JSONFault(start, .mistake("expected '\(key)' to be a string")) }
        var copy = json
        try json.skipString()
        // Before the text is made: a name may be as long as its line.
        guard json.offset - start <= Self.nameLimit + 2 else {
            throw JSONFault(start, .mistake("'\(key)' has more than \(Self.nameLimit) bytes"))
        }
        return try copy.readString()
    }

    private mutating func readMilliseconds(_ key: StaticString) throws(JSONFault) -> Double {
        let start = json.offset
        guard json.current == ASCII.minus || ASCII.zero...ASCII.nine ~= json.current else {
            throw JSONFault(start, .mistake("expected '\(key)' to be a number"))
        }
        try json.skipNumber()
        // Long enough for any number that means anything; few have more than ten characters, for which no memory is needed.
        let text = String(decoding: json.bytes[start..<min(json.offset, start + 400)], as: UTF8.self)
        guard let value = Double(text), 0...Self.timeLimit ~= value else {
            throw JSONFault(start, .mistake("expected '\(key)' to be from 0 to \(Int(Self.timeLimit))"))
        }
        return value
    }

    // MARK: Errors

    private func expected(_ what: String) -> JSONFault { JSONFault(json.offset, .expected(what)) }

    /// The fault as it is said of one line among many: in fewer words than of a file that a person has written.
    private func explained(_ fault: JSONFault) -> JSONError {
        // A line that was cut off says so, for that is how most of them break.
        func expected(_ what: String) -> String {
            fault.offset < json.bytes.count ? "expected \(what)" : "the line ends early; expected \(what)"
        }
        let message =
            switch fault.kind {
            case .controlCharacter: "a string holds a control character"
            case .unknownEscape: "an unknown escape"
            case .unitWithoutDigits: "'\\u' without four hexadecimal digits"
            case .digitMissing: expected("a digit")
            case .tooDeep(let limit): "more than \(limit) levels of nesting"
            case .expected(let what): expected(what)
            case .unclosedString, .notUTF8, .loneSurrogate, .mistake: json.message(for: fault)
            }
        return JSONError(offset: fault.offset, message: message)
    }
}

/// A key as it stands in the line.
private struct RawKey {
    let raw: UnsafeBufferPointer<UInt8>
    /// Where it holds escapes: without them.
    let decoded: String?

    func matches(_ name: StaticString) -> Bool {
        // Most keys have no escapes: compared without making a text.
        if let decoded { return decoded == name.description }
        guard raw.count == name.utf8CodeUnitCount else { return false }
        for index in 0..<raw.count where raw[index] != name.utf8Start[index] { return false }
        return true
    }
}

/// Cuts bytes that come in pieces into lines, in a memory that does not grow with their number.
struct LineSplitter {
    /// A longer line is left out.
    let limit: Int
    /// The beginning of a line that is not complete yet.
    private var rest: [UInt8] = []
    private var isTooLong = false
    /// How many lines have been given out, those that were too long included.
    private(set) var count = 0

    init(limit: Int = 16 * 1024 * 1024) {
        self.limit = limit
    }

    /// Gives out every line that ends in this piece, without its newline; nil for one that is too long.
    mutating func feed(_ piece: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        var start = 0
        while start < piece.count {
            guard let end = piece.lineEnd(from: start) else { return keep(piece[start...]) }
            // The usual case, without a copy: the whole line lies in this piece.
            if rest.isEmpty, !isTooLong {
                count += 1
                body(end - start <= limit ? UnsafeBufferPointer(rebasing: piece[start..<end]) : nil)
            } else {
                keep(piece[start..<end])
                flush(body)
            }
            start = end + 1
        }
    }

    /// Gives out the last line, which may lack its newline.
    mutating func finish(_ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        if !rest.isEmpty || isTooLong { flush(body) }
    }

    private mutating func keep(_ part: Slice<UnsafeBufferPointer<UInt8>>) {
        if isTooLong { return }
        if rest.count + part.count > limit {
            isTooLong = true
            // The memory is given back, not only marked as free.
            rest = []
        } else {
            rest.append(contentsOf: part)
        }
    }

    private mutating func flush(_ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        count += 1
        if isTooLong { body(nil) } else { rest.withUnsafeBufferPointer(body) }
        // The next line that is divided needs the memory again.
        rest.removeAll(keepingCapacity: true)
        isTooLong = false
    }
}
