import Foundation
import Sequencer

/// Reads and checks a scenario file; `file` is what messages call it.
///
/// The result has unique identifiers, and its dependencies and its milestone exist; whether there is a cycle, the graph finds. The first mistake is
/// thrown, in the order of the file and then of the names. Linear time, no recursion as deep as the graph.
func parseScenario(_ bytes: [UInt8], file: String) throws(ScenarioError) -> ScenarioDocument {
    let (document, mistakes) = try inspectScenario(bytes, file: file, limit: 1)
    if let first = mistakes.first { throw first }
    return document
}

/// Reads a scenario file past its mistakes: what could be read of it, and the first `limit` mistakes, in the order in which they are found.
///
/// - Throws: the mistake that leaves nothing to read on: this is no JSON, or none of a scenario.
func inspectScenario(
    _ bytes: [UInt8],
    file: String,
    limit: Int
) throws(ScenarioError) -> (document: ScenarioDocument, mistakes: [ScenarioError]) {
    if bytes.count > ScenarioDocument.sizeLimit {
        let message = "the scenario has \(bytes.count) bytes; at most \(ScenarioDocument.sizeLimit) are read"
        throw ScenarioError(file: file, position: SourceLines([]).position(of: 0), path: "", message: message)
    }
    return try readDocument(bytes, file: file) { root, lines throws(ScenarioFault) in
        let faults = ScenarioFaults(limit: limit)
        let document = try ScenarioParser(lines: lines, faults: faults).parse(root)
        return (document, faults.all.map { ScenarioError($0, file: file, lines) })
    }
}

/// The mistakes that were found so far.
private final class ScenarioFaults {
    private(set) var all: [ScenarioFault] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    var isFull: Bool { all.count >= limit }

    /// Reads something, and goes on after a mistake in it.
    ///
    /// - Throws: the mistake after which nothing more is read.
    func keep(_ read: () throws(ScenarioFault) -> Void) throws(ScenarioFault) {
        let count = all.count
        do throws(ScenarioFault) {
            try read()
        } catch {
            // Full by a mistake further inside, which is there already.
            if isFull, all.count > count { throw error }
            all.append(error)
            if isFull { throw error }
        }
    }
}

/// Turns the values of a file into a document, one method for each kind of object in the format.
private struct ScenarioParser {
    let lines: SourceLines
    let faults: ScenarioFaults

    private enum ScenarioKey: String, CaseIterable {
        case schema, name, budget, milestone, initialDisplay, lanes, deadline, operations
    }

    private enum OperationKey: String, CaseIterable {
        case id, title, after, on, timeout, onFailure, fallback, retry, interactive, deferrable, cuttable, exclusive, qos, expected, when,
            work
    }

    private enum RetryKey: String, CaseIterable {
        case attempts, backoff, multiplier, jitter, maxBackoff
    }

    private enum ThreadWord: String, CaseIterable {
        case main, background
    }

    /// - Throws: the mistake that leaves nothing to read; others are among the faults.
    func parse(_ root: ScenarioField) throws(ScenarioFault) -> ScenarioDocument {
        try checkSchema(root)
        var document = ScenarioDocument(name: "")
        do throws(ScenarioFault) { try parse(root, &document) } catch { if !faults.isFull { throw error } }
        return document
    }

