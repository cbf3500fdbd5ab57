import Sequencer

/// A value of a scenario file with its path, which reads itself as what the format wants there or says why it cannot.
struct ScenarioField: Sendable {
    let value: JSONValue
    let path: JSONPath

    // MARK: - Containers

    /// The keys and values of an object, each key known; they are in the order of the file.
    ///
    /// - Parameters:
    ///   - homes: the places of keys that belong elsewhere.
    ///   - unknown: is told of a key that is not; by default, it throws.
    func members<Key: RawRepresentable<String> & CaseIterable>(
        _ keys: Key.Type,
        called name: String = "key",
        homes: [String: String] = [:],
        unknown: (ScenarioFault) throws(ScenarioFault) -> Void = { fault throws(ScenarioFault) in throw fault }
    ) throws(ScenarioFault) -> [(key: Key, field: ScenarioField)] {
        var known: [(Key, ScenarioField)] = []
        for member in try object() {
            // Never passed over: a misspelt key would change nothing, in silence (J5).
            guard let key = Key(rawValue: member.key) else {
                let hint = homes[member.key].map { "it belongs \($0)" } ?? suggestion(for: member.key, in: Key.allCases.map(\.rawValue))
                try unknown(member.fault("unknown \(name) \(quoted(member.key)); \(hint)", in: self))
                continue
            }
            known.append((key, ScenarioField(value: member.value, path: .key(member.key, of: path))))
        }
        return known
    }

    func object() throws(ScenarioFault) -> [JSONMember] {
        guard case .object(let members) = value.content else { throw expected("an object") }
        return members
    }

    func elements() throws(ScenarioFault) -> [ScenarioField] {
        guard case .array(let elements) = value.content else { throw expected("an array") }
        return elements.indices.map { ScenarioField(value: elements[$0], path: .element($0, of: path)) }
    }

    /// The value of a key; nil when this is not an object, or lacks the key.
    func child(_ key: String) -> ScenarioField? {
        guard case .object(let members) = value.content, let member = members.first(where: { $0.key == key }) else { return nil }
        return ScenarioField(value: member.value, path: .key(key, of: path))
    }

    /// The value of a key that an object must have.
    func required(_ key: String) throws(ScenarioFault) -> ScenarioField {
        guard let child = child(key) else {
            // Something that is not an object is complained about as such.
            _ = try object()
            throw missing(key)
        }
        return child
    }

    // MARK: - Scalars

    func bool() throws(ScenarioFault) -> Bool {
        guard case .bool(let bool) = value.content else { throw expected("true or false") }
        return bool
    }

    func string() throws(ScenarioFault) -> String {
        guard case .string(let string) = value.content else { throw expected("a string") }
        return string
    }

    func integer(in range: ClosedRange<Int>) throws(ScenarioFault) -> Int {
        let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard case .number(let text) = value.content else { throw expected(wanted) }
        // In JSON, 4.0 is a whole number too.
        guard let integer = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }), range.contains(integer) else {
            throw outside(wanted, text)
        }
        return integer
    }

    func number(in range: ClosedRange<Double>) throws(ScenarioFault) -> Double {
        let wanted = "a number from \(brief(range.lowerBound)) to \(brief(range.upperBound))"
        guard case .number(let text) = value.content else { throw expected(wanted) }
        guard let number = Double(text), range.contains(number) else { throw outside(wanted, text) }
        return number
    }

    func duration(minimum: DurationText.Minimum = .positive) throws(ScenarioFault) -> Duration {
        guard case .string(let text) = value.content else { throw expected("a duration in quotes such as \"400ms\"") }
        do throws(ValueError) {
            return try DurationText.parse(text, minimum: minimum)
        } catch {
            throw fault(error.message)
        }
    }

    /// A number of milliseconds, exact to the nanosecond.
    func milliseconds(from minimum: Duration) throws(ScenarioFault) -> Duration {
        let longest = OperationGraph.maximumDuration
        let milliseconds = try number(in: minimum.milliseconds...longest.milliseconds)
        // The text has milliseconds with up to six decimals; the product is rounded, for it is a Double.
        return .nanoseconds(Nanoseconds((milliseconds * 1e6).rounded()))
    }

    /// One word out of a few, each spelled exactly.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ words: Word.Type, called name: String) throws(ScenarioFault) -> Word {
        let text = try string()
        guard let word = Word(rawValue: text) else {
            throw fault(unknownWord(text, called: name, among: Word.allCases.map(\.rawValue)))
        }
        return word
    }

    /// A text that names something: not blank, on one line, no longer than 256 bytes, no space around it, nothing in it that is not seen.
    func label(_ name: String) throws(ScenarioFault) -> String {
        let text = try string()
        if let complaint = Self.complaint(about: text, called: name) { throw fault(complaint) }
        return text
    }

    /// The reason why a text cannot name something; nil where it can.
    static func complaint(about text: String, called name: String) -> String? {
        if text.isEmpty { return "\(name) is empty" }
        if text.utf8.count > 256 {
            return "\(name) \(quoted(text, limit: 32)) has \(text.utf8.count) bytes; at most 256 are allowed"
        }
        // The usual case first: nearly all texts need no closer look.
        if isPlain(text) { return nil }
        // Scalars that turn the direction of writing, or that nobody sees, are not shown (J10).
        for (scalar, isShown) in JudgedScalars(text) where !isShown {
            return "\(name) \(quoted(text)) holds a character that cannot be printed, \(scalar.escaped(asASCII: true))"
        }
        if text.allSatisfy(\.isWhitespace) { return "\(name) is blank" }
        // A space at an end cannot be seen, and makes another name.
        if text.first?.isWhitespace == true || text.last?.isWhitespace == true {
            return "\(name) \(quoted(text)) has a space at its start or end"
        }
        return nil
    }

    func labels(_ name: String) throws(ScenarioFault) -> [String] {
        try elements().map { element throws(ScenarioFault) in try element.label(name) }
    }

    // MARK: - Faults

    func fault(_ message: String) -> ScenarioFault {
        ScenarioFault(offset: value.offset, path: path, message: message)
    }

    func expected(_ what: String) -> ScenarioFault {
        fault("expected \(what), found \(value.kind)")
    }

    func missing(_ key: String) -> ScenarioFault {
        fault("missing key '\(key)'")
    }

    private func outside(_ wanted: String, _ text: String) -> ScenarioFault {
        fault("expected \(wanted), found \(printable(text, limit: 24))")
    }

    /// Whether the text is printable ASCII with no space at either end, as nearly all are: their characters need no closer look.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where byte < 0x20 || byte > 0x7E { return false }
            return bytes.first != 0x20 && bytes.last != 0x20
        }
    }

    private func brief(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? String(number)
    }
}

extension JSONMember {
    /// A complaint about the key itself, rather than about its value.
    func fault(_ message: String, in object: ScenarioField) -> ScenarioFault {
        ScenarioFault(offset: offset, path: .key(key, of: object.path), message: message)
    }
}
