import Foundation
import Sequencer

/// Reads and checks a scenario file; `file` is what messages call it.
///
/// The result has unique identifiers, and its dependencies and its milestone exist; whether there is a cycle, the graph finds. The first mistake is
/// thrown, in the order of the file and then of the names. Linear time, no recursion as deep as the graph.
///
/// - Parameter schemas: those of other files that the command reads; the complaint about an unknown one names them first.
func parseScenario(_ bytes: [UInt8], file: String, orOf schemas: [String] = []) throws(ScenarioError) -> ScenarioDocument {
    let (document, mistakes) = try inspectScenario(bytes, file: file, limit: 1, orOf: schemas)
    if let first = mistakes.first { throw first }
    return document
}

/// Reads a scenario file past its mistakes: what could be read of it, and the first `limit` mistakes, in the order in which they are found.
///
/// - Throws: the mistake that ends the reading: the text is not JSON, or not a scenario.
func inspectScenario(
    _ bytes: [UInt8],
    file: String,
    limit: Int,
    orOf schemas: [String] = []
) throws(ScenarioError) -> (document: ScenarioDocument, mistakes: [ScenarioError]) {
    if bytes.count > ScenarioDocument.sizeLimit {
        let message = "the scenario has \(bytes.count) bytes; at most \(ScenarioDocument.sizeLimit) are read"
        throw ScenarioError(file: file, position: SourceLines([]).position(of: 0), path: "", message: message)
    }
    return try readDocument(bytes, file: file) { root, lines throws(ScenarioFault) in
        let faults = ScenarioFaults(limit: limit)
        let document = try ScenarioParser(lines: lines, faults: faults, otherSchemas: schemas).parse(root)
        return (document, faults.all.map { ScenarioError($0, file: file, lines) })
    }
}

/// Turns the values of a file into a document, one method for each kind of object in the format.
struct ScenarioParser {
    let lines: SourceLines
    let faults: ScenarioFaults
    /// Those that the command reads besides scenarios and graphs.
    let otherSchemas: [String]

    private enum ScenarioKey: String, CaseIterable {
        case schema, name, budget, milestone, initialDisplay, initialDisplayBudget, lanes, deadline, resources, facts, operations
    }

    private enum OperationKey: String, CaseIterable {
        case id, title, after, on, timeout, onFailure, fallback, retry, interactive, deferrable, cuttable, exclusive, qos, expected, when,
            work
    }

    private enum DependencyKey: String, CaseIterable {
        case id, onFailure, optional
    }

    private enum RetryKey: String, CaseIterable {
        case attempts, backoff, multiplier, jitter, maxBackoff
    }

    private enum ThreadWord: String, CaseIterable {
        case main, background
    }

    /// Where each key belongs, for messages about keys in other places.
    static let homes: [String: String] = {
        var homes: [String: String] = [:]
        func add<Key: RawRepresentable<String> & CaseIterable>(_ keys: Key.Type, _ home: String) {
            // The first home counts: `id`, `after` and others are keys of an operation above all.
            for key in keys.allCases where homes[key.rawValue] == nil { homes[key.rawValue] = home }
        }
        add(OperationKey.self, "in an operation")
        add(ScenarioKey.self, "at the top of the file")
        add(RetryKey.self, "in 'retry'")
        add(WorkKey.self, "in 'work'")
        add(HTTPKey.self, "in 'http'")
        add(DependencyKey.self, "in an object in 'after'")
        return homes
    }()

    /// - Throws: the mistake that leaves nothing to read; others are among the faults.
    func parse(_ root: ScenarioField) throws(ScenarioFault) -> ScenarioDocument {
        let isGraph = try isGraph(root)
        var document = ScenarioDocument(name: "")
        do throws(ScenarioFault) {
            if isGraph { try parseGraph(root, &document) } else { try parse(root, &document) }
        } catch {
            // Full: the list has as many mistakes as were asked for.
            if !faults.isFull { throw error }
        }
        return document
    }

