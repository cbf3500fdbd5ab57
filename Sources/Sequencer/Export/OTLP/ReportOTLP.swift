import Foundation

extension ReportDocument {
    /// The launch as a trace in OTLP/JSON, which any collector of OpenTelemetry accepts (`POST /v1/traces`).
    ///
    /// The launch is one span, each operation a child of it, and each dependency a link to the span of what was waited for. An operation that never
    /// started has an empty span where it ended. Only what failed or timed out has an error as its status. All numbers are attributes whose names begin
    /// with `sequencer.`. The identifiers of trace and spans are made from the document, so the same launch gets the same ones again.
    ///
    /// The format: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>: identifiers in hexadecimal, 64-bit numbers as strings.
    ///
    /// - Parameters:
    ///   - startedAt: when the launch began; the document's own ``startedAt`` when nil. A launch in virtual time has none.
    ///   - service: the value of the resource's attribute `service.name`.
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
        let last = operations.lazy.map(\.end.nanoseconds).max() ?? 0
        // To the microsecond: a date does not hold more.
        guard seconds >= 0, seconds < 9_000_000_000, case let begin = Int64((seconds * 1e6).rounded()) * 1000,
            begin.addingSaturated(max(last, makespan.nanoseconds)) < .max
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
    /// The launch as a trace in OTLP/JSON; see ``ReportDocument/otlp(startedAt:service:pretty:)``.
    public func otlp(startedAt: Date? = nil) throws(ExportError) -> String { try ReportDocument(self).otlp(startedAt: startedAt) }
}
