import Foundation
import Sequencer

/// Spans in OTLP/JSON, of one document or several.
///
/// Each trace is a launch. A root around all others is the launch itself; every other span is an operation. It comes
/// after the spans that it links to, and after its parent if that had ended before; it takes its time away from a
/// parent that it ran inside of.
struct OTLPSpans {
    private var traces: [(id: String, spans: [OTLPSpan])] = []
    private var places: [String: Int] = [:]
    private var service: String?
    private var version: String?

    mutating func add(_ resources: [OTLPResource]) {
        for resource in resources {
            // The first resource names the launch: a trace may hold spans of several services.
            for attribute in resource.resource?.attributes ?? [] {
                if attribute.key == "service.name" { service = service ?? attribute.value?.stringValue }
                if attribute.key == "service.version" { version = version ?? attribute.value?.stringValue }
            }
            for span in (resource.scopeSpans ?? resource.instrumentationLibrarySpans ?? []).flatMap({ $0.spans ?? [] }) {
                let place = places[span.traceId ?? ""] ?? traces.count
                if place == traces.count { traces.append((span.traceId ?? "", [])) }
                places[span.traceId ?? ""] = place
                traces[place].spans.append(span)
            }
        }
    }

    func addLaunches(to file: inout ImportedFile) {
        for (id, all) in traces {
            let spans = all.compactMap { span in span.times.map { (span, $0) } }
            file.read["spans", default: 0] += spans.count
            file.leftOut["spans without a begin and an end", default: 0] += all.count - spans.count
            file.leftOut["events of spans", default: 0] += spans.reduce(0) { $0 + ($1.0.events?.count ?? 0) }
            // Of spans with one identifier the first one counts. A span without an identifier has no children:
            // otherwise every root would be its child.
            var places: [String: Int] = [:]
            for (place, (span, _)) in spans.enumerated() { if let id = span.spanId, !id.isEmpty { places[id] = places[id] ?? place } }
            var launch = ImportedLaunch(name: service ?? "trace", trace: id, version: version, operations: [])
            for (place, (span, times)) in spans.enumerated() {
                var operation = ImportedOperation(name: span.name ?? "", start: times.lowerBound, end: times.upperBound)
                (operation.outcome, operation.message) = (span.outcome, span.status?.message)
                operation.parent = places[span.parentSpanId ?? ""].flatMap { $0 == place ? nil : $0 }
                operation.dependencies = (span.links ?? []).compactMap { $0.spanId.flatMap { places[$0] } }.filter { $0 != place }
                file.leftOut["links out of their trace", default: 0] += (span.links ?? []).count - operation.dependencies.count
                launch.operations.append(operation)
            }
            // A report's date has milliseconds.
            let begin = launch.operations.lazy.map(\.start).min().map { Double($0 / 1_000_000) / 1000 }
            launch.startedAt = begin.map { Date(timeIntervalSince1970: $0) }
            file.add(launch, root: launch.root, links: "links")
        }
    }
}

struct OTLPResource: Decodable {
    struct Attributes: Decodable { let attributes: [OTLPAttribute]? }
    struct Scope: Decodable { let spans: [OTLPSpan]? }

    let resource: Attributes?
    let scopeSpans: [Scope]?
    /// The name of `scopeSpans` before version 0.15.
    let instrumentationLibrarySpans: [Scope]?
}

struct OTLPAttribute: Decodable {
    struct Value: Decodable { let stringValue: String? }

    let key: String?
    let value: Value?
}

struct OTLPSpan: Decodable {
    struct Link: Decodable { let spanId: String? }
    struct Event: Decodable {}

    struct Status: Decodable {
        let code: LooseText?
        let message: String?
    }

    let traceId: String?
    let spanId: String?
    let parentSpanId: String?
    let name: String?
    let startTimeUnixNano: LooseText?
    let endTimeUnixNano: LooseText?
    let attributes: [OTLPAttribute]?
    let links: [Link]?
    let events: [Event]?
    let status: Status?

    /// Nil without a begin and an end after it. Sums and differences of such times fit into 64 bits.
    var times: ClosedRange<Nanoseconds>? {
        guard let start = startTimeUnixNano.flatMap({ Nanoseconds($0.text) }), let end = endTimeUnixNano.flatMap({ Nanoseconds($0.text) }),
            0 <= start, start <= end, end <= 4_000_000_000_000_000_000
        else { return nil }
        return start...end
    }

    /// An export of this tool says it; others only have spans that failed.
    var outcome: Outcome {
        if let own = attributes?.first(where: { $0.key == "sequencer.outcome" })?.value?.stringValue.flatMap(Outcome.init) { return own }
        // Both spellings are in use: the number of protobuf's enumeration, and its name.
        return ["2", "STATUS_CODE_ERROR"].contains(status?.code?.text) ? .failed : .succeeded
    }
}
