import InMemoryLogging
import InMemoryTracing
import MetricsTestKit
import Tracing

/// What the handlers have seen, as lines for people.
enum Seen {
    static func lines(of log: InMemoryLogHandler) -> [String] {
        log.entries.map { entry in
            let metadata = entry.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return ([padded("\(entry.level)", 8) + padded("\(entry.message)", 19)] + metadata).joined(separator: " ")
        }
    }

    static func lines(of metrics: TestMetrics) -> [String] {
        let counters = metrics.counters.map { "\(name($0.label, $0.dimensions)) \($0.totalValue)" }
        let timers = metrics.timers.map { "\(name($0.label, $0.dimensions)) \(milliseconds($0.values.reduce(0, +)))" }
        return counters.sorted() + timers.sorted()
    }

    /// Children below their parents, in the order of their starts; times count from the start of the launch.
    static func lines(of tracer: InMemoryTracer) -> [String] {
        // The tracer numbers spans in the order in which they were started.
        let spans = tracer.finishedSpans.sorted { ($0.spanID.count, $0.spanID) < ($1.spanID.count, $1.spanID) }
        let begin = spans.first.map(start) ?? 0
        func lines(below parent: String?, _ indent: String) -> [String] {
            spans.filter { $0.parentSpanID == parent }.flatMap { span -> [String] in
                let times = "\(milliseconds(start(span) - begin)) to \(milliseconds(Int64(span.endInstant.nanosecondsSinceEpoch) - begin))"
                var outcome = ""
                if case .string(let text)? = span.attributes["sequencer.outcome"]?.toSpanAttribute() { outcome = text }
                let events = span.events.map { ", \($0.name) at \(milliseconds(Int64($0.nanosecondsSinceEpoch) - begin))" }
                let line = "\(indent)\(span.operationName): \(times), \(outcome)\(events.joined())"
                return [line] + lines(below: span.spanID, indent + "  ")
            }
        }
        return lines(below: nil, "")
    }

    private static func start(_ span: FinishedInMemorySpan) -> Int64 { Int64(span.startInstant.nanosecondsSinceEpoch) }

    private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
        "\(label){\(dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " "))}"
    }

    private static func milliseconds(_ nanoseconds: Int64) -> String { "\(nanoseconds / 1_000_000) ms" }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
