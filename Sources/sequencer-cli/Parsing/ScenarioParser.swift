/// Reads and checks a scenario file; `file` is what messages call it.
///
/// What comes back is sound: identifiers are unique, dependencies and the milestone exist, and there is no cycle. The first
/// thing wrong, in the order of the file and then of the graph, is thrown. Linear time, no recursion as deep as the graph.
func parseScenario(_ bytes: [UInt8], file: String) throws(ScenarioError) -> ScenarioDocument {
    let lines = SourceLines(bytes)
    if bytes.count > ScenarioDocument.sizeLimit {
        let message = "the scenario has \(bytes.count) bytes; at most \(ScenarioDocument.sizeLimit) are read"
        throw ScenarioError(file: file, position: lines.position(of: 0), path: "", message: message)
    }
    let value: JSONValue
    do throws(JSONError) {
        value = try parseJSON(bytes)
    } catch {
        throw ScenarioError(file: file, position: lines.position(of: error.offset), path: "", message: error.message)
    }
    do throws(ScenarioFault) {
        return try ScenarioParser(lines: lines).parse(ScenarioField(value: value, path: .root))
    } catch {
        throw ScenarioError(file: file, position: lines.position(of: error.offset), path: error.path.description, message: error.message)
    }
}

/// Turns the values of a file into a document, one method for each kind of object in the format.
struct ScenarioParser {
    let lines: SourceLines

    private enum ScenarioKey: String, CaseIterable {
        case schema, name, budget, milestone, lanes, deadline, operations
    }

    private enum OperationKey: String, CaseIterable {
        case id, title, after, on, timeout, onFailure, fallback, retry, interactive, deferrable, exclusive, qos, expected, when, work
    }

    private enum RetryKey: String, CaseIterable {
        case attempts, backoff, multiplier, jitter, maxBackoff
    }

    private enum ThreadWord: String, CaseIterable {
        case main, background
    }

    func parse(_ root: ScenarioField) throws(ScenarioFault) -> ScenarioDocument {
        try checkSchema(root)
        var document = ScenarioDocument(name: "")
        var operations: [ScenarioField]?
        for (key, field) in try root.members(ScenarioKey.self) {
            switch key {
            case .schema: break
            case .name: document.name = try field.label("the name")
            case .budget: document.budget = try field.duration()
            case .milestone: document.milestone = try field.label("the milestone")
            case .lanes: document.lanes = try field.integer(in: ScenarioDocument.lanes)
            case .deadline: document.deadline = try field.duration()
            case .operations:
                let fields = try field.elements()
                if fields.count > ScenarioDocument.operationLimit {
                    throw field.fault("\(fields.count) operations; at most \(ScenarioDocument.operationLimit) are allowed")
                }
                document.operations.reserveCapacity(fields.count)
                for field in fields { document.operations.append(try parseOperation(field)) }
                operations = fields
            }
        }
        if document.name.isEmpty { throw root.missing("name") }
        guard let operations else { throw root.missing("operations") }
        try ScenarioGraphCheck(document: document, root: root, operations: operations, lines: lines).run()
        return document
    }

    /// First of all: a file in another format would only earn misleading complaints.
    private func checkSchema(_ root: ScenarioField) throws(ScenarioFault) {
        _ = try root.object()
        guard let field = root.child("schema") else {
            throw root.fault("missing key 'schema'; this version reads '\(ScenarioDocument.schema)'")
        }
        let schema = try field.string()
        if schema == ScenarioDocument.schema { return }
        let family = ScenarioDocument.schema.dropLast()
        let problem =
            if schema.hasPrefix(family), let version = Int(schema.dropFirst(family.count)), version > 1 {
                "the schema \(quoted(schema)) is newer than this version"
            } else {
                "unknown schema \(quoted(schema))"
            }
        throw field.fault("\(problem); this version reads '\(ScenarioDocument.schema)'")
    }

    private func parseOperation(_ object: ScenarioField) throws(ScenarioFault) -> OperationDocument {
        var operation = OperationDocument(id: "", position: lines.position(of: object.value.offset))
        var policy: ScenarioField?
        for (key, field) in try object.members(OperationKey.self) {
            switch key {
            case .id: operation.id = try field.label("the id")
            case .title: operation.title = try field.label("the title")
            case .after: operation.after = try field.labels("the id")
            case .on: operation.onMain = try field.word(ThreadWord.self, called: "thread") == .main
            case .timeout: operation.timeout = try field.duration()
            case .onFailure:
                operation.onFailure = try field.word(FailurePolicyDocument.self, called: "failure policy")
                policy = field
            case .fallback: operation.fallback = try field.string()
            case .retry: operation.retry = try parseRetry(field)
            case .interactive: operation.interactive = try field.bool()
            case .deferrable: operation.deferrable = try field.bool()
            case .exclusive: operation.exclusive = try parseResources(field)
            case .qos: operation.qos = try field.word(QualityDocument.self, called: "quality of service")
            case .expected: operation.expected = try field.duration(minimum: .zero)
            case .when: operation.when = try field.bool()
            case .work: operation.work = try parseWork(field)
            }
        }
        if operation.id.isEmpty { throw object.missing("id") }
        if let policy, operation.fallback != nil {
            throw policy.fault("'onFailure' and 'fallback' exclude each other; a fallback already says what a failure means")
        }
        return operation
    }

    private func parseResources(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        let resources = try field.labels("the resource")
        var seen: Set<String> = []
        for resource in resources where !seen.insert(resource).inserted {
            throw field.fault("the resource \(quoted(resource)) is given twice")
        }
        return resources
    }

    private func parseRetry(_ object: ScenarioField) throws(ScenarioFault) -> RetryDocument {
        var attempts: Int?
        var retry = RetryDocument(attempts: 1)
        for (key, field) in try object.members(RetryKey.self) {
            switch key {
            case .attempts: attempts = try field.integer(in: RetryDocument.attempts)
            case .backoff: retry.backoff = try field.duration(minimum: .zero)
            case .multiplier: retry.multiplier = try field.number(in: 1...100)
            case .jitter: retry.jitter = try field.number(in: 0...1)
            case .maxBackoff: retry.maxBackoff = try field.duration()
            }
        }
        guard let attempts else { throw object.missing("attempts") }
        retry.attempts = attempts
        if let most = retry.maxBackoff, most < retry.backoff {
            throw object.fault("'maxBackoff' \(DurationText.format(most)) is less than 'backoff' \(DurationText.format(retry.backoff))")
        }
        return retry
    }
}
