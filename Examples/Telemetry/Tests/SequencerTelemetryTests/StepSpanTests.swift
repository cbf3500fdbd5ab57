import InMemoryTracing
import Sequencer
import SequencerTelemetry
import Testing
import Tracing

@Suite("A step's own span", .timeLimit(.minutes(10)))
struct StepSpanTests {
    @Test("the span is the parent of what runs in the step, and the span of the launch is its parent")
    func parents() async throws {
        let tracer = InMemoryTracer()
        var graph = OperationGraph("start-up")
        let config = graph.add("config") { step in
            await step.withSpan(in: tracer) { _ in
                await tracer.withSpan("request") { _ in await Task.yield() }
                await Task { await tracer.withSpan("parse") { _ in await Task.yield() } }.value
            }
        }
        // A closure without `await`, on a thread of the launch.
        let database = graph.add("database") { step in
            step.withSpan(in: tracer) { _ in tracer.withSpan("query") { _ in } }
        }
        graph.add("screen", .milestone, after: config, database) { step in
            await step.withSpan(in: tracer) { _ in await Task.yield() }
        }
        let report = try await tracer.withSpan("process") { _ in try await graph.run().report }

        #expect(report.outcome == .completed)
        #expect(
            Self.parents(in: tracer) == [
                "process": nil, "config": "process", "database": "process", "screen": "process",
                "request": "config", "parse": "config", "query": "database",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("each attempt has a span, the one that fails has its error, and steps do not mix")
    func attempts() async throws {
        let tracer = InMemoryTracer()
        var graph = OperationGraph("start-up")
        graph.add("session", .milestone, .retry(attempts: 2, backoff: .zero, jitter: 0)) { step in
            try await step.withSpan(in: tracer) { _ in
                await Task.yield()
                if step.attempt == 1 { throw Failure() }
            }
        }
        _ = try await graph.run()

        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["session", "session"])
        #expect(spans.map { $0.attributes["sequencer.attempt"]?.toSpanAttribute() } == [.int64(1), .int64(2)])
        #expect(spans.map(\.errors.count) == [1, 0])
    }

    @Test("a request that a step sends names the step's span")
    func request() async throws {
        let tracer = InMemoryTracer()
        var graph = OperationGraph("start-up")
        let config = graph.add("config", .milestone) { step in
            await step.withSpan(in: tracer) { _ in
                await Task.yield()
                var headers: [String: String] = [:]
                tracer.inject(ServiceContext.current ?? .topLevel, into: &headers, using: Headers())
                return headers
            }
        }
        let headers = try await graph.run()[config]

        let span = try #require(tracer.finishedSpans.first)
        #expect(headers.values.sorted() == [span.spanID, span.traceID].sorted())
    }

    private struct Headers: Injector {
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
    }

    /// The name of each span's parent.
    private static func parents(in tracer: InMemoryTracer) -> [String: String?] {
        let names = Dictionary(uniqueKeysWithValues: tracer.finishedSpans.map { ($0.spanID, $0.operationName) })
        let parents = tracer.finishedSpans.map { ($0.operationName, $0.parentSpanID.flatMap { names[$0] }) }
        return Dictionary(uniqueKeysWithValues: parents)
    }
}
