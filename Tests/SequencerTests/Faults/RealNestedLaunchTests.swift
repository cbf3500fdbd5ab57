import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Launches that steps run.
@Suite("Faults of launches within steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealNestedLaunchTests {
    @Test("fault O13: a launch within a step has no more time than the step, and ends with it", arguments: [false, true])
    func remainingTime(onMain: Bool) async throws {
        let limits = Locked<[Duration?]>([])
        let inner = Locked<LaunchReport?>(nil)
        let ended = Gate()
        var within = OperationGraph("inner")
        within.add("waits") { (launch: StepContext) async throws in
            limits.withLock { $0.append(launch.remainingTime) }
            try await launch.sleep(for: .seconds(3600))
        }
        let body: @Sendable (StepContext) async throws -> Void = { [within] launch in
            limits.withLock { $0.append(launch.remainingTime) }
            let report = try await within.run(options: LaunchOptions(deadline: .seconds(1000))).report
            inner.withLock { $0 = report }
            ended.open()
        }
        var graph = OperationGraph("outer")
        let first = graph.add("first") { await Self.nothing() }
        if onMain {
            graph.add("nests", .timeout(.milliseconds(500)), .onFailure(.continue), after: first, on: .main) { launch in
                try await body(launch)
            }
        } else {
            graph.add("nests", .timeout(.milliseconds(500)), .onFailure(.continue), after: first) { launch in try await body(launch) }
        }
        let report = try await graph.run().report
        #expect(report["nests"]?.outcome == .timedOut)
        await ended.wait()
        #expect(inner.withLock { $0 }?.outcome.name != "completed")
        let (outerLimit, innerLimit) = limits.withLock { ($0.first ?? nil, $0.last ?? nil) }
        let outer = try #require(outerLimit)
        let inherited = try #require(innerLimit)
        #expect(limits.withLock { $0.count } == 2)
        #expect(inherited <= outer)
    }

    /// Starts a launch without a deadline of its own, and keeps the one that it has.
    private static func startInner(_ deadlines: Locked<[Nanoseconds?]>, clock: any Clock<Duration> = SuspendingClock()) {
        var inner = OperationGraph("inner")
        inner.add("quick") {}
        do {
            let launch = try inner.start(options: LaunchOptions(deadline: .never, clock: clock))
            deadlines.withLock { $0.append(launch.storage.state.withLock { $0.machine.settings.deadline }) }
        } catch {
            Issue.record(error)
        }
    }

    private final class Starts: ConcurrentOperation, @unchecked Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        override func main() {
            body()
            finish()
        }
    }

    @Test("fault O13: whatever code of a step starts a launch, that has no more time than the step", arguments: [false, true])
    func anyCode(inAppQueue: Bool) async throws {
        let deadlines = Locked<[Nanoseconds?]>([])
        let start: @Sendable () -> Void = { Self.startInner(deadlines) }
        let limit = StepOption.timeout(.seconds(3600))
        var graph = OperationGraph("outer")
        graph.add("action", limit) { start() }
        graph.add("synchronous", limit, after: "action") { (_: StepContext) in start() }
        graph.add(
            "condition",
            limit,
            .when {
                start(); return true
            },
            after: "synchronous"
        ) {}
        let failing: @Sendable () throws -> Int = { throw TestError(1) }
        graph.add("fallback", limit, after: "condition") {
            try failing()
        } fallback: { _, _ in
            start(); return 1
        }
        graph.addOperation("made", limit, after: "fallback") { _ in
            start(); return Starts(start)
        }
        graph.add(BlockOperation(block: start), id: "block", limit, after: "made")
        graph.add(
            "main-condition",
            limit,
            .when {
                start(); return true
            },
            after: "block",
            on: .main
        ) {}
        graph.addOperation("main-operation", limit, after: "main-condition", on: .main) { _ in Starts(start) }
        graph.add("main", limit, after: "main-operation", on: .main) { start() }
        let report = try await graph.run(
            options: LaunchOptions(deadline: .never, queue: inAppQueue ? OperationQueue() : nil)
        ).report
        #expect(report.outcome == .completed)
        let longest = Duration.seconds(3600).nanoseconds
        let found = deadlines.withLock { $0 }
        #expect(found.count == 10)
        for deadline in found { #expect(try #require(deadline) <= longest) }
        // Outside of steps there is no limit.
        Self.startInner(deadlines)
        #expect(deadlines.withLock { $0.last } == .some(nil))
    }

    @Test("fault O13: a launch that an observer starts is no part of the step whose end it hears of", arguments: [false, true])
    func startedByObserver(inVirtualTime: Bool) async throws {
        let deadlines = Locked<[Nanoseconds?]>([])
        var graph = OperationGraph("outer")
        graph.add("only", .timeout(.seconds(3600))) {}
        let clock: any Clock<Duration> = inVirtualTime ? VirtualClock() : SuspendingClock()
        var options = LaunchOptions(deadline: .never, clock: clock)
        options.observers.append { event in
            if case .ended = event.kind { Self.startInner(deadlines, clock: clock) }
        }
        _ = try await graph.run(options: options)
        #expect(deadlines.withLock { $0 } == [nil])
    }

    @Test("fault O13: a task that a straight-through step leaves behind is no part of the next step on its thread")
    func leftBehindBySynchronousStep() async throws {
        let deadlines = Locked<[Nanoseconds?]>([])
        let (mayBegin, ended) = (Gate(), Gate())
        var graph = OperationGraph("outer")
        graph.add("leaves", .timeout(.seconds(3600))) {
            Task {
                await mayBegin.wait()
                Self.startInner(deadlines)
                ended.open()
            }
        }
        graph.add("next", .timeout(.seconds(3600)), after: "leaves") {
            mayBegin.open()
            ended.block()
        }
        _ = try await graph.run(options: LaunchOptions(lanes: 1, deadline: .never))
        #expect(deadlines.withLock { $0 } == [nil])
    }

    static func nothing() async {}

    @Test("fault O13: an inner launch with a longer budget than the outer step has time ends with it")
    func innerDeadline() {
        var options = LaunchOptions()
        #expect(options.settings(for: .seconds(60)).deadline == Duration.seconds(60).nanoseconds)
        options.outerLimit = .seconds(40)
        #expect(options.settings(for: .seconds(60)).deadline == Duration.seconds(40).nanoseconds)
        #expect(options.settings(for: .seconds(3)).deadline == Duration.seconds(30).nanoseconds)
        options.deadline = .never
        #expect(options.settings(for: .seconds(3)).deadline == Duration.seconds(40).nanoseconds)
    }
}
