import Foundation
import Sequencer

extension LaunchReport {
    /// The launch as a trace in OTLP/JSON, which any collector of OpenTelemetry accepts (`POST /v1/traces`).
    ///
    /// The launch is one span, each operation a child of it, and each dependency a link to the span of the earlier operation. An operation
    /// that never started has an empty span where it ended. Only operations that failed or timed out have an error as their status. A scope is a child of the
    /// launch too, with its operations as children; its span may go on when that of the launch has ended. All
    /// numbers are attributes whose names begin with `sequencer.`; `sequencer.verdict` says whether the launch kept all of its budgets. The
    /// identifiers of trace and spans are made from the document, so the same launch gets the same ones again.
    ///
    /// The format: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>: identifiers in hexadecimal, 64-bit numbers as strings.
    ///
    /// - Parameters:
    ///   - startedAt: when the launch began; the document's own `startedAt` when nil. A launch in virtual time has none.
    ///   - service: the value of the resource's attribute `service.name`. The report's `attributes` are further attributes of the resource.
    ///   - pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Throws: an ``ExportError`` when the begin is not known, or some point in time is not between 1970 and 2262.
    public func otlp(startedAt: Date? = nil, service: String = "sequencer", pretty: Bool = false) throws(ExportError) -> String {
        guard let date = startedAt ?? self.startedAt else {
            throw ExportError(
                code: .unknownStart,
                description:
                    "\(printable(scenario)): OTLP needs to know when the launch began, and a launch in virtual time has no such moment; give one"
            )
        }
        let seconds = date.timeIntervalSince1970
        // To the microsecond: a date does not hold more.
        // Less than 2^63 nanoseconds: beyond, the conversion would trap.
        guard seconds >= 0, seconds < 9_000_000_000, case let begin = Int64((seconds * 1e6).rounded()) * 1000,
            begin.addingSaturated(endWithScopes) < .max
        else {
            throw ExportError(
                code: .timeOutOfRange,
                description: "\(printable(scenario)): OTLP counts nanoseconds from 1970 to 2262, and the launch is not within that time"
            )
        }
        let trace = OTLPTrace(self, begin: begin)
        return JSONWriter.object(pretty: pretty) { json in
            json.writeArray(for: "resourceSpans") { json in
                json.writeObject { json in
                    json.writeObject(for: "resource") { json in
                        json.writeArray(for: "attributes") { json in
                            json.writeAttribute("service.name", service)
                            if let version { json.writeAttribute("service.version", version) }
                            // In one order: the same report gives the same text.
                            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) where isOfResource(name) {
                                json.writeAttribute(name, value)
                            }
                        }
                    }
                    json.writeArray(for: "scopeSpans") { json in
                        json.writeObject { json in
                            json.writeObject(for: "scope") { $0.write("sequencer", for: "name") }
                            json.writeArray(for: "spans") { trace.writeSpans(to: &$0) }
                        }
                    }
                }
            }
        }
    }
}

extension LaunchReport {
    /// Whether an attribute is written under this name: OTLP forbids empty ones, and two of one name.
    private func isOfResource(_ name: String) -> Bool {
        !name.isEmpty && name != "service.name" && (name != "service.version" || version == nil)
    }

    /// When its last operation ended, or the last one of its scopes.
    var endWithScopes: Nanoseconds {
        let own = max(makespan.nanoseconds, operations.lazy.map(\.end.nanoseconds).max() ?? 0)
        return scopes.reduce(own) { max($0, $1.start.nanoseconds.addingSaturated($1.report.endWithScopes)) }
    }
}

/// The spans of a launch, or of a scope within it.
struct OTLPTrace {
    private let report: LaunchReport
    /// The name of the scope; nil for the launch itself.
    private let scope: String?
    private let begin: Nanoseconds
    private let dependencies: [[Int]]
    private let trace: String
    private let parent: String?
    private let root: String
    private let spans: [String]
    private let scopes: [OTLPTrace]

    /// The identifiers of a trace: all are outputs of one generator, which has none twice.
    private struct Identifiers {
        var numbers: SplitMix64

        mutating func next() -> String {
            var number = numbers.next()
            // In OTLP an identifier of zeros is invalid.
            while number == 0 { number = numbers.next() }
            return FNV1a.digits(number)
        }
    }

    init(_ report: LaunchReport, begin: Nanoseconds) {
        var identifiers = Identifiers(numbers: SplitMix64(seed: Self.fingerprint(report, begin)))
        // 16 bytes, twice those of a span.
        let trace = identifiers.next() + identifiers.next()
        self.init(report, nil, begin, trace, parent: nil, &identifiers)
    }

