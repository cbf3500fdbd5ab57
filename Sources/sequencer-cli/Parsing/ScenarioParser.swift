import Foundation
import Sequencer
import StartupNetworking

/// Reads and checks a scenario file; `file` is what messages call it.
///
/// The result has unique identifiers, and its dependencies and its milestone exist; whether there is a cycle, the graph
/// finds. The first mistake is thrown, in the order of the file and then of the names. Linear time, no recursion as
/// deep as the graph.
///
/// - Parameter schemas: those of other files that the command reads; the complaint about an unknown one names them
///     first.
func parseScenario(_ bytes: [UInt8], file: String, orOf schemas: [String] = []) throws(ScenarioError) -> ScenarioDocument {
    let (document, mistakes) = try inspectScenario(bytes, file: file, limit: 1, orOf: schemas)
    if let first = mistakes.first { throw first }
    return document
}

/// Reads a scenario file past its mistakes: what could be read of it, and the first `limit` mistakes, in the order in
/// which they are found.
///
/// - Throws: the mistake that ends the reading: the text is not JSON, or not a scenario.
func inspectScenario(
    _ bytes: [UInt8],
    file: String,
    limit: Int,
    orOf schemas: [String] = []
) throws(ScenarioError) -> (document: ScenarioDocument, mistakes: [ScenarioError]) {
    if bytes.count > ScenarioDocument.sizeLimit {
        throw ScenarioError(file: file, message: "the scenario has \(bytes.count) bytes; at most \(ScenarioDocument.sizeLimit) are read")
    }
    return try readDocument(bytes, file: file) { root in
        let parser = ScenarioParser(limit: limit)
        try parser.parse(root, orOf: schemas)
        return (parser.document, parser.mistakes.map { ScenarioError($0, file: file) })
    }
}

/// Makes a document of the values of a file, by the tables of ``ScenarioKeys``, and continues after a mistake in one of
/// them.
final class ScenarioParser {
    fileprivate(set) var document = ScenarioDocument(name: "")
    private(set) var mistakes: [any Error] = []
    /// The values that the operations were read from; nil without an array of them.
    private(set) var operations: [ScenarioField]?
    private let limit: Int

    /// - Parameter limit: how many mistakes are kept.
    init(limit: Int) { self.limit = limit }

    var isFull: Bool { mistakes.count >= limit }

    /// Reads or checks something, and keeps the mistake in it.
    func keep(_ read: () throws -> Void) { do { try read() } catch { if !isFull { mistakes.append(error) } } }

    /// - Throws: the mistake that leaves nothing to read.
    func parse(_ root: ScenarioField, orOf schemas: [String]) throws {
        let isGraph = try isGraph(root, orOf: schemas)
        var parser = self
        let keys = isGraph ? ScenarioKeys.graph : ScenarioKeys.scenario
        try root.read(keys, into: &parser, keep: keep)
        for key in [isGraph ? "scenario" : "name", "operations"] { keep { _ = try root.required(key) } }
        // Names that could not be read are not to be missed.
        if let operations, !isFull { checkNames(root, operations) }
    }

    /// First of all: a file in another format would only earn misleading complaints.
    private func isGraph(_ root: ScenarioField, orOf schemas: [String]) throws -> Bool {
        _ = try root.children()
        let known = schemas + [ScenarioDocument.schema, ScenarioDocument.graphSchema]
        let read = "this version reads \(alternatives(known))"
        guard let field = root.child("schema") else { throw root.fault("missing key 'schema'; \(read)") }
        let schema = try field.string()
        if schema == ScenarioDocument.graphSchema { return true }
        if schema == ScenarioDocument.schema { return false }
        // Newer than this one is told apart from unknown, for there the tool has to be replaced, not the file.
        let isNewer = known.contains { schema.hasPrefix($0.dropLast()) && schema > $0 }
        let name = isNewer ? "the schema \(quoted(schema)) is newer than this version" : "unknown schema \(quoted(schema))"
        throw field.fault("\(name); \(read)")
    }

