import Foundation
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
        override func main() {}
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

        let another = Never()
        var graph = OperationGraph("never")
        graph.add(another, id: "never", .timeout(.milliseconds(2)), .onFailure(.continue))
        let over = try await graph.run()
        another.finish()
        await eventually { !over.anomalies.isEmpty }
        #expect(over.anomalies.first?.description.hasPrefix("never came to its end") == true)
    }
}

extension RealKeptReportTests {
    @Test("fault L43: a stream that nobody reads keeps the newest events, counts what it drops, and ends with the launch's end")
    func unreadEvents() async throws {
        var graph = OperationGraph("unread")
        for index in 0..<10_000 { graph.add("op\(index)") {} }
        let launch = try graph.start()
        let events = launch.events
        _ = await launch.end()
        let (count, last) = await events.reduce(into: (0, LaunchEvent?.none)) { $0 = ($0.0 + 1, $1) }
        // Besides those that were over when it was asked for.
        #expect(count >= LaunchEvents.maximumUnread && count + events.droppedCount == 30_002)
        #expect(last?.kind == .launchEnded)
        // Asked for after the end, all are there.
        let late = launch.events
        let kinds = await late.reduce(into: []) { $0.append($1.kind) }
        #expect(kinds.count == 30_002 && kinds.first == .launchStarted && late.droppedCount == 0)
    }

    @Test("fault L43: a stream that was let go of is not filled any more")
    func forgottenStream() async throws {
        let gate = Gate()
        var graph = OperationGraph("forgotten")
        let first = graph.add("first") { await gate.wait() }
        for index in 0..<10 { graph.add("op\(index)", after: first) {} }
        let launch = try graph.start(options: .patient)
        let feed = EventFeed()
        launch.storage.state.withLock { $0.streams.add(feed) }
        do { _ = LaunchEvents(feed) }
        gate.open()
        _ = await launch.end()
        #expect(!feed.add(LaunchEvent(kind: .stopped, time: .zero)) && feed.droppedCount == 0)
    }
}