    private init(
        _ report: LaunchReport,
        _ scope: String?,
        _ begin: Nanoseconds,
        _ trace: String,
        parent: String?,
        _ identifiers: inout Identifiers
    ) {
        self.report = report
        self.scope = scope
        self.begin = begin
        self.trace = trace
        self.parent = parent
        dependencies = report.dependencyPositions
        let root = identifiers.next()
        self.root = root
        var spans: [String] = []
        for _ in report.operations { spans.append(identifiers.next()) }
        self.spans = spans
        var scopes: [OTLPTrace] = []
        for inner in report.scopes {
            let start = begin.addingSaturated(max(inner.start.nanoseconds, 0))
            scopes.append(OTLPTrace(inner.report, inner.name, start, trace, parent: root, &identifiers))
        }
        self.scopes = scopes
    }

    private static func fingerprint(_ report: LaunchReport, _ begin: Nanoseconds) -> UInt64 {
        var hash = FNV1a()
        hash.add(part: report.scenario.utf8)
        hash.add(part: (report.version ?? "").utf8)
        hash.add(part: String(begin).utf8)
        for operation in report.operations {
            hash.add(part: operation.id.utf8)
            // -1 for one that never started, which is not one that started at 0.
            hash.add(part: "\(operation.start?.nanoseconds ?? -1) \(operation.end.nanoseconds)".utf8)
        }
        return hash.value
    }

    func writeSpans(to json: inout JSONWriter) {
        writeSpan(&json, root, parent: parent, scope ?? report.scenario, 0, report.makespan.nanoseconds) { json in
            json.writeArray(for: "attributes") { json in
                if let scope {
                    json.writeAttribute("sequencer.scope", scope)
                    json.writeAttribute("sequencer.scenario", report.scenario)
                }
                writeAttributes(to: &json)
            }
            if case .failed(let operation, let message) = report.outcome { json.writeError("\(printable(operation)): \(message)") }
        }
        for (node, operation) in report.operations.enumerated() {
            let start = operation.start ?? operation.end
            writeSpan(&json, spans[node], parent: root, operation.id, start.nanoseconds, operation.end.nanoseconds) { json in
                json.writeArray(for: "attributes") { json in json.writeAttributes(of: operation) }
                if !dependencies[node].isEmpty {
                    json.writeArray(for: "links") { json in
                        for dependency in dependencies[node] { writeLink(to: dependency, &json) }
                    }
                }
                if operation.outcome == .failed || operation.outcome == .timedOut {
                    json.writeError(operation.message ?? operation.outcome.words)
                }
            }
        }
        for scope in scopes { scope.writeSpans(to: &json) }
    }

    private func writeSpan(
        _ json: inout JSONWriter,
        _ identifier: String,
        parent: String?,
        _ name: String,
        _ start: Nanoseconds,
        _ end: Nanoseconds,
        _ members: (inout JSONWriter) -> Void
    ) {
        json.writeObject { json in
            json.write(trace, for: "traceId")
            json.write(identifier, for: "spanId")
            if let parent { json.write(parent, for: "parentSpanId") }
            json.write(name, for: "name")
            // SPAN_KIND_INTERNAL
            json.write(1, for: "kind")
            json.write(String(begin.addingSaturated(max(start, 0))), for: "startTimeUnixNano")
            // A file may hold times that run backwards; a span must not end before it begins.
            json.write(String(begin.addingSaturated(max(start, end, 0))), for: "endTimeUnixNano")
            members(&json)
        }
    }

    private func writeLink(to dependency: Int, _ json: inout JSONWriter) {
        json.writeObject { json in
            json.write(trace, for: "traceId")
            json.write(spans[dependency], for: "spanId")
            json.writeArray(for: "attributes") { $0.writeAttribute("sequencer.after", report.operations[dependency].id) }
        }
    }