    /// Reads the operations of a scenario or of a graph.
    fileprivate func readOperations(_ field: ScenarioField, isGraph: Bool) throws {
        let fields = try field.elements()
        // Before memory is taken for them.
        if fields.count > ScenarioDocument.operationLimit {
            throw field.fault("\(fields.count) operations; at most \(ScenarioDocument.operationLimit) are allowed")
        }
        document.operations.reserveCapacity(fields.count)
        let keys = isGraph ? ScenarioKeys.graphOperation : ScenarioKeys.scenarioOperation
        for object in fields where !isFull {
            // An operation for each, readable or not: places of operations and of their documents are the same.
            var operation = OperationDocument(id: "", position: object.value.position)
            // The work of a graph's operation is the app's own, and stays there.
            if isGraph { operation.work = .expected(keepsThread: false) }
            keep {
                try object.read(ScenarioKeys.operation, keys, into: &operation, keep: keep)
                _ = try object.required("id")
                if !isGraph, operation.fallback != nil, let policy = object.child("onFailure") {
                    throw policy.fault("'onFailure' and 'fallback' exclude each other; a fallback already says what a failure means")
                }
                if operation.cuttable, operation.fallback == nil, let field = object.child("cuttable") {
                    throw field.fault(OperationGraph.cuttableWithoutFallback)
                }
            }
            document.operations.append(operation)
        }
        // As in code: one of several that fails alone fails nothing.
        let racers = Set(document.operations.lazy.flatMap { $0.firstOf ?? [] })
        for place in document.operations.indices
        where racers.contains(document.operations[place].id) && document.operations[place].onFailure == .required {
            document.operations[place].onFailure = .skipDependents
        }
        operations = fields
    }
}

/// The keys of each kind of object in scenarios (`sequencer.scenario/1`) and in graphs (`sequencer.graph/1`), with
/// their readings.
///
/// A graph is the output of `graph --json` and `ValidatedGraph.json()`. Derived values, such as the critical path, are
/// not read.
enum ScenarioKeys {
    typealias Keys<Object> = KeyValuePairs<String, @Sendable (inout Object, ScenarioField) throws -> Void>

    fileprivate static let scenario: Keys<ScenarioParser> = [
        "schema": { _, _ in },
        "name": { $0.document.name = try $1.label("the name") },
        "budget": { $0.document.budget = try $1.duration() },
        "milestone": { $0.document.milestone = try $1.label("the milestone") },
        "initialDisplay": { $0.document.initialDisplay = try $1.label("the initial display") },
        "initialDisplayBudget": { $0.document.initialDisplayBudget = try $1.duration() },
        "lanes": { $0.document.lanes = try $1.integer(in: ScenarioDocument.lanes) },
        "deadline": { $0.document.deadline = try $1.duration() },
        "resources": { $0.document.resources = try limits($1) },
        "facts": { $0.document.facts = try facts($1) },
        "operations": { try $0.readOperations($1, isGraph: false) },
    ]

    /// The keys of an operation in either format.
    fileprivate static let operation: Keys<OperationDocument> = [
        "id": { $0.id = try $1.label("the id") },
        "after": { $0.after = try $1.elements().map(dependencyDocument) },
        "on": { $0.onMain = try $1.word(ThreadWord.self, called: "thread") == .main },
        "interactive": { $0.interactive = try $1.bool() },
        "deferrable": { $0.deferrable = try $1.bool() },
        "cuttable": { $0.cuttable = try $1.bool() },
        "always": { $0.always = try $1.bool() },
        "cancellationShield": { $0.cancellationShield = try $1.bool() },
        "firstOf": { $0.firstOf = try $1.labels("the id") },
        "heldOver": { $0.heldOver = try $1.labels("the id") },
    ]

    fileprivate static let scenarioOperation: Keys<OperationDocument> = [
        "title": { $0.title = try $1.label("the title") },
        "timeout": { $0.timeout = try $1.duration() },
        "delay": { $0.delay = try $1.duration() },
        "onFailure": { $0.onFailure = try $1.word(FailurePolicy.self, called: "failure policy") },
        "fallback": { $0.fallback = try $1.string() },
        "retry": { ($0.retry, $0.finalStatuses) = try retryPolicy($1) },
        "exclusive": { $0.exclusive = try $1.labels("the resource", orNone: true) },
        "qos": { $0.qos = try $1.word(QualityDocument.self, called: "quality of service") },
        "expected": { $0.expected = try $1.duration(minimum: .zero) },
        "when": {
            switch $1.value.content {
            case .bool(let bool): $0.when = bool
            case .object: $0.conditions = try conditions($1)
            default: throw $1.expected("true, false or an object of facts")
            }
        },
        "work": { $0.work = try workDocument($1) },
    ]

    private static let dependency: Keys<DependencyDocument> = [
        "id": { $0.id = try $1.label("the id") },
        "onFailure": { $0.onFailure = try $1.word(DependencyDocument.Effect.self, called: "failure policy of a dependency") },
        "optional": { $0.isOptional = try $1.bool() },
    ]

