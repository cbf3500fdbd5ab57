/// The spans of a launch.
struct OTLPTrace {
    private let document: ReportDocument
    private let begin: Nanoseconds
    private let dependencies: [[Int]]
    private let trace: String
    private let root: String
    private let spans: [String]

    init(_ document: ReportDocument, begin: Nanoseconds) {
        self.document = document
        self.begin = begin
        dependencies = document.dependencyPositions
        // All are outputs of one generator, which has none twice.
        var identifiers = SplitMix64(seed: Self.fingerprint(document, begin))
        func identifier() -> String {
            var number = identifiers.next()
            // An identifier of zeros means that there is none.
            while number == 0 { number = identifiers.next() }
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        trace = identifier() + identifier()
        root = identifier()
        spans = document.operations.map { _ in identifier() }
    }

    /// FNV-1a, 64 bits: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
    private static func fingerprint(_ document: ReportDocument, _ begin: Nanoseconds) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        add(document.scenario)
        add(document.version ?? "")
        add(String(begin))
        for operation in document.operations {
            add(operation.id)
            add("\(operation.start?.nanoseconds ?? -1) \(operation.end.nanoseconds)")
        }
        return hash
    }

    func writeSpans(to json: inout JSONWriter) {
        writeSpan(&json, root, parent: nil, document.scenario, 0, document.makespan.nanoseconds) { json in
            json.writeArray(for: "attributes") { writeAttributes(to: &$0) }
            if case .failed(let operation, let message) = document.outcome { json.writeError("\(printable(operation)): \(message)") }
        }
        for (node, operation) in document.operations.enumerated() {
            let start = operation.start ?? operation.end
            writeSpan(&json, spans[node], parent: root, operation.id, start.nanoseconds, operation.end.nanoseconds) { json in
                json.writeArray(for: "attributes") { json in json.writeAttributes(of: operation) }
                if !dependencies[node].isEmpty {
                    json.writeArray(for: "links") { json in
                        for dependency in dependencies[node] { writeLink(to: dependency, &json) }
                    }
                }
                if operation.outcome == .failed || operation.outcome == .timedOut {
                    json.writeError(operation.message ?? operation.outcomeText)
                }
            }
        }
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
            json.write(String(begin.addingSaturated(max(start, end, 0))), for: "endTimeUnixNano")
            members(&json)
        }
    }

    private func writeLink(to dependency: Int, _ json: inout JSONWriter) {
        json.writeObject { json in
            json.write(trace, for: "traceId")
            json.write(spans[dependency], for: "spanId")
            json.writeArray(for: "attributes") { $0.writeAttribute("sequencer.after", document.operations[dependency].id) }
        }
    }

    private func writeAttributes(to json: inout JSONWriter) {
        json.writeAttribute("sequencer.outcome", document.outcome.name)
        switch document.outcome {
        case .aborted(let operation, let reason):
            json.writeAttribute("sequencer.abort.by", operation)
            json.writeAttribute("sequencer.abort.reason", reason.rawValue)
        case .failed(let operation, _): json.writeAttribute("sequencer.failure.operation", operation)
        case .completed, .cancelled: break
        }
        let budget = document.budget
        json.writeAttribute("sequencer.budget.verdict", budget.isMet ? "pass" : "fail")
        json.writeAttribute("sequencer.budget.limit_ms", milliseconds: budget.budget.limit)
        json.writeAttribute("sequencer.budget.measured_ms", milliseconds: budget.measured)
        json.writeAttribute("sequencer.budget.interactive_ms", milliseconds: budget.interactive)
        if !budget.causes.isEmpty { json.writeAttribute("sequencer.budget.causes", budget.causes) }
        json.writeAttribute("sequencer.critical_path", document.criticalPath)
        json.writeAttribute("sequencer.critical_path_ms", milliseconds: document.criticalPathDuration)
        json.writeAttribute("sequencer.work_ms", milliseconds: document.work)
        json.writeAttribute("sequencer.lanes", document.lanes)
        if !document.stragglers.isEmpty { json.writeAttribute("sequencer.stragglers", document.stragglers) }
        if !document.anomalies.isEmpty { json.writeAttribute("sequencer.anomalies", document.anomalies) }
    }
}