    private func writeAttributes(to json: inout JSONWriter) {
        json.writeAttribute("sequencer.outcome", report.outcome.name)
        switch report.outcome {
        case .aborted(let operation, let reason):
            json.writeAttribute("sequencer.abort.by", operation)
            json.writeAttribute("sequencer.abort.reason", reason.description)
        case .failed(let operation, _): json.writeAttribute("sequencer.failure.operation", operation)
        case .completed, .cancelled: break
        }
        // Of all its budgets; each has its own below.
        json.writeAttribute("sequencer.verdict", report.isWithinBudgets ? "pass" : "fail")
        let budget = report.budget
        json.writeAttribute("sequencer.budget.verdict", budget.isMet ? "pass" : "fail")
        if let limit = budget.budget?.limit { json.writeAttribute("sequencer.budget.limit_ms", milliseconds: limit) }
        json.writeAttribute("sequencer.budget.measured_ms", milliseconds: budget.measured)
        json.writeAttribute("sequencer.budget.interactive_ms", milliseconds: budget.interactive)
        if !budget.causes.isEmpty { json.writeAttribute("sequencer.budget.causes", budget.causes) }
        if let limit = budget.budget?.initialDisplay {
            json.writeAttribute("sequencer.initial_display.budget.limit_ms", milliseconds: limit)
        }
        if let isMet = report.isInitialDisplayMet {
            json.writeAttribute("sequencer.initial_display.budget.verdict", isMet ? "pass" : "fail")
        }
        if let time = report.timeToInitialDisplay { json.writeAttribute("sequencer.initial_display.measured_ms", milliseconds: time) }
        json.writeAttribute("sequencer.critical_path", report.criticalPath)
        json.writeAttribute("sequencer.critical_path_ms", milliseconds: report.criticalPathDuration)
        json.writeAttribute("sequencer.work_ms", milliseconds: report.work)
        json.writeAttribute("sequencer.lanes", report.lanes)
        if let before = report.beforeRun { json.writeAttribute("sequencer.before_run_ms", milliseconds: before) }
        if let later = report.afterMilestone {
            if let outcome = later.outcome { json.writeAttribute("sequencer.after_milestone.outcome", outcome.name) }
            switch later.outcome {
            case .aborted(let operation, let reason)?:
                json.writeAttribute("sequencer.after_milestone.abort.by", operation)
                json.writeAttribute("sequencer.after_milestone.abort.reason", reason.description)
            case .failed(let operation, _)?: json.writeAttribute("sequencer.after_milestone.failure.operation", operation)
            case .completed?, .cancelled?, nil: break
            }
            json.writeAttribute("sequencer.after_milestone.start_ms", milliseconds: later.start)
            json.writeAttribute("sequencer.after_milestone.operations", later.operations)
        }
        if !report.stragglers.isEmpty { json.writeAttribute("sequencer.stragglers", report.stragglers) }
        if !report.anomalies.isEmpty { json.writeAttribute("sequencer.anomalies", report.anomalies.map(\.description)) }
    }
}

/// Attributes and statuses of OTLP: <https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/common/v1/common.proto>.
extension JSONWriter {
    private mutating func writeAttribute(_ key: String, value: (inout JSONWriter) -> Void) {
        writeObject { json in
            json.write(key, for: "key")
            json.writeObject(for: "value", value)
        }
    }

    mutating func writeAttribute(_ key: String, _ text: String) {
        writeAttribute(key) { $0.write(text, for: "stringValue") }
    }

    mutating func writeAttribute(_ key: String, _ number: Int) {
        writeAttribute(key) { $0.write(String(number), for: "intValue") }
    }

    mutating func writeAttribute(_ key: String, _ isTrue: Bool) {
        writeAttribute(key) { $0.write(isTrue, for: "boolValue") }
    }

    mutating func writeAttribute(_ key: String, milliseconds: Duration) {
        writeAttribute(key) { $0.write(milliseconds: milliseconds, for: "doubleValue") }
    }

    mutating func writeAttribute(_ key: String, _ texts: [String]) {
        writeAttribute(key) { json in
            json.writeObject(for: "arrayValue") { json in
                json.writeArray(for: "values") { json in
                    for text in texts { json.writeObject { $0.write(text, for: "stringValue") } }
                }
            }
        }
    }

    mutating func writeAttributes(of operation: OperationReport) {
        if let title = operation.title { writeAttribute("sequencer.title", title) }
        writeAttribute("sequencer.outcome", operation.outcome.rawValue)
        if let failure = operation.failure { writeAttribute("sequencer.failure", failure.rawValue) }
        if let place = operation.place { writeAttribute("sequencer.lane", place) }
        writeAttribute("sequencer.attempts", operation.attempts)
        writeAttribute("sequencer.critical", operation.isCritical)
        writeAttribute("sequencer.slack_ms", milliseconds: operation.slack)
        if operation.start != nil { writeAttribute("sequencer.wait_ms", milliseconds: operation.wait) }
        if let expected = operation.expected { writeAttribute("sequencer.expected_ms", milliseconds: expected) }
        if operation.isInteractive { writeAttribute("sequencer.interactive", true) }
        if operation.isCut { writeAttribute("sequencer.cut", true) }
        if operation.isDeferred { writeAttribute("sequencer.deferred", true) }
        if let message = operation.message { writeAttribute("sequencer.message", message) }
        if !operation.notes.isEmpty { writeAttribute("sequencer.notes", operation.notes) }
    }

    /// Writes the status of a span that did not end well.
    mutating func writeError(_ message: String) {
        writeObject(for: "status") { json in
            json.write(message, for: "message")
            // STATUS_CODE_ERROR
            json.write(2, for: "code")
        }
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
    /// One sentence: the trouble, and the remedy.
    public let description: String
}
