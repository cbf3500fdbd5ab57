import Foundation
import Sequencer

extension LaunchReport {
    /// The launch as a trace in OTLP/JSON, which any collector of OpenTelemetry accepts (`POST /v1/traces`).
    ///
    /// The launch is one span, each operation a child of it, and each dependency a link to the span of the earlier
    /// operation. An operation that never started has an empty span where it ended. Only operations that failed or
    /// timed out have an error as their status. A scope is a child of the launch too, with its operations as children;
    /// its span may continue when that of the launch has ended. All numbers are attributes whose names begin with
    /// `sequencer.`; `sequencer.verdict` says whether the launch kept all of its budgets, and is `unknown` where its
    /// time tells nothing, as in virtual time; `sequencer.unknown` names what nobody knows the time of. The identifiers
    /// of trace and spans are made from the document, so the same launch gets the same ones again.
    ///
    /// The format: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>: identifiers in hexadecimal,
    /// 64-bit numbers as strings.
    ///
    /// - Parameters:
    ///   - startedAt: when the launch began; the document's own `startedAt` when nil. A launch in virtual time has
    ///       none.
    ///   - service: the value of the resource's attribute `service.name`. The report's `attributes` are further
    ///       attributes of the resource.
    ///   - pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Throws: an ``ExportError`` when the begin is not known, or some point in time is not between 1970 and 2262.
    public func otlp(startedAt: Date? = nil, service: String = "sequencer", pretty: Bool = false) throws(ExportError) -> String {
        guard let seconds = (startedAt ?? self.startedAt)?.timeIntervalSince1970 else {
            let message = "OTLP needs to know when the launch began, and a launch in virtual time has no such moment; give one"
            throw ExportError(.unknownStart, scenario, message)
        }
        // To the microsecond: a date does not hold more. Less than 2^63 nanoseconds: beyond, the conversion would trap.
        guard seconds >= 0, seconds < 9_000_000_000, case let begin = Int64((seconds * 1e6).rounded()) * 1000,
            begin.addingSaturated(endWithScopes) < .max
        else {
            let message = "OTLP counts nanoseconds from 1970 to 2262, and the launch is not within that time"
            throw ExportError(.timeOutOfRange, scenario, message)
        }
        let trace = OTLPTrace(self, begin: begin)
        // In one order: the same report gives the same text. OTLP forbids empty names, and two of one name.
        let own = sortedAttributes.filter { !$0.key.isEmpty && $0.key != "service.name" && ($0.key != "service.version" || version == nil) }
        let given: JSONTree = ["service.name": .text(service), "service.version": .text(version)]
        let resource = given + .object(own.map { ($0.key, .text($0.value)) })
        let document: JSONTree = [
            "resourceSpans": [
                [
                    "resource": ["attributes": OTLPTrace.attributes(resource, prefix: "")],
                    "scopeSpans": [["scope": ["name": "sequencer"], "spans": .array(trace.spans)]],
                ]
            ]
        ]
        return document.document(pretty: pretty)
    }

    /// When its last operation ended, or the last one of its scopes.
    var endWithScopes: Nanoseconds {
        let own = max(makespan.nanoseconds, operations.lazy.map(\.end.nanoseconds).max() ?? 0)
        return scopes.reduce(own) { max($0, $1.start.nanoseconds.addingSaturated($1.report.endWithScopes)) }
    }
}

/// The spans of a launch and of the scopes within it.
private struct OTLPTrace {
    /// The number of the trace, and those of its spans: all are outputs of one generator, which has none twice.
    private var numbers: SplitMix64
    private var trace = ""
    private(set) var spans: [JSONTree] = []

    init(_ report: LaunchReport, begin: Nanoseconds) {
        var texts = [report.scenario, report.version ?? "", String(begin)]
        // -1 for one that never started, which is not one that started at 0.
        for operation in report.operations {
            texts += [operation.id, "\(operation.start?.nanoseconds ?? -1) \(operation.end.nanoseconds)"]
        }
        numbers = SplitMix64(seed: fnv1a(texts.flatMap { Array($0.utf8) + [0xFF] }))
        // 16 bytes, twice those of a span.
        trace = identifier() + identifier()
        add(report, scope: nil, begin: begin, parent: nil, root: identifier())
    }

    private mutating func identifier() -> String {
        var number = numbers.next()
        // In OTLP an identifier of zeros is invalid.
        while number == 0 { number = numbers.next() }
        return hexadecimal(number)
    }