    private static let retry: Keys<(policy: RetryPolicy, unless: [Int])> = [
        "attempts": { $0.policy.attempts = try $1.integer(in: 1...100) },
        "timeout": { $0.policy.timeout = try $1.duration() },
        "backoff": { $0.policy.backoff = try $1.duration(minimum: .zero) },
        "multiplier": { $0.policy.multiplier = try $1.number(in: 1...100) },
        "jitter": { $0.policy.jitter = try $1.number(in: 0...1) },
        "maxBackoff": { $0.policy.maximumBackoff = try $1.duration() },
        "unless": { $0.unless = try $1.elements().map { try $0.integer(in: 1...599) } },
    ]

    private static let work: Keys<WorkDocument> = [
        "simulate": { $0 = .simulate(try $1.duration(minimum: .zero)) },
        "compute": { $0 = .compute(try $1.duration(minimum: .zero)) },
        "command": { $0 = .command(try commandWords($1)) },
        "http": { $0 = .http(try httpDocument($1)) },
    ]

    private static let http: Keys<(url: URL?, method: HTTPMethod, headers: HTTPHeaders)> = [
        "url": { $0.url = try $1.parsed(URLText.parse) },
        // Exactly: methods are case-sensitive (RFC 9110, section 9.1).
        "method": { $0.method = try $1.word(HTTPMethod.self, called: "method") },
        "headers": { $0.headers = try headers($1) },
    ]

    fileprivate static let graph: Keys<ScenarioParser> = [
        "schema": { _, _ in },
        // An app may give its graphs and resources any name.
        "scenario": { $0.document.name = try $1.string() },
        // A graph without a milestone writes null.
        "milestone": { if $1.value.content != .null { $0.document.milestone = try $1.label("the milestone") } },
        "initialDisplay": { $0.document.initialDisplay = try $1.label("the initial display") },
        "criticalPath": { _, _ in }, "criticalPathMs": { _, _ in },
        "resources": { $0.document.resources = try limits($1) },
        "operations": { try $0.readOperations($1, isGraph: true) },
        "impliedEdges": { _, _ in },
    ]

    fileprivate static let graphOperation: Keys<OperationDocument> = [
        "title": { $0.title = try $1.string() },
        "exclusive": { $0.exclusive = try $1.elements().map { try $0.string() } },
        "exclusiveOfProcess": { $0.exclusiveOfProcess = try $1.elements().map { try $0.string() } },
        // Exact zero is allowed: a step that only joins takes no time.
        "expectedMs": { $0.expected = try $1.milliseconds(from: .zero) },
        "expectsOwnTime": { $0.expectsOwnTime = try $1.bool() },
        "timeoutMs": { $0.timeout = try $1.milliseconds(from: .nanoseconds(1)) },
        "delayMs": { $0.delay = try $1.milliseconds(from: .nanoseconds(1)) },
        "onFailure": {
            let word = try $1.word(GraphFailureWord.self, called: "failure policy")
            // The value that stands in is not in a printed graph; an empty one keeps the policy.
            if let policy = FailurePolicy(rawValue: word.rawValue) { $0.onFailure = policy } else { $0.fallback = "" }
        },
        "join": { if try $1.bool() { $0.work = .none } },
        "keepsThread": {
            let keepsThread = try $1.bool()
            // A join has no work.
            if $0.work != .none { $0.work = .expected(keepsThread: keepsThread) }
        },
        // A printed graph has no pauses between attempts.
        "retryAttempts": { $0.retry = RetryPolicy(attempts: try $1.integer(in: 1...100), timeout: $0.retry?.timeout, backoff: .zero) },
        "attemptTimeoutMs": {
            $0.retry = RetryPolicy(attempts: $0.retry?.attempts ?? 1, timeout: try $1.milliseconds(from: .nanoseconds(1)), backoff: .zero)
        },
        "switchedOff": { if try $1.bool() { $0.when = false } },
        "level": { _, _ in }, "slackMs": { _, _ in }, "critical": { _, _ in },
    ]

    private enum ThreadWord: String, CaseIterable { case main, background }

    private enum GraphFailureWord: String, CaseIterable { case required, skipDependents, `continue`, fallback }

    private static func dependencyDocument(_ field: ScenarioField) throws -> DependencyDocument {
        guard case .object = field.value.content else { return DependencyDocument(try field.label("the id")) }
        var document = DependencyDocument("")
        try field.read(dependency, into: &document)
        _ = try field.required("id")
        return document
    }

