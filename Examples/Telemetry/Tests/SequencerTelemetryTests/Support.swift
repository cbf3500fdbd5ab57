import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Sequencer
import SequencerTelemetry
import SequencerTesting
import Synchronization
import Tracing

struct Failure: Error, CustomStringConvertible {
    var description = "no disk"
}

/// A launch that has been watched with all observers, and what these have seen of it.
struct WatchedLaunch {
    let report: LaunchReport
    /// Level, message and metadata of each line.
    let log: [String]
    let metrics: TestMetrics
    let tracer: CountingTracer

    /// Runs a launch in virtual time.
    static func run(_ graph: OperationGraph, budget: Budget = .seconds(3), deadline: Duration? = nil) async throws -> WatchedLaunch {
        let options = LaunchOptions(deadline: deadline.map { .after($0) } ?? .never, clock: VirtualClock(patience: .milliseconds(20)))
        return try await run(graph, budget: budget, options: options)
    }

    static func run(_ graph: OperationGraph, budget: Budget = .seconds(3), options: LaunchOptions) async throws -> WatchedLaunch {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "launch") { _ in log }
        logger.logLevel = .trace
        let metrics = TestMetrics()
        let tracer = CountingTracer()
        let report = try await graph.run(
            budget: budget,
            options: options,
            telling: LaunchLog(logger),
            LaunchMetrics(factory: metrics),
            LaunchTrace(tracer) { CountingTracer.begin }
        ).report
        let lines = log.entries.map { entry in
            let metadata = entry.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return (["\(entry.level)", "\(entry.message)"] + metadata).joined(separator: " ")
        }
        return WatchedLaunch(report: report, log: lines, metrics: metrics, tracer: tracer)
    }

    /// Each counter's name, dimensions and total, in order.
    var counters: [String] {
        metrics.counters.map { "\($0.label) \($0.dimensions.map { $0.1 }) \($0.totalValue)" }.sorted()
    }

    /// Each timer's name, dimensions and values in milliseconds, in order.
    var timers: [String] {
        metrics.timers.map { "\($0.label) \($0.dimensions.map { $0.1 }) \($0.values.map { $0 / 1_000_000 })" }.sorted()
    }
}

/// Keeps spans in memory and counts how often each was ended, which a real tracer would not tell.
final class CountingTracer: Tracer {
    /// When launches begin here, in nanoseconds since 1970.
    static let begin: UInt64 = 1_000_000_000_000

    struct Ended: Sendable {
        let name: String
        let parent: String?
        let start: Int
        /// In milliseconds since the launch began, for each time it was ended.
        var ends: [Int] = []
        var outcome = ""
        var events: [String] = []
        var isError = false
    }

    private let memory = InMemoryTracer()
    private let ended = Mutex<[String: Ended]>([:])

    /// All spans that were started, by name: what there is of each.
    var spans: [String: Ended] { ended.withLock { $0 } }

    static func milliseconds(_ nanoseconds: UInt64) -> Int { (Int(nanoseconds) - Int(begin)) / 1_000_000 }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> CountingSpan {
        let parent = context().inMemorySpanContext
        let start = instant()
        let span = memory.startSpan(
            operationName,
            context: context(),
            ofKind: kind,
            at: start,
            function: function,
            file: fileID,
            line: line
        )
        ended.withLock { ended in
            let milliseconds = Self.milliseconds(start.nanosecondsSinceEpoch)
            ended[operationName] = Ended(name: operationName, parent: parent?.spanID, start: milliseconds)
        }
        return CountingSpan(memory: span, tracer: self)
    }

    func activeSpan(identifiedBy context: ServiceContext) -> CountingSpan? { nil }
    func forceFlush() {}
    func inject<Carrier, Inject: Injector>(_: ServiceContext, into _: inout Carrier, using _: Inject) where Carrier == Inject.Carrier {}
    func extract<Carrier, Extract: Extractor>(_: Carrier, into _: inout ServiceContext, using _: Extract) where Carrier == Extract.Carrier {
    }

    fileprivate func end(_ span: InMemorySpan, at time: UInt64) {
        ended.withLock { ended in
            ended[span.operationName]?.ends.append(Self.milliseconds(time))
            if case .string(let outcome)? = span.attributes["sequencer.outcome"]?.toSpanAttribute() {
                ended[span.operationName]?.outcome = outcome
            }
            ended[span.operationName]?.events = span.events.map { "\($0.name) \(Self.milliseconds($0.nanosecondsSinceEpoch))" }
            ended[span.operationName]?.isError = span.status?.code == .error
        }
    }
}

struct CountingSpan: Span {
    let memory: InMemorySpan
    let tracer: CountingTracer

    var context: ServiceContext { memory.context }
    var isRecording: Bool { memory.isRecording }
    var operationName: String {
        get { memory.operationName }
        nonmutating set { memory.operationName = newValue }
    }
    var attributes: SpanAttributes {
        get { memory.attributes }
        nonmutating set { memory.attributes = newValue }
    }

    func setStatus(_ status: SpanStatus) { memory.setStatus(status) }
    func addEvent(_ event: SpanEvent) { memory.addEvent(event) }
    func addLink(_ link: SpanLink) { memory.addLink(link) }
    func recordError<Instant: TracerInstant>(_ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant) {
        memory.recordError(error, attributes: attributes, at: instant())
    }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let instant = instant()
        tracer.end(memory, at: instant.nanosecondsSinceEpoch)
        memory.end(at: instant)
    }
}
