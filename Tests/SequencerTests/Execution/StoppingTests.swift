import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Stopping a launch", .serialized, .timeLimit(.minutes(10)))
struct StoppingTests {
    @Test("after an abort nothing starts, what runs is told to cancel, and the takeover does not wait for it")
    func abort() async throws {
        // slow     ────────told to cancel──▶ (ends only after the takeover has begun)
        // update   ──abort
        // takeover         begins ──▶ lets slow end
        let takeoverBegan = Gate()
        let journal = Journal()
        var graph = OperationGraph("abort")
        let slow = graph.add("slow") { launch in
            try? await launch.sleep(for: .seconds(3600))
            journal.note("slow was told: \(Task.isCancelled) \(launch.isCancelled)")
            await takeoverBegan.wait()
        }
        graph.add("later", after: slow) { journal.note("later started") }
        graph.add("force-update") { launch in
            launch.abort(.forceUpdate) {
                journal.note("takeover")
                takeoverBegan.open()
            }
        }
        let report = try await Sequencer(graph, options: LaunchOptions(grace: .seconds(30))).run()
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(Set(journal.all) == ["slow was told: true true", "takeover"])
        #expect(report["later"]?.outcome == .cancelled)
        #expect(report["later"]?.message == "not started: force-update aborted the launch (force-update)")
        #expect(report["force-update"]?.outcome == .succeeded)
    }

    @Test("fault O22: the first stop decides, and an abort after the end changes nothing")
    func lateAbort() async throws {
        let launches = Locked<Launch?>(nil)
        var graph = OperationGraph("late")
        graph.add("only") { launch in launches.withLock { $0 = launch } }
        let report = try await Sequencer(graph).run()
        #expect(report.outcome == .completed)
        let launch = try #require(launches.withLock { $0 })
        #expect(launch.abort(.forceUpdate) { Issue.record("takeover after the end") } == false)
        #expect(launch.isCancelled)
    }

    @Test("what does not listen to an abort is left behind after the grace period, and named")
    func straggler() async throws {
        let gate = Gate()
        var graph = OperationGraph("straggler")
        graph.add("deaf") { gate.block() }
        graph.add("force-update") { launch in _ = launch.abort(.forceUpdate) }
        let report = try await Sequencer(graph, options: LaunchOptions(lanes: 2, grace: .milliseconds(1))).run()
        #expect(report.stragglers == ["deaf"])
        #expect(report["deaf"]?.outcome == .cancelled)
        #expect(report["deaf"]?.message == "told to cancel, and still running when the launch ended")
        gate.open()
    }

