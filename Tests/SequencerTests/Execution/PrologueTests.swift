import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Steps that have run when the launch has started.
@Suite("The prologue", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PrologueTests {
    private struct Trouble: Error {}

    /// A clock that only the test moves. Its sleeps end when they are cancelled: nothing here has to be woken.
    private final class HandClock: Clock {
        private let begin = ContinuousClock.now
        private let passed = Locked(Duration.zero)

        var now: ContinuousClock.Instant { begin.advanced(by: passed.withLock { $0 }) }
        var minimumResolution: Duration { .nanoseconds(1) }

        func pass(_ duration: Duration) { passed.withLock { $0 += duration } }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try await Task.sleep(for: .seconds(86_400))
        }
    }

    /// ```
    /// crash-reporter ──▶ open-database ──▶ background-tasks    (the prologue)
    ///                                             ├──▶ splash, on main
    ///                                             └──▶ fetch (100 ms) ──▶ main-app, which reads open-database too
    /// ```
    private static func graph(_ journal: Journal) -> OperationGraph {
        var graph = OperationGraph("launch")
        // Before the prologue, and with longer ways behind them, so that nothing but the prologue keeps them back.
        graph.add("splash", .expected(.seconds(9)), on: .main) { journal.note("splash") }
        let fetch = graph.add("fetch", .expected(.seconds(9))) { step in
            journal.note("fetch")
            try await step.sleep(for: .milliseconds(100))
        }
        graph.addPrologue("crash-reporter") { journal.note("crash-reporter") }
        let database = graph.addPrologue("open-database") { () throws -> String in
            MainActor.assertIsolated()
            journal.note("open-database")
            return "database"
        }
        graph.addPrologue("background-tasks", using: .context, database) { step, database in journal.note("\(step.operation) \(database)") }
        graph.add("main-app", .milestone, using: database, after: fetch) { database in journal.note("main-app \(database)") }
        return graph
    }

    @Test("its steps have run, in order, when the launch has started, and nothing of the main thread has")
    @MainActor
    func start() async throws {
        let journal = Journal()
        let launch = try Self.graph(journal).start(options: .virtual())
        let atStart = journal.all
        #expect(atStart.prefix(3) == ["crash-reporter", "open-database", "background-tasks database"])
        #expect(!atStart.contains("splash"))
        let report = await launch.end().report
        #expect(Set(journal.all.dropFirst(3)) == ["splash", "fetch", "main-app database"])
        #expect(report.outcome == .completed && report.makespan == .milliseconds(100) && report.operationAnomalies.isEmpty)
        let prologue = report.operations.filter { ["crash-reporter", "open-database", "background-tasks"].contains($0.id) }
        #expect(prologue.count == 3 && prologue.allSatisfy { $0.isMain && $0.lane == nil && $0.attempts == 1 && $0.outcome == .succeeded })
        #expect(report["splash"]?.dependencies == ["background-tasks"])
    }

    @Test("its time is measured: in its steps, in the launch, and against the budget", arguments: [1_000, 999])
    @MainActor
    func measured(milliseconds: Int) async throws {
        let clock = HandClock()
        var graph = OperationGraph("measured")
        graph.addPrologue("crash-reporter") { clock.pass(.milliseconds(200)) }
        graph.addPrologue("open-database") { clock.pass(.milliseconds(700)) }
        graph.add("main-app", .milestone) { clock.pass(.milliseconds(100)) }
        let launch = try graph.start(budget: .milliseconds(milliseconds), options: LaunchOptions(clock: clock))
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.start) == [.zero, .milliseconds(200), .milliseconds(900)])
        #expect(report.operations.map(\.duration) == [.milliseconds(200), .milliseconds(700), .milliseconds(100)])
        #expect(report.makespan == .seconds(1) && report.budget.measured == .seconds(1) && report.work == .seconds(1))
        #expect(report.budget.isMet == (milliseconds == 1_000))
        #expect(report.budget.causes == (milliseconds == 1_000 ? [] : ["open-database"]))
        #expect(report.criticalPath == ["crash-reporter", "open-database", "main-app"])
    }

    @Test("off the main thread such a graph is refused, with the step and with what to do, and nothing has run")
    func elsewhere() async throws {
        let journal = Journal()
        let graph = Self.graph(journal)
        let error = await Task.detached {
            #expect(throws: GraphError.self) { _ = try graph.start(options: .virtual()) }
        }.value
        #expect(error?.problems.map(\.code) == [.prologue])
        #expect(error?.description.contains("crash-reporter is a step of the prologue") == true)
        #expect(error?.description.contains("call start() or run() there") == true)
        #expect(journal.all.isEmpty)
        // Nobody has taken it.
        #expect(try await MainActor.run { try graph.start(options: .virtual()) }.end().report.outcome == .completed)
    }

    @Test("one that throws ends the launch before anything else has begun")
    @MainActor
    func failure() async throws {
        let journal = Journal()
        var graph = Self.graph(journal)
        graph.addPrologue("migrate") { throw Trouble() }
        graph.addPrologue("last") { journal.note("last") }
        let report = try await graph.start(options: .virtual()).end().report
        guard case .failed("migrate", _) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(journal.all == ["crash-reporter", "open-database", "background-tasks database"])
        #expect(report.operations.filter { $0.outcome == .cancelled }.map(\.id) == ["splash", "fetch", "main-app", "last"])
        #expect(report.operations.filter { $0.outcome == .cancelled }.allSatisfy { $0.start == nil })
    }

    @Test("one that aborts ends the launch before anything else has begun, and its takeover has the screen")
    @MainActor
    func abort() async throws {
        let journal = Journal()
        var graph = Self.graph(journal)
        graph.addPrologue("check-disk") { step in step.abort("disk-full") { journal.note("takeover") } }
        let launch = try graph.start(options: .virtual())
        #expect(!journal.all.contains("takeover"))
        #expect(await launch.end().report.outcome == .aborted(by: "check-disk", reason: "disk-full"))
        #expect(journal.all.dropFirst(3) == ["takeover"])
    }

    @Test("policies, fallbacks and conditions count, and a step that is left out is")
    @MainActor
    func policies() async throws {
        let journal = Journal()
        var graph = Self.graph(journal)
        graph.addPrologue("old", .when { false }) { journal.note("old") }
        graph.addPrologue("optional", .onFailure(.continue)) { throw Trouble() }
        let value = graph.addPrologue("value", fallback: 7) { () throws -> Int in throw Trouble() }
        graph.addPrologue("left-out", fallback: ()) { journal.note("left-out") }
        graph.addPrologue("last", using: value) { value in journal.note("last \(value)") }
        try graph.skip("left-out", because: "launches died in it")
        let launch = try graph.start(options: .virtual())
        #expect(journal.all.prefix(4).last == "last 7")
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(["old", "optional", "value", "left-out"].map { report[$0]?.outcome } == [.skipped, .failed, .fellBack, .fellBack])
    }

    @Test("a launch that was cancelled before it began runs none of it")
    @MainActor
    func cancelled() async throws {
        let journal = Journal()
        let graph = Self.graph(journal)
        let task = Task { @MainActor in try await graph.run(options: .virtual()).report }
        // It has not begun: this is the main actor.
        task.cancel()
        #expect(try await task.value.outcome == .cancelled)
        #expect(journal.all.isEmpty)
    }

    @Test("a step of it waits for steps of it alone, for earlier ones, and is nothing that takes time or comes later")
    func validation() {
        func expect(_ codes: [GraphProblem.Code], _ build: (inout OperationGraph) -> Void) {
            var graph = OperationGraph("launch")
            graph.addPrologue("first") {}
            build(&graph)
            do throws(GraphError) {
                _ = try graph.validated()
                #expect(codes.isEmpty)
            } catch {
                #expect(error.problems.map(\.code) == codes, "\(error)")
            }
        }
        expect([]) { graph in
            graph.add("other", after: "second") {}
            graph.addPrologue("second", after: "first") {}
        }
        expect([.prologue]) { graph in
            graph.add("other") {}
            graph.addPrologue("second", after: "other") {}
        }
        expect([.prologue]) { graph in
            graph.addPrologue("second", after: "third") {}
            graph.addPrologue("third") {}
        }
        for option in [StepOption.milestone, .initialDisplay, .interactive, .retry(attempts: 2), .deferrable] {
            expect([.invalidOption]) { graph in graph.addPrologue("second", option) {} }
        }
    }

    @Test("a fault in it makes all of it run as steps of the main thread, in its order, before all else")
    func faults() async throws {
        let journal = Journal()
        var graph = Self.graph(journal)
        try graph.inject(.delay(.milliseconds(40)), into: "open-database")
        // Not in the start, and so from anywhere.
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .completed && report.makespan == .milliseconds(140))
        #expect(journal.all.prefix(3) == ["crash-reporter", "open-database", "background-tasks database"])
        try graph.inject(.fail, into: "crash-reporter")
        let failed = try await graph.run(options: .virtual()).report
        #expect(failed.operations.filter { $0.start != nil }.map(\.id) == ["crash-reporter"])
    }

    // MARK: The decisions alone

    @Test("a step of the prologue cannot show something while it is slow")
    func slowScreen() {
        var graph = OperationGraph("launch")
        graph.addPrologue("open-database", .ifSlower(than: .seconds(1)) { await $0.ended() }) {}
        let error = #expect(throws: GraphError.self) { try graph.validated() }
        #expect(error?.description.contains("it keeps the main thread") == true)
    }
}