    private static func retryPolicy(_ field: ScenarioField) throws -> (RetryPolicy, [Int]) {
        var document = (policy: RetryPolicy(attempts: 1, backoff: .zero), unless: [Int]())
        try field.read(retry, into: &document)
        let policy = document.policy
        _ = try field.required("attempts")
        // A limit below the first pause would never let it take place.
        if field.child("maxBackoff") != nil, policy.maximumBackoff < policy.backoff {
            let (most, backoff) = (DurationText.format(policy.maximumBackoff), DurationText.format(policy.backoff))
            throw field.fault("'maxBackoff' \(most) is less than 'backoff' \(backoff)")
        }
        return document
    }

    /// How many operations may hold each resource at the same time.
    private static func limits(_ field: ScenarioField) throws -> [String: Int] {
        let range = 1...OperationGraph.maximumResourceLimit
        return Dictionary(uniqueKeysWithValues: try field.children().map { ($0.key, try $0.field.integer(in: range)) })
    }

    /// The facts of a scenario, each with the values that it may have.
    private static func facts(_ field: ScenarioField) throws -> [String: [String]] {
        let facts = try field.children().map { name, value in
            // The command line divides a fact at its first sign.
            let sign = name.contains("=") ? "holds '='" : nil
            if let complaint = OperationGraph.complaint(aboutIdentifier: name) ?? sign {
                throw field.fault("the name of a fact \(complaint)", at: name)
            }
            return (name, try value.labels("the value"))
        }
        return Dictionary(uniqueKeysWithValues: facts)
    }

    /// The conditions of an operation: for each fact its value, or the values that it may have.
    private static func conditions(_ field: ScenarioField) throws -> [FactCondition] {
        let conditions = try field.children().map { fact, value in
            // A value without an array is the usual condition.
            let isOne = if case .string = value.value.content { true } else { false }
            return FactCondition(fact: fact, values: isOne ? [try value.label("the value")] : try value.labels("the value"))
        }
        // No condition at all would be true always, and hide that something is missing.
        if conditions.isEmpty { throw field.fault("the condition is empty; expected facts and their values") }
        return conditions
    }

    /// The work of an operation: a simulation, a computation, a program or a request.
    private static func workDocument(_ field: ScenarioField) throws -> WorkDocument {
        let given = try field.children().map { quoted($0.key) }
        if given.count != 1 {
            let found = given.isEmpty ? "nothing" : given.joined(separator: " and ")
            throw field.fault("expected one kind of work, \(alternatives(work.map(\.key))), found \(found)")
        }
        var document = WorkDocument.none
        try field.read(work, called: "kind of work", into: &document)
        return document
    }

    private static func commandWords(_ field: ScenarioField) throws -> [String] {
        let words = try field.elements().map { element in
            let word = try element.string()
            // A program receives its arguments as C strings, which end at the first zero.
            if word.utf8.contains(0) { throw element.fault("a word of a command cannot hold the character U+0000") }
            return word
        }
        if words.isEmpty { throw field.fault("the command is empty; expected a program and its arguments") }
        // Arguments may be blank or empty, the program may not.
        if words[0].allSatisfy(\.isWhitespace) { throw field.fault("the command's program is blank") }
        return words
    }

    private static func httpDocument(_ field: ScenarioField) throws -> HTTPRequest {
        var document = (url: URL?.none, method: HTTPMethod.get, headers: HTTPHeaders())
        try field.read(http, into: &document)
        guard let url = document.url else { throw field.missing("url") }
        return HTTPRequest(document.method, url, headers: document.headers)
    }

    /// Header values may be secrets: no message repeats one.
    private static func headers(_ field: ScenarioField) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in try field.children() {
            // RFC 9110, section 5.1: a name is a token.
            if name.isEmpty || !name.utf8.allSatisfy(\.isTokenCharacter) {
                throw field.fault("\(quoted(name)) is not the name of a header", at: name)
            }
            // Names of headers do not depend on case.
            if headers[name] != nil { throw field.fault("the header \(quoted(name)) is given twice", at: name) }
            let text = try value.string()
            // A line break would begin another header; a tab is allowed (RFC 9110, section 5.5).
            if text.unicodeScalars.contains(where: { !$0.isPrintable && $0 != "\t" }) {
                throw value.fault("the header's value holds a control character")
            }
            headers[name] = text
        }
        return headers
    }
}

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
