import Sequencer

/// A value of a JSON text with its path, which reads itself as what a format wants there or says why it cannot.
struct ScenarioField: Sendable {
    let value: JSONValue
    let path: JSONPath

    // MARK: - Containers

    /// Reads the members of an object into a value, in the order of the file.
    ///
    /// - Parameters:
    ///   - keep: is called for each member, and may continue after a mistake in it.
    func read<Object>(
        _ tables: ScenarioKeys.Keys<Object>...,
        called name: String = "key",
        into object: inout Object,
        keep: (() throws -> Void) throws -> Void = { try $0() }
    ) throws {
        let keys = tables.joined()
        for (key, field) in try children() {
            try keep {
                if let known = keys.first(where: { $0.key == key }) { return try known.value(&object, field) }
                // Never passed over: a misspelt key would change nothing, in silence (J5).
                throw fault("unknown \(name) \(quoted(key)); \(suggestion(for: key, in: keys.map(\.key)))", at: key)
            }
        }
    }

    /// The keys of an object and their values.
    func children() throws -> [(key: String, field: ScenarioField)] {
        guard case .object(let members) = value.content else { throw expected("an object") }
        return members.map { ($0.key, ScenarioField(value: $0.value, path: .key($0.key, of: path))) }
    }

    func elements() throws -> [ScenarioField] {
        guard case .array(let elements) = value.content else { throw expected("an array") }
        return elements.indices.map { ScenarioField(value: elements[$0], path: .element($0, of: path)) }
    }

    /// The value of a key; nil when this is not an object, or lacks the key.
    func child(_ key: String) -> ScenarioField? { try? children().first { $0.key == key }?.field }

    /// The value of a key that an object must have.
    func required(_ key: String) throws -> ScenarioField {
        guard let field = try children().first(where: { $0.key == key })?.field else { throw missing(key) }
        return field
    }

    // MARK: - Scalars

    func bool() throws -> Bool {
        guard case .bool(let bool) = value.content else { throw expected("true or false") }
        return bool
    }

    func string() throws -> String { try parsed { $0 } }

    /// Makes a value of a string.
    func parsed<Value>(as wanted: String = "a string", _ parse: (String) throws -> Value) throws -> Value {
        guard case .string(let text) = value.content else { throw expected(wanted) }
        do { return try parse(text) } catch { throw fault("\(error)") }
    }

    func integer(in range: ClosedRange<Int>) throws -> Int {
        // In JSON, 4.0 is a whole number too.
        try number("a whole number from \(range.lowerBound) to \(range.upperBound)", in: range) { text in
            Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
        }
    }

    func number(in range: ClosedRange<Double>) throws -> Double {
        func brief(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }
        return try number("a number from \(brief(range.lowerBound)) to \(brief(range.upperBound))", in: range) { Double($0) }
    }

    private func number<Number>(_ wanted: String, in range: ClosedRange<Number>, _ read: (String) -> Number?) throws -> Number {
        guard case .number(let text) = value.content else { throw expected(wanted) }
        if let number = read(text), range.contains(number) { return number }
        throw fault("expected \(wanted), found \(printable(text, limit: 24))")
    }

    func duration(minimum: Duration = .nanoseconds(1)) throws -> Duration {
        try parsed(as: "a duration in quotes such as \"400ms\"") { try DurationText.parse($0, minimum: minimum) }
    }

    /// A number of milliseconds, exact to the nanosecond.
    func milliseconds(from minimum: Duration) throws -> Duration {
        let milliseconds = try number(in: minimum.milliseconds...OperationGraph.maximumDuration.milliseconds)
        // The text has milliseconds with up to six decimals; the product is rounded, for it is a Double.
        return .nanoseconds(Nanoseconds((milliseconds * 1e6).rounded()))
    }

    /// Reads a word out of a few, each spelled exactly.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ words: Word.Type, called name: String) throws -> Word {
        try parsed { try parseWord($0, words, called: name) }
    }

    /// A list of names, each once.
    func labels(_ name: String, orNone: Bool = false) throws -> [String] {
        let labels = try elements().map { try $0.label(name) }
        if labels.isEmpty, !orNone { throw fault("the list is empty; expected one or more") }
        // To the list, for either of the two may go.
        if let twice = firstRepeated(labels) { throw fault("\(name) \(quoted(twice)) is given twice") }
        return labels
    }

    /// A text that names something, as an identifier does.
    func label(_ name: String) throws -> String {
        let text = try string()
        if let complaint = OperationGraph.complaint(aboutIdentifier: text) {
            throw fault("\(name) \(quoted(text, limit: 32)) \(complaint)")
        }
        return text
    }

    // MARK: - Faults

    func fault(_ message: String) -> ScenarioError {
        ScenarioError(position: value.position, path: path.description, message: message)
    }

    /// A complaint about a key itself, rather than about its value.
    func fault(_ message: String, at key: String) -> ScenarioError {
        guard case .object(let members) = value.content else { return fault(message) }
        let position = members.first { $0.key == key }?.position ?? value.position
        return ScenarioError(position: position, path: JSONPath.key(key, of: path).description, message: message)
    }

    func expected(_ what: String) -> ScenarioError { fault("expected \(what), found \(value.kind)") }

    func missing(_ key: String) -> ScenarioError { fault("missing key '\(key)'") }
}