    @Test("fault O5: a required operation that fails ends the launch, and is named")
    func failure() async throws {
        struct Broken: Error, CustomStringConvertible { let description = "the token was refused" }
        var graph = OperationGraph("failure")
        let login = graph.add("login") { throw Broken() }
        graph.add("main-app", .milestone, after: login) {}
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report.outcome == .failed(operation: "login", message: "the token was refused"))
        #expect(report["main-app"]?.message == "not started: login failed")
    }

    @Test("a launch whose milestone was skipped has failed")
    func skippedMilestone() async throws {
        var graph = OperationGraph("skipped")
        let login = graph.add("login", .onFailure(.skipDependents)) { throw CancellationError() }
        let profile = graph.add("profile", after: login) {}
        graph.add("main-app", .milestone, after: profile) {}
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report.outcome == .failed(operation: "main-app", message: "login was cancelled"))
        #expect(report["profile"]?.outcome == .skipped)
    }

    @Test("a deadline ends the launch, names what still ran, and does not wait for it")
    func deadline() async throws {
        var graph = OperationGraph("deadline")
        graph.wait("login", 60_000)
        let sync = graph.wait("sync", 60_000)
        graph.add("main-app", .milestone, after: sync) {}
        let report = try await Sequencer(graph, options: .virtual(deadline: .seconds(2))).run()
        #expect(report.makespan == .seconds(2))
        #expect(
            report.outcome == .failed(operation: "login", message: "still running at the launch's deadline (still running: login, sync)")
        )
        #expect(report["sync"]?.outcome == .timedOut)
        #expect(report["main-app"]?.outcome == .cancelled)
    }

    @Test("a person's time can be left out of the deadline")
    func deadlineWithoutInteractiveTime() async throws {
        var graph = OperationGraph("person")
        let login = graph.wait("login", 60_000, .interactive)
        graph.wait("main-app", 500, .milestone, after: login)
        let options = LaunchOptions.virtual(deadline: .seconds(2), deadlineCountsInteractiveTime: false)
        let report = try await Sequencer(graph, options: options).run()
        #expect(report.outcome == .completed)
        #expect(report.budget.measured == .milliseconds(500))
        #expect(report.budget.interactive == .seconds(60))
    }

    @Test("fault O9: busy operations that ignore everything cannot keep a launch from ending")
    func busy() async {
        // In a process of its own: they keep every processor busy for as long as it lives.
        await #expect(processExitsWith: .success) {
            var graph = OperationGraph("busy")
            for index in 0..<4 { graph.add("spin\(index)") { while true {} } }
            let report = try await Sequencer(graph, options: LaunchOptions(lanes: 4, deadline: .milliseconds(20))).run()
            // How many had begun by then is the machine's business.
            #expect(report.outcome.name == "failed")
            #expect(Set(report.stragglers) == Set(report.operations.filter { $0.outcome == .timedOut }.map(\.id)))
        }
    }

    @Test("fault L3: cancelling from outside: before the start, during, twice, after the end")
    func cancel() async throws {
        let started = Gate()
        var graph = OperationGraph("cancel")
        let first = graph.add("first") { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        graph.add("second", after: first) {}
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .seconds(30)))
        sequencer.cancel()
        #expect(await sequencer.report() == nil)
        try sequencer.start()
        await started.wait()
        sequencer.cancel()
        sequencer.cancel()
        let report = await sequencer.report()
        #expect(report?.outcome == .cancelled)
        #expect(report?.operations.map(\.outcome) == [.cancelled, .cancelled])
        #expect(report?["first"]?.message == "cancelled while it ran")
        #expect(report?["second"]?.message == "not started: the launch was cancelled")
        sequencer.cancel()
        #expect(await sequencer.report()?.outcome == .cancelled)
    }

    @Test("fault L6: cancelling the task that runs a launch cancels the launch")
    func taskCancellation() async throws {
        let started = Gate()
        var graph = OperationGraph("task")
        graph.add("first") { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .seconds(30)))
        let task = Task { try await sequencer.run() }
        await started.wait()
        task.cancel()
        #expect(try await task.value.outcome == .cancelled)
    }

    @Test("A34: one operation can be cancelled alone; its policy says what that means")
    func cancelOne() async throws {
        let started = Gate()
        var graph = OperationGraph("one")
        let first = graph.add("first", .onFailure(.continue)) { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        graph.add("second", .onFailure(.continue), after: first) { Issue.record("second ran") }
        let third = graph.add("third", after: "second", fallback: .value(3)) { () -> Int in throw CancellationError() }
        let sequencer = Sequencer(graph)
        try sequencer.start()
        await started.wait()
        try sequencer.cancel("second")
        try sequencer.cancel("first")
        let report = await sequencer.report()
        #expect(report?.outcome == .completed)
        #expect(report?.operations.map(\.outcome) == [.cancelled, .cancelled, .fellBack])
        #expect(try sequencer.value(of: third) == 3)
        #expect(throws: GraphError.self) { try sequencer.cancel("fist") }
    }

    @Test("fault O20: 3,000 aborts in the middle of a chain: no operation starts after the verdict", arguments: [1, 2, 4, 16])
    func abortRace(lanes: Int) async throws {
        for _ in 0..<750 {
            let verdict = Locked(false)
            let violations = Locked(0)
            var graph = OperationGraph("race")
            var previous = graph.add("op0") {}
            for index in 1..<10 {
                previous = graph.add("op\(index)", after: previous) { launch in
                    // A step may be on its way when the verdict falls; then it has been told to cancel before its first instruction.
                    if verdict.withLock({ $0 }), !launch.isCancelled { violations.withLock { $0 += 1 } }
                }
            }
            graph.add("force-update") { launch in
                launch.abort(.forceUpdate)
                verdict.withLock { $0 = true }
            }
            _ = try await Sequencer(graph, options: LaunchOptions(lanes: lanes)).run()
            #expect(violations.withLock { $0 } == 0)
        }
    }
}
