import InMemoryTracing
import Sequencer
import SequencerTelemetry
import SequencerTesting
import Testing
import Tracing

@Suite("The start of an app, by the names of others", .timeLimit(.minutes(10)))
struct AppStartTests {
    /// frame (100 ms) ── content (200 ms, milestone)
    ///       └── history (500 ms, after the milestone)
    static func report() async throws -> LaunchReport {
        var graph = OperationGraph("app")
        let frame = graph.add("frame") { step in try await step.sleep(for: .milliseconds(100)) }
        graph.add("content", .milestone, after: frame) { step in try await step.sleep(for: .milliseconds(200)) }
        graph.add("history", after: frame) { step in try await step.sleep(for: .milliseconds(500)) }
        return try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
    }

    @Test("the names and the units of Sentry, Datadog and MetricKit")
    func names() async throws {
        let start = try #require(AppStart(try await Self.report(), .cold, screen: "Library", shownBy: "frame"))

        #expect(
            start.sentry == [
                "app.vitals.start.cold.value": 100, "app.vitals.ttid.value": 100, "app.vitals.ttfd.value": 300,
            ]
        )
        #expect(start.datadog.map { $0["vital.type"]?.toSpanAttribute() } == ["app_launch", "app_launch"])
        #expect(
            start.datadog.map { $0["vital.name"]?.toSpanAttribute() } == [
                "time_to_initial_display", "time_to_full_display",
            ]
        )
        #expect(start.datadog.map { $0["vital.app_launch_metric"]?.toSpanAttribute() } == ["ttid", "ttfd"])
        #expect(start.datadog.map { $0["vital.startup_type"]?.toSpanAttribute() } == ["cold_start", "cold_start"])
        #expect(
            start.datadog.map { $0["vital.duration"]?.toSpanAttribute() } == [.int64(100_000_000), .int64(300_000_000)]
        )
        #expect(
            start.metricKit == [
                "histogrammedTimeToFirstDraw": .milliseconds(100), "histogrammedExtendedLaunch": .milliseconds(300),
            ]
        )
    }

    @Test("the full display is never before the initial display")
    func order() async throws {
        let start = try #require(AppStart(try await Self.report(), .warm, screen: "Library", shownBy: "history"))

        #expect(start.initialDisplay == .milliseconds(600))
        #expect(start.fullDisplay == start.initialDisplay)
    }

    @Test("a launch that has shown nothing has no start")
    func nothingShown() async throws {
        #expect(AppStart(try await Self.report(), .cold, screen: "Library", shownBy: "splash") == nil)

        var graph = OperationGraph("app")
        let frame = graph.add("frame") {}
        graph.add("content", .milestone, after: frame) { throw Failure() }
        let failed = try await graph.run().report
        #expect(AppStart(failed, .cold, screen: "Library", shownBy: "frame") == nil)
    }

    @Test("Sentry's spans, each with the kind of the start and the screen")
    func spans() async throws {
        let tracer = InMemoryTracer()
        let start = try #require(AppStart(try await Self.report(), .warm, screen: "Library", shownBy: "frame"))
        start.recordSentrySpans(in: tracer, from: 1_000_000_000)

        let lengths = tracer.finishedSpans.map { span in
            let length = span.endInstant.nanosecondsSinceEpoch - span.startInstant.nanosecondsSinceEpoch
            return "\(span.operationName) \(length / 1_000_000)"
        }
        #expect(
            lengths == ["ui.load 300", "app.start.warm 100", "ui.load.initial_display 100", "ui.load.full_display 300"]
        )
        let load = try #require(tracer.finishedSpans.first)
        #expect(tracer.finishedSpans.dropFirst().allSatisfy { $0.parentSpanID == load.spanID })
        expectKindAndScreen(tracer, .string("warm"))
    }

    @Test("a trace of a launch has the kind of the start and the screen on each span")
    func trace() async throws {
        let tracer = InMemoryTracer()
        var graph = OperationGraph("app")
        graph.add("frame", .milestone) {}
        let attributes = AppStart.sentryAttributes(.cold, screen: "Library")
        _ = try await graph.run(telling: LaunchTrace(tracer, attributes: attributes))

        #expect(tracer.finishedSpans.map(\.operationName) == ["frame", "app"])
        expectKindAndScreen(tracer, .string("cold"))
    }

    private func expectKindAndScreen(_ tracer: InMemoryTracer, _ kind: SpanAttribute) {
        for span in tracer.finishedSpans {
            #expect(span.attributes["app.vitals.start.type"]?.toSpanAttribute() == kind, "\(span.operationName)")
            #expect(span.attributes["app.vitals.start.screen"]?.toSpanAttribute() == .string("Library"))
        }
    }
}
