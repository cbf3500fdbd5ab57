import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Task-local values of whoever starts a launch.
@Suite("Faults of task-local values", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CallerContextTests {
    @TaskLocal static var tenant = "nobody"

    /// Which value each piece of code has seen, in the order of their names.
    private struct Seen: Sendable {
        private let values = Locked<[String: Set<String>]>([:])

        func note(_ place: String) {
            let value = CallerContextTests.tenant
            _ = values.withLock { $0[place, default: []].insert(value) }
        }

        var all: [String: Set<String>] { values.withLock { $0 } }
    }

    private struct Trouble: Error {}

    private final class Listener: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: as its superclass; it changes nothing.
        private let seen: Seen

        init(_ seen: Seen) { self.seen = seen }

        override func main() {
            seen.note("concurrent")
            finish()
        }
    }

    /// Every kind of step, several at a time, and steps that follow one that has suspended.
    private func graph(_ seen: Seen) -> OperationGraph {
        var graph = OperationGraph("values")
        let wide = (0..<6).map { index in
            graph.add("sync-\(index)") {
                seen.note("synchronous")
                // Of the step alone, whoever goes on in its thread.
                Self.$tenant.withValue("a step's own") {}
            }
        }
        let suspended = graph.add("suspends", after: wide) { launch in
            seen.note("asynchronous")
            try await Self.$tenant.withValue("a step's own") { try await launch.sleep(for: .milliseconds(1)) }
            seen.note("after a suspension")
            await Task { seen.note("a task of a step") }.value
        }
        let after = (0..<4).map { index in
            graph.add("async-\(index)", after: suspended) { () async in seen.note("after one that suspended") }
        }
        let retried = graph.add("retried", .retry(attempts: 2), after: after) { launch in
            seen.note("attempt \(launch.attempt)")
            if launch.attempt == 1 { throw Trouble() }
        }
        graph.add("main", after: retried, on: .main) { seen.note("main") }
        graph.add("main-suspends", after: retried, on: .main) {
            await Task.yield()
            seen.note("main after a suspension")
        }
        graph.add(
            "asked",
            .when {
                seen.note("condition")
                return true
            },
            after: retried
        ) {}
        graph.add("falls-back", after: retried) { () throws -> Int in
            throw Trouble()
        } fallback: { _, _ in
            seen.note("fallback")
            return 1
        }
        graph.addOperation("block", after: retried) { _ in BlockOperation { seen.note("operation") } }
        graph.addOperation("concurrent", after: retried) { _ in Listener(seen) }
        return graph
    }

    private let places: Set<String> = [
        "synchronous", "asynchronous", "after a suspension", "a task of a step", "after one that suspended", "attempt 1", "attempt 2",
        "main",
        "main after a suspension", "condition", "fallback", "operation", "concurrent",
    ]

    enum Way: CaseIterable {
        case real, virtual, oneLane, watched, notAtOnce, queue

        var options: LaunchOptions {
            var options = LaunchOptions.patient
            switch self {
            case .real: break
            case .watched: options.observers.append { _ in }
            case .virtual: options = LaunchOptions(clock: VirtualClock())
            case .oneLane: options.lanes = 1
            case .notAtOnce: options.startsTasksAtOnce = false
            case .queue: options.queue = OperationQueue()
            }
            return options
        }
    }

    @Test("fault O54: every piece of code of a step has the caller's task-local values, and no other's", arguments: Way.allCases)
    func everywhere(way: Way) async throws {
        let seen = Seen()
        let graph = graph(seen)
        let report = try await Self.$tenant.withValue("caller") { try await graph.run(options: way.options).report }
        #expect(report.outcome == .completed)
        #expect(seen.all == Dictionary(uniqueKeysWithValues: places.map { ($0, ["caller"]) }))
    }

    @Test("fault O54: a takeover has the caller's values, not those of the step that aborts", arguments: [false, true])
    func takeover(isVirtual: Bool) async throws {
        let seen = Seen()
        var graph = OperationGraph("takeover")
        graph.add("update", .milestone) { launch in
            Self.$tenant.withValue("a step's own") { launch.abort("outdated") { seen.note("takeover") } }
        }
        let options = isVirtual ? LaunchOptions(clock: VirtualClock()) : .patient
        _ = try await Self.$tenant.withValue("caller") { try await graph.run(options: options) }
        #expect(seen.all == ["takeover": ["caller"]])
    }

    @Test("fault O54: a launch that has ended does not keep the caller's values")
    func letGo() async throws {
        let graph = graph(Seen())
        let launches = Locked<[FinishedLaunch]>([])
        weak var value: Held?
        try await {
            let held = Held()
            value = held
            let launch = try await Self.$held.withValue(held) { try await graph.run(options: .patient) }
            launches.withLock { $0.append(launch) }
        }()
        await eventually { value == nil }
        #expect(launches.withLock { $0.count } == 1)
    }

    private final class Held: Sendable {}
    @TaskLocal private static var held: Held?
}
