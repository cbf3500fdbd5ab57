import Sequencer

/// Graphs (`sequencer.graph/1`), as `graph --json` and `ValidatedGraph.json()` write them.
///
/// Derived values, such as the critical path, are not read: they are computed anew.
extension ScenarioParser {
    private enum GraphKey: String, CaseIterable {
        case schema, scenario, milestone, initialDisplay, criticalPath, criticalPathMs, resources, operations, impliedEdges
    }

    private enum OperationKey: String, CaseIterable {
        case id, title, after, on, interactive, exclusive, expectedMs, expectsOwnTime, timeoutMs, onFailure, cuttable, deferrable, join,
            keepsThread,
            retryAttempts
        case level, slackMs, critical
    }

    private enum ThreadWord: String, CaseIterable {
        case main, background
    }

    private enum FailureWord: String, CaseIterable {
        case required, skipDependents, `continue`, fallback
    }

    func parseGraph(_ root: ScenarioField, _ document: inout ScenarioDocument) throws(ScenarioFault) {
        var operations: [ScenarioField]?
        for (key, field) in try members(of: root, GraphKey.self) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                // Named all the same: a key that is not listed would be unknown.
                case .schema, .criticalPath, .criticalPathMs, .impliedEdges: break
                // An app may give its graphs and resources any name.
                case .scenario: document.name = try field.string()
                // A graph without a milestone writes null.
                case .milestone: if field.value.content != .null { document.milestone = try field.label("the milestone") }
                case .initialDisplay: document.initialDisplay = try field.label("the initial display")
                case .resources: document.resources = try parseLimits(field)
                case .operations:
                    operations = try parseOperations(field, &document) { field throws(ScenarioFault) in try parseGraphOperation(field) }
                }
            }
        }
        try check(document, root, operations, required: ["scenario", "operations"])
    }

    private func parseGraphOperation(_ object: ScenarioField) throws(ScenarioFault) -> OperationDocument {
        var operation = OperationDocument(id: "", position: lines.position(of: object.value.offset))
        var (isJoin, keepsThread, isNamed) = (false, false, false)
        for (key, field) in try members(of: object, OperationKey.self) {
            try faults.keep { () throws(ScenarioFault) in
                switch key {
                case .id:
                    isNamed = true
                    operation.id = try field.label("the id")
                case .title: operation.title = try field.string()
                case .after: operation.after = try field.labels("the id").map { DependencyDocument($0) }
                case .on: operation.onMain = try field.word(ThreadWord.self, called: "thread") == .main
                case .interactive: operation.interactive = try field.bool()
                case .exclusive: operation.exclusive = try parseResources(field) { field throws(ScenarioFault) in try field.string() }
                // Exact zero is allowed: a step that only joins takes no time.
                case .expectedMs: operation.expected = try field.milliseconds(from: .zero)
                case .expectsOwnTime: operation.expectsOwnTime = try field.bool()
                case .timeoutMs: operation.timeout = try field.milliseconds(from: .nanoseconds(1))
                case .onFailure:
                    switch try field.word(FailureWord.self, called: "failure policy") {
                    case .required: operation.onFailure = .required
                    case .skipDependents: operation.onFailure = .skipDependents
                    case .continue: operation.onFailure = .continue
                    // The value that stands in is not in a printed graph; an empty one keeps the policy.
                    case .fallback: operation.fallback = ""
                    }
                case .cuttable: operation.cuttable = try field.bool()
                case .deferrable: operation.deferrable = try field.bool()
                case .join: isJoin = try field.bool()
                case .keepsThread: keepsThread = try field.bool()
                // A printed graph has no pauses between attempts.
                case .retryAttempts: operation.retry = RetryPolicy(attempts: try field.integer(in: 1...100), backoff: .zero)
                case .level, .slackMs, .critical: break
                }
            }
        }
        // The work itself is the app's own, and stays there.
        operation.work = isJoin ? .none : .expected(keepsThread: keepsThread)
        // Under `keep`: a missing id must not hide the other mistakes of the operation.
        try faults.keep { () throws(ScenarioFault) in
            if !isNamed { throw object.missing("id") }
            if operation.cuttable, operation.fallback == nil, let field = object.child("cuttable") {
                throw field.fault(OperationGraph.cuttableWithoutFallback)
            }
        }
        return operation
    }
}