    /// - Parameter scope: the name of the scope; nil for the launch itself.
    private mutating func add(_ report: LaunchReport, scope: String?, begin: Nanoseconds, parent: String?, root: String) {
        let trace = JSONTree.text(self.trace), identifiers = report.operations.map { _ in identifier() }
        func time(_ time: Nanoseconds) -> JSONTree { .text(String(begin.addingSaturated(max(time, 0)))) }
        func span(_ id: String, _ parent: String?, _ name: String, _ start: Nanoseconds, _ end: Nanoseconds, _ members: JSONTree)
            -> JSONTree
        {
            let span: JSONTree = [
                "traceId": trace, "spanId": .text(id), "parentSpanId": .text(parent), "name": .text(name),
                // SPAN_KIND_INTERNAL
                "kind": 1, "startTimeUnixNano": time(start),
                // A file may hold times that run backwards; a span must not end before it begins.
                "endTimeUnixNano": time(max(start, end)),
            ]
            return span + members
        }
        let path: JSONTree = ["scope": .text(scope), "scenario": scope.map { _ in .text(report.scenario) }]
        var status: JSONTree?
        if case .failed(let operation, let message) = report.outcome { status = Self.error("\(printable(operation)): \(message)") }
        let members: JSONTree = ["attributes": Self.attributes(path + report.otlpAttributes), "status": status]
        spans.append(span(root, parent, scope ?? report.scenario, 0, report.makespan.nanoseconds, members))
        for (node, (operation, dependencies)) in zip(report.operations, report.dependencyPositions).enumerated() {
            let links = dependencies.map { dependency -> JSONTree in
                let after = Self.attributes(["after": .text(report.operations[dependency].id)])
                return ["traceId": trace, "spanId": .text(identifiers[dependency]), "attributes": after]
            }
            let isFailure = operation.outcome == .failed || operation.outcome == .timedOut
            let members: JSONTree = [
                "attributes": Self.attributes(operation.otlpAttributes), "links": links.isEmpty ? nil : .array(links),
                "status": isFailure ? Self.error(operation.message ?? operation.outcome.words) : nil,
            ]
            let start = operation.start ?? operation.end
            spans.append(span(identifiers[node], root, operation.id, start.nanoseconds, operation.end.nanoseconds, members))
        }
        for inner in report.scopes {
            let start = begin.addingSaturated(max(inner.start.nanoseconds, 0))
            add(inner.report, scope: inner.name, begin: start, parent: root, root: identifier())
        }
    }

    /// STATUS_CODE_ERROR
    private static func error(_ message: String) -> JSONTree { ["message": .text(message), "code": 2] }

    /// The members of an object, those of objects within it behind its name and a full stop:
    /// <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/common/v1/common.proto>.
    ///
    /// - Parameter prefix: begins each name.
    static func attributes(_ object: JSONTree, prefix: String = "sequencer.") -> JSONTree { .array(list(object, prefix)) }

    private static func list(_ object: JSONTree, _ prefix: String) -> [JSONTree] {
        guard case .object(let members) = object else { return [] }
        return members.flatMap { name, value -> [JSONTree] in
            switch value {
            case nil, .null?: []
            case .object?: list(value ?? .null, "\(prefix)\(name).")
            case let value?: [["key": .text(prefix + name), "value": typed(value)]]
            }
        }
    }

    private static func typed(_ value: JSONTree) -> JSONTree {
        switch value {
        case .number(let number): ["intValue": .text(String(number))]
        case .flag: ["boolValue": value]
        case .milliseconds: ["doubleValue": value]
        case .array(let elements): ["arrayValue": ["values": .array(elements.map(typed))]]
        default: ["stringValue": value]
        }
    }
}

extension LaunchReport {
    fileprivate var otlpAttributes: JSONTree {
        let unknown = unknownTimes
        func verdict(_ isMet: Bool) -> JSONTree { !isMet ? "fail" : unknown.tellNothing ? "unknown" : "pass" }
        let later = afterMilestone.map { later -> JSONTree in
            (later.outcome?.json ?? [:]) + ["start_ms": .milliseconds(later.start), "operations": .texts(later.operations)]
        }
        return outcome.json + [
            // Of all its budgets; each has its own below.
            "verdict": verdict(isWithinBudgets),
            "budget": [
                "verdict": verdict(budget.isMet), "limit_ms": .milliseconds(budget.budget?.limit),
                "measured_ms": .milliseconds(budget.measured), "interactive_ms": .milliseconds(budget.interactive),
                "causes": .list(budget.causes),
            ],
            "initial_display": [
                "budget.limit_ms": .milliseconds(budget.budget?.initialDisplay), "budget.verdict": isInitialDisplayMet.map(verdict),
                "measured_ms": .milliseconds(timeToInitialDisplay),
            ],
            "critical_path": .texts(criticalPath), "critical_path_ms": .milliseconds(criticalPathDuration),
            "work_ms": .milliseconds(work), "lanes": .number(lanes), "before_run_ms": .milliseconds(beforeRun),
            "after_milestone": later, "unknown": .list(unknown.operations),
            "controlled": grounds.map { .texts($0.controlled) }, "not_controlled": grounds.map { .texts($0.notControlled) },
            "stragglers": .list(stragglers), "anomalies": .list(anomalies.map(\.description)),
        ]
    }
}

extension OperationReport {
    /// The keys of its JSON, `slack_ms` for `slackMs`, without those that its span says.
    fileprivate var otlpAttributes: JSONTree {
        guard case .object(let members) = json else { return [:] }
        let said: Set = ["id", "readyMs", "startMs", "endMs", "durationMs", "after"]
        return .object(
            members.filter { !said.contains($0.key) }.map { key, value in
                (key.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }, value)
            }
        )
    }
}

/// Why a report or a graph could not be written in a format.
public struct ExportError: DescribedError, Sendable, Hashable {
    /// The kinds of trouble.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The format's readers do not accept that much.
        public static let tooLarge = Code(description: "tooLarge")
        /// The format needs the wall-clock time of the launch's begin, and nobody said it.
        public static let unknownStart = Code(description: "unknownStart")
        /// A point in time that the format cannot express.
        public static let timeOutOfRange = Code(description: "timeOutOfRange")
    }

    /// The kind of trouble.
    public let code: Code
    /// The message: the trouble, and the remedy.
    public let description: String

    /// - Parameter name: the launch's, or the graph's.
    init(_ code: Code, _ name: String, _ message: String) { (self.code, description) = (code, "\(printable(name)): \(message)") }
}
