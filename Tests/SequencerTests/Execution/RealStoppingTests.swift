import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Stopping a launch", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStoppingTests {
    @Test("after an abort nothing starts, what runs is told to cancel, and the takeover does not wait for it")
    func abort() async throws {
        // slow     ────────told to cancel──▶ (ends only after the takeover has begun)
        // update   ──abort
        // takeover         begins ──▶ lets slow end
        let (slowBegan, takeoverBegan) = (Gate(), Gate())
        let journal = Journal()
        var graph = OperationGraph("abort")
        let slow = graph.add("slow") { launch in
            slowBegan.open()
            try? await launch.sleep(for: .seconds(3600))
            journal.note("slow was told: \(Task.isCancelled) \(launch.isCancelled)")
            await takeoverBegan.wait()
        }
        graph.add("later", after: slow) { journal.note("later started") }
        graph.add("force-update") { launch in
            await slowBegan.wait()
            launch.abort(.forceUpdate) {
                journal.note("takeover")
                takeoverBegan.open()
            }
        }
        let report = try await graph.run(options: LaunchOptions(deadline: .patience, grace: .seconds(30))).report
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(Set(journal.all) == ["slow was told: true true", "takeover"])
        #expect(report["later"]?.outcome == .cancelled)
        #expect(report["later"]?.message == "not started: force-update aborted the launch (force-update)")
        #expect(report["force-update"]?.outcome == .succeeded)
    }

    @Test("fault O22: the first stop decides, and an abort after the end changes nothing")
    func lateAbort() async throws {
        let launches = Locked<StepContext?>(nil)
        var graph = OperationGraph("late")
        graph.add("only") { launch in launches.withLock { $0 = launch } }
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed)
        let launch = try #require(launches.withLock { $0 })
        #expect(launch.abort(.forceUpdate) { Issue.record("takeover after the end") } == false)
        #expect(launch.isCancelled)
    }

    @Test("a deadline ends the launch, names what still ran, and does not wait for it")
    func deadline() async throws {
        var graph = OperationGraph("deadline")
        graph.wait("login", 60_000)
        let sync = graph.wait("sync", 60_000)
        graph.add("main-app", .milestone, after: sync) {}
        let report = try await graph.run(options: .virtual(deadline: .seconds(2))).report
        #expect(report.makespan == .seconds(2))
        #expect(
            report.outcome == .failed(operation: "login", message: "still running at the launch's deadline (still running: login, sync)")
        )
        #expect(report["sync"]?.outcome == .timedOut)
        #expect(report["main-app"]?.outcome == .cancelled)
    }

    @Test("fault O9: busy operations that ignore everything cannot keep a launch from ending")
    func busy() async {
        // In a process of its own: they keep every processor busy for as long as it lives.
        await #expect(processExitsWith: .success) {
            var graph = OperationGraph("busy")
            for index in 0..<4 { graph.add("spin\(index)") { while true {} } }
            let report = try await graph.run(options: LaunchOptions(lanes: 4, deadline: .milliseconds(20))).report
            // How many had begun by then is the machine's business.
            #expect(report.outcome.name == "failed")
            #expect(Set(report.stragglers) == Set(report.operations.filter { $0.outcome == .timedOut }.map(\.id)))
        }
    }

    @Test("fault L3: cancelling from outside: during, twice, after the end")
    func cancel() async throws {
        let started = Gate()
        var graph = OperationGraph("cancel")
        let first = graph.add("first") { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        graph.add("second", after: first) {}
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, grace: .seconds(30)))
        await started.wait()
        launch.cancel()
        launch.cancel()
        let report = await launch.end().report
        #expect(report.outcome == .cancelled)
        #expect(report.operations.map(\.outcome) == [.cancelled, .cancelled])
        #expect(report["first"]?.message == "cancelled while it ran")
        #expect(report["second"]?.message == "not started: the launch was cancelled")
        launch.cancel()
        #expect(await launch.end().report.outcome == .cancelled)
    }

    @Test("fault L6: cancelling the task that runs a launch cancels the launch")
    func taskCancellation() async throws {
        let started = Gate()
        var graph = OperationGraph("task")
        graph.add("first") { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        let task = Task { [graph] in try await graph.run(options: LaunchOptions(deadline: .patience, grace: .seconds(30))).report }
        await started.wait()
        task.cancel()
        #expect(try await task.value.outcome == .cancelled)
    }

    @Test("fault O55: one operation that is cancelled and ignores it is left behind after the grace period", arguments: [true, false])
    func cancelOneThatIsDeaf(hasFallback: Bool) async throws {
        let (started, gate) = (Gate(), Gate())
        var graph = OperationGraph("deaf")
        let body: @Sendable (StepContext) throws -> Int = { _ in
            started.open()
            gate.block()
            return 1
        }
        let first =
            hasFallback ? graph.add("first", fallback: 2, body: body) : graph.add("first", .onFailure(.continue), body: body)
        graph.add("second", .milestone, after: first) {}
        let launch = try graph.start(options: LaunchOptions(lanes: 1, deadline: .patience, grace: .milliseconds(1)))
        await started.wait()
        try launch.cancel("first")
        try launch.cancel("first")
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(report.stragglers == ["first"])
        #expect(report["first"]?.outcome == (hasFallback ? .fellBack : .cancelled))
        let reason = "told to cancel, and still running after the grace period"
        #expect(report["first"]?.message == reason + (hasFallback ? "; its fallback was used" : ""))
        #expect(try launch.value(of: first) == (hasFallback ? 2 : nil))
        gate.open()
    }

    @Test("fault O55: an operation that is cancelled while its condition hangs leaves its lane to others")
    func cancelOneThatIsAsked() async throws {
        let (asked, gate) = (Gate(), Gate())
        var graph = OperationGraph("asked")
        graph.add(
            "first",
            .onFailure(.continue),
            .when {
                asked.open(); gate.block(); return true
            }
        ) {}
        graph.add("second", .milestone, after: "first") {}
        let launch = try graph.start(options: LaunchOptions(lanes: 1, deadline: .patience))
        await asked.wait()
        try launch.cancel("first")
        let report = await launch.end().report
        #expect(report.outcome == .completed)
        #expect(report["first"]?.message == "cancelled while its condition was asked")
        gate.open()
    }

    @Test("fault O20: hundreds of aborts in the middle of a chain: no operation starts after the verdict", arguments: [1, 2, 4, 16])
    func abortRace(lanes: Int) async throws {
        for _ in 0..<Nightly.times(day: 50, night: 250) {
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
            let report = try await graph.run(options: LaunchOptions(lanes: lanes, deadline: .patience)).report
            #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
            #expect(violations.withLock { $0 } == 0)
        }
    }
}
