import InMemoryTracing
import MetricsTestKit
import Sequencer
import SequencerTelemetry
import Testing
import Tracing

@testable import telemetry

@Suite("Telemetry of a launch that completes", .serialized, .timeLimit(.minutes(10)))
struct CompletedLaunchTests {
    @Test("a line for each event, in order, with its level and metadata")
    func log() async throws {
        let watched = try await WatchedLaunch.run(SampleLaunch.graph(), budget: .seconds(1))

        #expect(
            watched.log == [
                "info launch started launch=sample time_ms=0.0",
                "trace operation ready launch=sample operation=settings time_ms=0.0",
                "debug operation started attempt=1 launch=sample operation=settings time_ms=0.0",
                "info operation ended launch=sample operation=settings outcome=succeeded time_ms=100.0",
                "trace operation ready launch=sample operation=config time_ms=100.0",
                "trace operation ready launch=sample operation=session time_ms=100.0",
                "debug operation started attempt=1 launch=sample operation=config time_ms=100.0",
                "debug operation started attempt=1 launch=sample operation=session time_ms=100.0",
                "notice operation retrying attempt=1 launch=sample operation=session time_ms=180.0",
                "debug operation started attempt=2 launch=sample operation=session time_ms=230.0",
                "info operation ended launch=sample operation=session outcome=succeeded time_ms=350.0",
                "warning operation ended launch=sample operation=config outcome=fellBack time_ms=400.0",
                "trace operation ready launch=sample operation=main-screen time_ms=400.0",
                "debug operation started attempt=1 launch=sample operation=main-screen time_ms=400.0",
                "info operation ended launch=sample operation=main-screen outcome=succeeded time_ms=500.0",
                "info launch ended budget=met launch=sample outcome=completed time_ms=500.0",
            ]
        )
    }

    @Test("each operation is counted and timed once, the retry too, and the launch")
    func metrics() async throws {
        let watched = try await WatchedLaunch.run(SampleLaunch.graph(), budget: .seconds(1))

        #expect(
            watched.counters == [
                #"sequencer.launch.ended ["sample", "completed"] 1"#,
                #"sequencer.operation.ended ["sample", "config", "fellBack"] 1"#,
                #"sequencer.operation.ended ["sample", "main-screen", "succeeded"] 1"#,
                #"sequencer.operation.ended ["sample", "session", "succeeded"] 1"#,
                #"sequencer.operation.ended ["sample", "settings", "succeeded"] 1"#,
                #"sequencer.operation.retries ["sample", "session"] 1"#,
            ]
        )
        #expect(
            watched.timers == [
                #"sequencer.launch.duration ["sample", "completed"] [500]"#,
                #"sequencer.operation.duration ["sample", "config", "fellBack"] [300]"#,
                #"sequencer.operation.duration ["sample", "main-screen", "succeeded"] [100]"#,
                #"sequencer.operation.duration ["sample", "session", "succeeded"] [250]"#,
                #"sequencer.operation.duration ["sample", "settings", "succeeded"] [100]"#,
            ]
        )
    }

    @Test("spans have the launch's times, the launch's span as their parent, and end once")
    func spans() async throws {
        let watched = try await WatchedLaunch.run(SampleLaunch.graph(), budget: .seconds(1))
        let spans = watched.tracer.spans

        #expect(spans.count == 5)
        #expect(spans["sample"]?.parent == nil)
        for operation in watched.report.operations {
            let span = try #require(spans[operation.id])
            // The launch's span is the first that was started.
            #expect(span.parent == "span-1")
            #expect(span.start == operation.start.map { Int($0 / .milliseconds(1)) })
            #expect(span.ends == [Int(operation.end / .milliseconds(1))])
            #expect(span.outcome == operation.outcome.rawValue)
            #expect(!span.isError)
        }
        #expect(spans["session"]?.events == ["retrying 180", "attempt 230"])
        #expect(spans["sample"]?.start == 0)
        #expect(spans["sample"]?.ends == [500])
        #expect(spans["sample"]?.outcome == "completed")
    }

    @Test("the launch's span belongs to the span in which the launch is run")
    func parent() async throws {
        let tracer = InMemoryTracer()
        let outer = try await tracer.withSpan("process") { span in
            _ = try await SampleLaunch.run(telling: LaunchTrace(tracer))
            return span.spanID
        }

        let launch = try #require(tracer.finishedSpans.first { $0.operationName == "sample" })
        #expect(launch.parentSpanID == outer)
        #expect(launch.traceID == "trace-1")
        #expect(tracer.finishedSpans.filter { $0.parentSpanID == launch.spanID }.count == 4)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test("a launch that completes too late is a warning with its causes, and is counted")
    func overBudget() async throws {
        var graph = OperationGraph("slow")
        graph.add("work", .milestone) { launch in try await launch.sleep(for: .seconds(2)) }
        let watched = try await WatchedLaunch.run(graph, budget: .seconds(1))

        #expect(watched.log.last == "warning launch ended budget=missed causes=[\"work\"] launch=slow outcome=completed time_ms=2000.0")
        #expect(watched.counters.contains(#"sequencer.launch.over_budget ["slow"] 1"#))
    }

    @Test("a launch of nothing begins and ends")
    func empty() async throws {
        let watched = try await WatchedLaunch.run(OperationGraph("nothing"))

        #expect(watched.log.map { $0.prefix(while: { $0 != "=" }) } == ["info launch started launch", "info launch ended budget"])
        #expect(watched.tracer.spans["nothing"]?.ends == [0])
    }

    @Test("a launch that cannot begin throws, and tells nothing")
    func noLaunch() async throws {
        var graph = OperationGraph("broken")
        graph.add("work", after: "nothing of that name") {}
        let tracer = CountingTracer()
        let metrics = TestMetrics()
        await #expect(throws: GraphError.self) {
            try await graph.run(telling: LaunchTrace(tracer), LaunchMetrics(factory: metrics))
        }
        #expect(tracer.spans.isEmpty)
        #expect(metrics.counters.isEmpty)

        // Nor one whose options are out of range.
        await #expect(throws: GraphError.self) {
            try await SampleLaunch.graph().run(options: LaunchOptions(lanes: 0), telling: LaunchTrace(tracer))
        }
        #expect(tracer.spans.isEmpty)
    }

    @Test("a launch that cannot begin lets go of who would have watched it")
    func noLaunchKeepsNobody() async throws {
        let (releases, release) = AsyncStream.makeStream(of: Void.self)
        var graph = OperationGraph("broken")
        graph.add("work", after: "nothing of that name") {}
        await #expect(throws: GraphError.self) { try await graph.run(telling: Watcher { release.yield() }) }
        // Never comes while a task waits for events that never come.
        #expect(await releases.first { true } != nil)
    }
}

/// Watches nothing, and says when it is let go of.
private final class Watcher: LaunchObserver {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }

    deinit { onRelease() }

    func observe(_ event: LaunchEvent, in launch: String) {}
    func observe(_ report: LaunchReport) {}
}