    private func parse(_ root: ScenarioField, _ document: inout ScenarioDocument) throws(ScenarioFault) {
        var operations: [ScenarioField]?
        for (key, field) in try members(of: root, ScenarioKey.self) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                case .schema: break
                case .name: document.name = try field.label("the name")
                case .budget: document.budget = try field.duration()
                case .milestone: document.milestone = try field.label("the milestone")
                case .initialDisplay: document.initialDisplay = try field.label("the initial display")
                case .lanes: document.lanes = try field.integer(in: ScenarioDocument.lanes)
                case .deadline: document.deadline = try field.duration()
                case .operations:
                    let fields = try field.elements()
                    if fields.count > ScenarioDocument.operationLimit {
                        throw field.fault("\(fields.count) operations; at most \(ScenarioDocument.operationLimit) are allowed")
                    }
                    document.operations.reserveCapacity(fields.count)
                    operations = fields
                    for (index, field) in fields.enumerated() {
                        document.operations.append(OperationDocument(id: ""))
                        try faults.keep { () throws(ScenarioFault) in document.operations[index] = try parseOperation(field) }
                    }
                }
            }
        }
        try faults.keep { () throws(ScenarioFault) in
            if root.child("name") == nil { throw root.missing("name") }
        }
        try faults.keep { () throws(ScenarioFault) in
            if root.child("operations") == nil { throw root.missing("operations") }
        }
        // Names that could not be read are not to be missed.
        guard let operations else { return }
        try ScenarioGraphCheck(document: document, root: root, operations: operations, lines: lines, faults: faults).run()
    }

    /// The members of an object that have a known key; the others are mistakes.
    private func members<Key: RawRepresentable<String> & CaseIterable>(
        of object: ScenarioField,
        _ keys: Key.Type
    ) throws(ScenarioFault) -> [(key: Key, field: ScenarioField)] {
        try object.members(keys) { fault throws(ScenarioFault) in try faults.keep { () throws(ScenarioFault) in throw fault } }
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
        var isNamed = false
        for (key, field) in try members(of: object, OperationKey.self) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                case .id:
                    isNamed = true
                    operation.id = try field.label("the id")
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
                case .cuttable: operation.cuttable = try field.bool()
                case .exclusive: operation.exclusive = try parseResources(field)
                case .qos: operation.qos = try field.word(QualityDocument.self, called: "quality of service")
                case .expected: operation.expected = try field.duration(minimum: .zero)
                case .when: operation.when = try field.bool()
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

    private func parseResources(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        let resources = try field.labels("the resource")
        var seen: Set<String> = []
        for resource in resources where !seen.insert(resource).inserted {
            throw field.fault("the resource \(quoted(resource)) is given twice")
        }
        return resources
    }

    private func parseRetry(_ object: ScenarioField) throws(ScenarioFault) -> RetryPolicy {
        var attempts: Int?
        var most: Duration?
        var retry = RetryPolicy(attempts: 1, backoff: .zero)
        for (key, field) in try object.members(RetryKey.self) {
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
        if most < retry.backoff {
            throw object.fault("'maxBackoff' \(DurationText.format(most)) is less than 'backoff' \(DurationText.format(retry.backoff))")
        }
        retry.maximumBackoff = most
        return retry
    }
}

// MARK: - Work

extension ScenarioParser {
    private enum WorkKey: String, CaseIterable {
        case simulate, compute, command, http
    }

    private enum HTTPKey: String, CaseIterable {
        case url, method, headers
    }

    private func parseWork(_ object: ScenarioField) throws(ScenarioFault) -> WorkDocument {
        let members = try object.members(WorkKey.self, called: "kind of work")
        guard let (key, field) = members.first else {
            throw object.fault("the work is empty; expected \(alternatives(WorkKey.allCases.map(\.rawValue)))")
        }
        if members.count > 1 {
            let given = members.map { quoted($0.key.rawValue) }.joined(separator: " and ")
            throw object.fault("an operation has one kind of work, found \(given)")
        }
        switch key {
        case .simulate: return .simulate(try field.duration(minimum: .zero))
        case .compute: return .compute(try field.duration(minimum: .zero))
        case .command: return .command(try parseCommand(field))
        case .http: return .http(try parseHTTP(field))
        }
    }

    private func parseCommand(_ field: ScenarioField) throws(ScenarioFault) -> [String] {
        var words: [String] = []
        for element in try field.elements() {
            let word = try element.string()
            // A program receives its arguments as C strings, which end at the first zero.
            if word.utf8.contains(0) { throw element.fault("a word of a command cannot hold the character U+0000") }
            words.append(word)
        }
        guard let program = words.first else { throw field.fault("the command is empty; expected a program and its arguments") }
        if program.allSatisfy(\.isWhitespace) { throw field.fault("the command's program is blank") }
        return words
    }

    private func parseHTTP(_ object: ScenarioField) throws(ScenarioFault) -> HTTPDocument {
        var url: URL?
        var method: String?
        var headers: [String: String] = [:]
        for (key, field) in try object.members(HTTPKey.self) {
            switch key {
            case .url:
                let text = try field.string()
                do throws(ValueError) { url = try URLText.parse(text) } catch { throw field.fault(error.message) }
            case .method:
                let word = try field.string()
                guard HTTPDocument.methods.contains(word) else {
                    throw field.fault(unknownWord(word, called: "method", among: HTTPDocument.methods))
                }
                method = word
            case .headers: headers = try parseHeaders(field)
            }
        }
        guard let url else { throw object.missing("url") }
        return HTTPDocument(url: url, method: method ?? "GET", headers: headers)
    }

    /// Header values may be secrets: no message repeats one.
    private func parseHeaders(_ object: ScenarioField) throws(ScenarioFault) -> [String: String] {
        var headers: [String: String] = [:]
        var seen: Set<String> = []
        for member in try object.object() {
            let field = ScenarioField(value: member.value, path: .key(member.key, of: object.path))
            let isToken = member.key.utf8.allSatisfy(URLText.isToken)
            if member.key.isEmpty || !isToken {
                throw member.fault("\(quoted(member.key)) is not the name of a header", in: object)
            }
            if !seen.insert(member.key.lowercased()).inserted {
                throw member.fault("the header \(quoted(member.key)) is given twice", in: object)
            }
            let text = try field.string()
            if text.unicodeScalars.contains(where: { !$0.isPrintable && $0 != "\t" }) {
                throw field.fault("the header's value holds a control character")
            }
            headers[member.key] = text
        }
        return headers
    }
}

/// Checks that the operations of a scenario name one another rightly: every name is defined once, and nothing waits for itself.
///
/// The graph that is made of the document finds mistakes that take more than names to see, such as a cycle.
private struct ScenarioGraphCheck {
    let document: ScenarioDocument
    /// The values that the document was read from, for the places in messages.
    let root: ScenarioField
    let operations: [ScenarioField]
    let lines: SourceLines
    let faults: ScenarioFaults

    func run() throws(ScenarioFault) {
        let indices = try indicesOfUniqueIDs()
        try checkDependencies(indices)
        try checkDisplay(document.milestone, at: "milestone", "the milestone", OperationGraph.deferrableMilestone, indices)
        // What is said of the milestone is not said once more.
        guard document.initialDisplay != document.milestone else { return }
        try checkDisplay(document.initialDisplay, at: "initialDisplay", "the initial display", OperationGraph.deferrableDisplay, indices)
    }

    /// Checks that a step which shows something is there, and is never put off.
    private func checkDisplay(
        _ id: String?,
        at key: String,
        _ role: String,
        _ deferrable: String,
        _ indices: [String: Int]
    ) throws(ScenarioFault) {
        guard let id else { return }
        try faults.keep { () throws(ScenarioFault) in
            guard let index = indices[id] else {
                throw (root.child(key) ?? root).fault("\(role) \(quoted(id)) is not an operation\(nearest(id))")
            }
            if document.operations[index].deferrable { throw field("deferrable", of: index).fault(deferrable) }
        }
    }

    private func indicesOfUniqueIDs() throws(ScenarioFault) -> [String: Int] {
        var indices: [String: Int] = [:]
        indices.reserveCapacity(document.operations.count)
        // One without an id is a mistake that is known.
        for (index, operation) in document.operations.enumerated() where !operation.id.isEmpty {
            if let first = indices[operation.id] {
                let place = lines.position(of: field("id", of: first).value.offset)
                let message = "duplicate id \(quoted(operation.id)); operations[\(first)] has it already, at \(place)"
                try faults.keep { () throws(ScenarioFault) in throw field("id", of: index).fault(message) }
            } else {
                indices[operation.id] = index
            }
        }
        return indices
    }

    private func checkDependencies(_ indices: [String: Int]) throws(ScenarioFault) {
        for (index, operation) in document.operations.enumerated() {
            var seen: Set<Int> = []
            for (position, id) in operation.after.enumerated() {
                var complaint: String?
                if let dependency = indices[id] {
                    if id == operation.id { complaint = "\(quoted(id)) depends on itself" }
                    // Most operations wait for one other: no set for those.
                    if operation.after.count > 1, !seen.insert(dependency).inserted {
                        complaint = "the dependency \(quoted(id)) is given twice"
                    }
                } else {
                    complaint = "unknown dependency \(quoted(id)) of \(quoted(operation.id))\(nearest(id))"
                }
                guard let complaint else { continue }
                try faults.keep { () throws(ScenarioFault) in throw dependency(position, of: index).fault(complaint) }
            }
        }
    }

    /// For the first mistakes only: each takes a pass over all names.
    private func nearest(_ id: String) -> String {
        faults.all.count >= 20 ? "" : question(nearestName(to: id, in: document.operations.lazy.map(\.id)))
    }

    private func field(_ key: String, of index: Int) -> ScenarioField {
        operations[index].child(key) ?? operations[index]
    }

    private func dependency(_ position: Int, of index: Int) -> ScenarioField {
        let after = field("after", of: index)
        guard let elements = try? after.elements(), elements.indices.contains(position) else { return after }
        return elements[position]
    }
}
