import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// What takes the screen when a launch has failed.
@Suite("A takeover for a failure", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FailureTakeoverTests {
    private struct Trouble: Error, Equatable {
        let number: Int
    }

    /// What the takeover was told, and when.
    private struct Shown: Equatable {
        let time: Duration
        let operation: String
        let outcome: Outcome?
        let message: String
        let number: Int?
    }

    private let clock = VirtualClock()
    private let shown = Locked<[Shown]>([])

    /// - Parameter body: what the takeover does when it has noted the failure.
    private func run(
        _ graph: OperationGraph,
        deadline: Duration? = nil,
        grace: Duration = .milliseconds(250),
        body: @escaping @MainActor @Sendable () async -> Void = {}
    ) async throws -> LaunchReport {
        var options = LaunchOptions.virtual(deadline: deadline, grace: grace)
        options.clock = clock
        options.failureTakeover = { [clock, shown] failure in
            let shownNow = Shown(
                time: clock.now.offset,
                operation: failure.operation,
                outcome: failure.outcome,
                message: failure.message,
                number: (failure.underlying as? Trouble)?.number
            )
            shown.withLock { $0.append(shownNow) }
            await body()
        }
        return try await graph.run(options: options).report
    }

    private var all: [Shown] { shown.withLock { $0 } }

    @Test("it begins when a required operation fails, with its error, and does not wait for what runs")
    func failure() async throws {
        var graph = OperationGraph("launch")
        graph.add("open-database", .retry(attempts: 2, backoff: .seconds(1), jitter: 0)) { (step: StepContext) async throws -> Void in
            try await step.sleep(for: .seconds(1))
            throw Trouble(number: step.attempt)
        }
        graph.add("stubborn") { step in
            for _ in 0..<60 { try? await step.sleep(for: .seconds(1)) }
        }
        graph.add("main-app", .milestone, after: "open-database") {}
        let report = try await run(graph)
        #expect(report.outcome == .failed(operation: "open-database", message: all.first?.message ?? ""))
        #expect(all.map(\.operation) == ["open-database"] && all.first?.outcome == .failed)
        #expect(all.first?.time == .seconds(3) && all.first?.number == 2)
    }

    @Test("the launch waits for it, for as long as the grace period", arguments: [(100, 100), (900, 250)])
    func waits(takes: Int, waited: Int) async throws {
        var graph = OperationGraph("launch")
        graph.add("fails") { throw Trouble(number: 1) }
        let clock = clock
        let report = try await run(graph) { try? await clock.sleep(for: .milliseconds(takes)) }
        #expect(report.makespan == .milliseconds(waited) && all.count == 1)
    }

    @Test("at the deadline it is told what still ran, and the launch ends")
    func deadline() async throws {
        var graph = OperationGraph("launch")
        graph.wait("fetch", 60_000)
        graph.add("main-app", .milestone, after: "fetch") {}
        let report = try await run(graph, deadline: .seconds(10))
        #expect(report.makespan == .seconds(10))
        // Nobody waits for it: it may come when the report is there.
        await eventually { !all.isEmpty }
        #expect(all.map(\.operation) == ["fetch"] && all.first?.outcome == .timedOut)
        #expect(all.first?.message == "still running at the launch's deadline")
    }

    @Test("a milestone that is lost is a failure, known when it is lost, with the error behind it; what else there is goes on")
    func lost() async throws {
        var graph = OperationGraph("launch")
        graph.add("fetch", .onFailure(.skipDependents)) { (step: StepContext) async throws -> Void in
            try await step.sleep(for: .seconds(1))
            throw Trouble(number: 7)
        }
        graph.add("main-app", .milestone, after: "fetch") {}
        graph.wait("sync", 5_000)
        let clock = clock
        let report = try await run(graph) { try? await clock.sleep(for: .seconds(60)) }
        #expect(report.outcome == .failed(operation: "main-app", message: "fetch failed"))
        #expect(
            all == [Shown(time: .seconds(1), operation: "main-app", outcome: .skipped, message: "fetch failed", number: 7)]
        )
        // A person may look at it for long: the launch ends all the same.
        #expect(report["sync"]?.outcome == .succeeded && report.makespan == .milliseconds(5_250))
    }

    enum Other: CaseIterable {
        case completes, aborts, isCancelled, failsLater, isNotWanted
    }

    @Test("there is none for any other end", arguments: Other.allCases)
    func none(other: Other) async throws {
        var graph = OperationGraph("launch")
        switch other {
        case .completes: graph.add("fails", .onFailure(.continue)) { throw Trouble(number: 1) }
        case .aborts: graph.add("aborts") { step in step.abort(.forceUpdate) }
        case .isCancelled: graph.wait("sync", 1_000)
        case .failsLater: graph.add("fails", after: "main-app") { throw Trouble(number: 1) }
        case .isNotWanted: graph.add("other") {}
        }
        let isWanted = other != .isNotWanted
        graph.add("main-app", .milestone, .when { isWanted }) {}
        if other == .isCancelled {
            var options = LaunchOptions.virtual()
            options.clock = clock
            options.failureTakeover = { _ in Issue.record("a takeover") }
            let launch = try graph.start(options: options)
            launch.cancel()
            #expect(await launch.end().report.operations.count == 2)
        } else {
            _ = try await run(graph)
        }
        #expect(all.isEmpty)
    }

    @Test("a step that has a value to return aborts without one")
    func value() async throws {
        let journal = Journal()
        var graph = OperationGraph("launch")
        let account = graph.add("restore-account") { (step: StepContext) throws -> Int in
            try step.abortAndThrow("locked") { journal.note("takeover") }
        }
        graph.add("main-app", .milestone, using: account) { _ in journal.note("main-app") }
        let report = try await run(graph)
        #expect(report.outcome == .aborted(by: "restore-account", reason: "locked"))
        #expect(report["restore-account"]?.outcome == .cancelled && report["restore-account"]?.message == "cancelled while it ran")
        #expect(journal.all == ["takeover"] && all.isEmpty)
    }

    @Test("what is cancelled, or meets the deadline, while only the takeover is waited for has failed as before", arguments: [true, false])
    func stoppedAfterwards(isCancelled: Bool) async throws {
        let running = Locked<RunningLaunch?>(nil)
        var graph = OperationGraph("launch")
        graph.add("first") {}
        graph.add("loses", .onFailure(.skipDependents), after: "first") { step in
            try await step.sleep(for: .seconds(1))
            throw Trouble(number: 1)
        }
        graph.add("main-app", .milestone, after: "loses") {}
        var options = LaunchOptions.virtual(deadline: .milliseconds(1_200))
        options.clock = clock
        options.failureTakeover = { [clock] _ in
            if isCancelled { running.withLock { $0 }?.cancel() }
            try? await clock.sleep(for: .seconds(5))
        }
        let launch = try clock.hold {
            let launch = try graph.start(options: options)
            running.withLock { $0 = launch }
            return launch
        }
        let report = await launch.end().report
        #expect(report.outcome.name == "failed")
        #expect("\(report.outcome)".contains("loses"))
        running.withLock { $0 = nil }
    }

    /// What becomes of a launch that fails at its beginning, and whose graph finds out for some seconds whose screen shows that.
    private struct Question {
        var seconds: Int
        var isTaken: Bool
        var deadline = 30
        let end: Duration
    }

    @Test(
        "the launch waits for its graph to take the screen, up to its limit and the deadline; then the app's takeover has the grace period"
    )
    func graphFirst() async throws {
        let questions = [
            Question(seconds: 2, isTaken: true, end: .seconds(2)), Question(seconds: 2, isTaken: false, end: .milliseconds(2_250)),
            Question(seconds: 0, isTaken: false, end: .milliseconds(250)), Question(seconds: 5, isTaken: true, end: .seconds(3)),
            Question(seconds: 2, isTaken: true, deadline: 1, end: .seconds(1)),
        ]
        for question in questions {
            var graph = OperationGraph("launch")
            graph.add("fails") { throw Trouble(number: 1) }
            graph.add("main-app", .milestone, after: "fails") {}
            graph.failureTakeover = (
                .seconds(3),
                { step in
                    try? await step.sleep(for: .seconds(question.seconds))
                    return question.isTaken
                }
            )
            let before = all.count
            let report = try await run(graph, deadline: .seconds(question.deadline)) { [clock] in try? await clock.sleep(for: .seconds(60))
            }
            #expect(report.outcome.name == "failed" && report.makespan == question.end, "\(question): \(report.makespan)")
            #expect(all.count - before == (question.isTaken ? 0 : 1), "\(question)")
        }
    }
}
