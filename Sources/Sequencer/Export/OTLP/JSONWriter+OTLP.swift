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
