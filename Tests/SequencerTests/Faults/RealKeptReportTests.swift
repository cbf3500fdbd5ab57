import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Launches, reports and streams that somebody keeps.
@Suite("Faults of memory", .serialized, .timeLimit(.minutes(30)), .real)
struct RealKeptReportTests {
    final class Token: Sendable {}

    struct Failure: Error, CustomStringConvertible {
        let token: Token
        var description: String { "a failure" }
    }

    final class Never: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: the gate is constant, and Sendable itself.
        let hasBegun = Gate()

        override func main() { hasBegun.open() }
    }

    @Test("fault L44: a report that is kept keeps nothing that its steps captured, threw, or were given")
    func keptReport() async throws {
        weak var weakToken: Token?
        func launch() async throws -> LaunchReport {
            let token = Token()
            weakToken = token
            var graph = OperationGraph("kept")
            graph.add("closure", .expected(.milliseconds(1)), .title("A closure")) { _ = token }
            graph.add(
                "condition",
                .when {
                    _ = token; return true
                }
            ) {}
            graph.add("fallback") {
                throw Failure(token: token)
            } fallback: { _, _ in
                _ = token
            }
            graph.add("value", .onFailure(.continue), fallback: token) { token }
            graph.add("throws", .onFailure(.continue)) { throw Failure(token: token) }
            graph.add("operation", .onFailure(.continue), after: "closure") { (_: StepContext) in _ = token }
            graph.add(BlockOperation { _ = token }, id: "block")
            graph.addOperation("made") { _ in BlockOperation { _ = token } }
            graph.add("main", .milestone, after: "throws", "block", "made", on: .main) { _ = token }
            return try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        }
        let report = try await launch()
        // The launch lets go of its operations a moment after it has said that it is over.
        await eventually { weakToken == nil }
        #expect(report["throws"]?.message == "a failure")
        #expect(report["fallback"]?.message == "a failure; its fallback was used")
        #expect(report["main"]?.isMain == true && report["closure"]?.title == "A closure")
        #expect(report.milestone == "main")
    }

    @Test(
        "fault L50: a ConcurrentOperation that never ends keeps nothing of its launch once that is over, and its late end is still reported"
    )
    func neverEnding() async throws {
        weak var weakToken: Token?
        let operation = Never()
        func launch() async throws -> LaunchReport {
            let token = Token()
            weakToken = token
            var graph = OperationGraph("never")
            graph.add(operation, id: "never", .timeout(.milliseconds(2)), .onFailure(.continue))
            graph.add("other", after: "never") { _ = token }
            return try await graph.run().report
        }
        let report = try await launch()
        #expect(report["never"]?.outcome == .timedOut)
        await eventually { weakToken == nil }
        operation.finish()

        // This one has begun: on a busy machine the other may not have, within its timeout.
        let another = Never()
        var graph = OperationGraph("never")
        graph.add(another, id: "never", .onFailure(.continue))
        let launch = try graph.start(options: .patient)
        await another.hasBegun.wait()
        try launch.cancel("never")
        let over = await launch.end()
        #expect(over.report["never"]?.outcome == .cancelled)
        another.finish()
        await eventually { !over.anomalies.isEmpty }
        #expect(over.anomalies.first?.description.hasPrefix("never came to its end") == true)
    }
}

extension RealKeptReportTests {
    @Test(
        "fault L43: a stream that nobody reads, and one that is asked for late, say how many events are missing, and have the newest 65,536"
    )
    func unreadEvents() async throws {
        var graph = OperationGraph("unread")
        let count = 22_000
        for index in 0..<count { graph.add("op\(index)") {} }
        let launch = try graph.start(options: .patient)
        let unread = launch.events
        _ = await launch.end()
        let late = await launch.events.reduce(into: []) { $0.append($1.kind) }
        #expect(late.first == .dropped(3 * count + 2 - 65_536))
        #expect(late.count == 1 + 65_536 && late.last == .launchEnded)
        // It may be filled still.
        var (kept, dropped, last) = (0, 0, LaunchEvent.Kind?.none)
        for await event in unread {
            if case .dropped(let count) = event.kind { dropped += count } else { kept += 1 }
            last = event.kind
        }
        #expect(kept + dropped == 3 * count + 2 && last == .launchEnded)
    }

    @Test("fault L43: a reader that falls behind again is told again of what is missing, where it is missing")
    func behindAgain() async throws {
        let feed = EventFeed()
        let events = LaunchEvents(feed, past: Self.events(0..<10))
        var reader = events.makeAsyncIterator()
        var seen: [LaunchEvent.Kind?] = []
        func read(_ count: Int) async { for _ in 0..<count { seen.append(await reader.next()?.kind) } }
        await read(2)
        for event in Self.events(10..<65_540) { _ = feed.add(event) }
        await read(2)
        for event in Self.events(65_540..<65_545) { _ = feed.add(event) }
        await read(2)
        #expect(seen == [.ready("0"), .ready("1"), .dropped(2), .ready("4"), .dropped(4), .ready("9")])
    }

    private static func events(_ numbers: Range<Int>) -> [LaunchEvent] {
        numbers.map { LaunchEvent(kind: .ready(String($0)), time: .nanoseconds($0)) }
    }

    @Test("fault L43: a reader's executor may run it at once, and several tasks may read one stream")
    func readersExecutor() async throws {
        let feed = EventFeed()
        let events = LaunchEvents(feed)
        let executor = InlineExecutor()
        let readers = (0..<3).map { _ in
            Task(executorPreference: executor) { await events.reduce(into: []) { $0.append($1.kind) } }
        }
        for event in Self.events(0..<1_000) {
            _ = feed.add(event)
            await Task.yield()
        }
        _ = feed.add(LaunchEvent(kind: .launchEnded, time: .zero))
        var seen: [LaunchEvent.Kind] = []
        for reader in readers { seen += await reader.value }
        #expect(seen.count == 1_001)
        // Once the stream is over, it takes no events.
        #expect(!feed.add(LaunchEvent(kind: .stopped, time: .zero)))
    }

    @Test("fault L43: a stream whose reader is cancelled ends, and is not filled any more")
    func cancelledReader() async throws {
        let feed = EventFeed()
        let events = LaunchEvents(feed, past: Self.events(0..<1))
        // It waits for the second one when this returns.
        let reader = Task(executorPreference: InlineExecutor()) { await events.reduce(into: 0) { count, _ in count += 1 } }
        reader.cancel()
        #expect(await reader.value == 1)
        #expect(!feed.add(LaunchEvent(kind: .stopped, time: .zero)))
    }
}

/// Runs each job within the call that gives it: under the lock of a stream's feed, a reader that asks for the next event would wait for itself.
final class InlineExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedTaskExecutor()) }
}