    private func parse(_ root: ScenarioField, _ document: inout ScenarioDocument) throws(ScenarioFault) {
        var operations: [ScenarioField]?
        for (key, field) in try members(of: root, ScenarioKey.self, homes: Self.homes) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                case .schema: break
                case .name: document.name = try field.label("the name")
                case .budget: document.budget = try field.duration()
                case .milestone: document.milestone = try field.label("the milestone")
                case .initialDisplay: document.initialDisplay = try field.label("the initial display")
                case .initialDisplayBudget: document.initialDisplayBudget = try field.duration()
                case .lanes: document.lanes = try field.integer(in: ScenarioDocument.lanes)
                case .deadline: document.deadline = try field.duration()
                case .resources: document.resources = try parseLimits(field)
                case .facts: document.facts = try parseFacts(field)
                case .operations:
                    operations = try parseOperations(field, &document) { field throws(ScenarioFault) in try parseOperation(field) }
                }
            }
        }
        // Also after mistakes: names can be checked as far as they were read.
        try check(document, root, operations, required: ["name", "operations"])
    }

    /// Reads the operations, each by `read`.
    ///
    /// - Returns: the values that they were read from.
    func parseOperations(
        _ field: ScenarioField,
        _ document: inout ScenarioDocument,
        _ read: (ScenarioField) throws(ScenarioFault) -> OperationDocument
    ) throws(ScenarioFault) -> [ScenarioField] {
        let fields = try field.elements()
        // Before memory is taken for them.
        if fields.count > ScenarioDocument.operationLimit {
            throw field.fault("\(fields.count) operations; at most \(ScenarioDocument.operationLimit) are allowed")
        }
        document.operations.reserveCapacity(fields.count)
        for (index, field) in fields.enumerated() {
            // One for each, readable or not: places of operations and of their documents are the same.
            document.operations.append(OperationDocument(id: ""))
            try faults.keep { () throws(ScenarioFault) in document.operations[index] = try read(field) }
        }
        return fields
    }

    /// Checks a document that has been read: that its keys are there, and that its names fit together.
    func check(
        _ document: ScenarioDocument,
        _ root: ScenarioField,
        _ operations: [ScenarioField]?,
        required keys: [String]
    ) throws(ScenarioFault) {
        for key in keys {
            try faults.keep { () throws(ScenarioFault) in
                if root.child(key) == nil { throw root.missing(key) }
            }
        }
        // Names that could not be read are not to be missed.
        guard let operations else { return }
        try ScenarioGraphCheck(document: document, root: root, operations: operations, lines: lines, faults: faults).run()
    }

    /// The members of an object that have a known key; the others are mistakes.
    func members<Key: RawRepresentable<String> & CaseIterable>(
        of object: ScenarioField,
        _ keys: Key.Type,
        homes: [String: String] = [:]
    ) throws(ScenarioFault) -> [(key: Key, field: ScenarioField)] {
        try object.members(keys, homes: homes) { fault throws(ScenarioFault) in
            try faults.keep { () throws(ScenarioFault) in throw fault }
        }
    }

    /// First of all: a file in another format would only earn misleading complaints.
    ///
    /// - Returns: whether it is a graph, and not a scenario.
    private func isGraph(_ root: ScenarioField) throws(ScenarioFault) -> Bool {
        _ = try root.object()
        let others = otherSchemas.map { "'\($0)', " }.joined()
        let read = "this version reads \(others)'\(ScenarioDocument.schema)' and '\(ScenarioDocument.graphSchema)'"
        guard let field = root.child("schema") else { throw root.fault("missing key 'schema'; \(read)") }
        let schema = try field.string()
        if schema == ScenarioDocument.schema { return false }
        if schema == ScenarioDocument.graphSchema { return true }
        // Newer than this one is told apart from unknown, for there the tool has to be replaced, not the file.
        let isNewer = (otherSchemas + [ScenarioDocument.schema, ScenarioDocument.graphSchema]).contains { known in
            schema.hasPrefix(known.dropLast()) && Int(schema.dropFirst(known.count - 1)).map { $0 > 1 } == true
        }
        let problem = isNewer ? "the schema \(quoted(schema)) is newer than this version" : "unknown schema \(quoted(schema))"
        throw field.fault("\(problem); \(read)")
    }

    private func parseOperation(_ object: ScenarioField) throws(ScenarioFault) -> OperationDocument {
        var operation = OperationDocument(id: "", position: lines.position(of: object.value.offset))
        var policy: ScenarioField?
        var isNamed = false
        for (key, field) in try members(of: object, OperationKey.self, homes: Self.homes) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                case .id:
                    isNamed = true
                    operation.id = try field.label("the id")
                case .title: operation.title = try field.label("the title")
                case .after: operation.after = try parseDependencies(field)
                case .on: operation.onMain = try field.word(ThreadWord.self, called: "thread") == .main
                case .timeout: operation.timeout = try field.duration()
                case .onFailure:
                    operation.onFailure = try field.word(FailurePolicyDocument.self, called: "failure policy")
                    policy = field
                case .fallback: operation.fallback = try field.string()
                case .retry: operation.retry = try parseRetry(field)
                case .interactive: operation.interactive = try field.bool()
                case .deferrable: operation.deferrable = try field.bool()
                case .cuttable: operation.cuttable = try field.bool()
                case .exclusive: operation.exclusive = try parseResources(field)
                case .qos: operation.qos = try field.word(QualityDocument.self, called: "quality of service")
                case .expected: operation.expected = try field.duration(minimum: .zero)
                case .when:
                    switch field.value.content {
                    case .bool(let bool): operation.when = bool
                    case .object: operation.conditions = try parseConditions(field)
                    default: throw field.expected("true, false or an object of facts")
                    }
                case .work: operation.work = try parseWork(field)
                }
            }
        }
        try faults.keep { () throws(ScenarioFault) in
            if !isNamed { throw object.missing("id") }
            if let policy, operation.fallback != nil {
                throw policy.fault("'onFailure' and 'fallback' exclude each other; a fallback already says what a failure means")
            }
            if operation.cuttable, operation.fallback == nil, let field = object.child("cuttable") {
                throw field.fault(OperationGraph.cuttableWithoutFallback)
            }
        }
        return operation
    }

    /// - Parameter name: reads the name of a resource.
    func parseResources(
        _ field: ScenarioField,
        _ name: (ScenarioField) throws(ScenarioFault) -> String = { field throws(ScenarioFault) in try field.label("the resource") }
    ) throws(ScenarioFault) -> [String] {
        var resources: [String] = []
        var seen: Set<String> = []
        for element in try field.elements() {
            let resource = try name(element)
            // To the array, for either of the two may go.
            if !seen.insert(resource).inserted { throw field.fault("the resource \(quoted(resource)) is given twice") }
            resources.append(resource)
        }
        return resources
    }

    /// How many operations may hold each resource at the same time.
    func parseLimits(_ object: ScenarioField) throws(ScenarioFault) -> [String: Int] {
        var limits: [String: Int] = [:]
        for member in try object.object() {
            let field = ScenarioField(value: member.value, path: .key(member.key, of: object.path))
            limits[member.key] = try field.integer(in: 1...OperationGraph.maximumResourceLimit)
        }
        return limits
    }

    private func parseDependencies(_ field: ScenarioField) throws(ScenarioFault) -> [DependencyDocument] {
        try field.elements().map { element throws(ScenarioFault) in
            if case .object = element.value.content { return try parseDependency(element) }
            return DependencyDocument(try element.label("the id"))
        }
    }

    private func parseDependency(_ object: ScenarioField) throws(ScenarioFault) -> DependencyDocument {
        var id: String?
        var policy: DependencyDocument.FailurePolicy?
        var isOptional = false
        for (key, field) in try object.members(DependencyKey.self, homes: Self.homes) {
            switch key {
            case .id: id = try field.label("the id")
            case .onFailure: policy = try field.word(DependencyDocument.FailurePolicy.self, called: "failure policy of a dependency")
            case .optional: isOptional = try field.bool()
            }
        }
        guard let id else { throw object.missing("id") }
        return DependencyDocument(id, onFailure: policy, isOptional: isOptional)
    }

    private func parseRetry(_ object: ScenarioField) throws(ScenarioFault) -> RetryPolicy {
        var attempts: Int?
        var most: Duration?
        var retry = RetryPolicy(attempts: 1, backoff: .zero)
        for (key, field) in try object.members(RetryKey.self, homes: Self.homes) {
            switch key {
            case .attempts: attempts = try field.integer(in: 1...100)
            case .backoff: retry.backoff = try field.duration(minimum: .zero)
            case .multiplier: retry.multiplier = try field.number(in: 1...100)
            case .jitter: retry.jitter = try field.number(in: 0...1)
            case .maxBackoff: most = try field.duration()
            }
        }
        guard let attempts else { throw object.missing("attempts") }
        retry.attempts = attempts
        guard let most else { return retry }
        // A limit below the first pause would never let it take place.
        if most < retry.backoff {
            throw object.fault("'maxBackoff' \(DurationText.format(most)) is less than 'backoff' \(DurationText.format(retry.backoff))")
        }
        retry.maximumBackoff = most
        return retry
    }
}
