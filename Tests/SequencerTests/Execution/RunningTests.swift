import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Running a launch", .serialized, .timeLimit(.minutes(10)))
struct RunningTests {
    private func options(lanes: Int? = nil, deadline: Duration? = nil) -> LaunchOptions {
        LaunchOptions(lanes: lanes, deadline: deadline, clock: VirtualClock(), seed: 1)
    }

    @Test("values flow from a step to the steps that read them")
    func values() async throws {
        var graph = OperationGraph("values")
        let country = graph.add("country") { "CH" }
        let token = graph.add("token") { await Task { 42 }.value }
        let session = graph.add("session", using: country, token) { country, token in "\(country)-\(token)" }
        graph.add("main-app", .milestone, using: session, on: .main) { session in
            dispatchPrecondition(condition: .onQueue(.main))
            #expect(session == "CH-42")
        }
        let sequencer = Sequencer(graph)
        let report = try await sequencer.run()
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.succeeded, .succeeded, .succeeded, .succeeded])
        #expect(try sequencer.value(of: session) == "CH-42")
    }

    @Test("independent steps run at the same time, in virtual time to the nanosecond")
    func parallel() async throws {
        var graph = OperationGraph("parallel")
        let splash = graph.add("splash") { launch in try await launch.sleep(for: .milliseconds(400)) }
        let update = graph.add("force-update") { launch in try await launch.sleep(for: .milliseconds(300)) }
        let login = graph.add("login", after: splash) { launch in try await launch.sleep(for: .milliseconds(700)) }
        graph.add("main-app", .milestone, after: login, update, on: .main) { launch in try await launch.sleep(for: .milliseconds(100)) }
        let report = try await Sequencer(graph, options: options()).run()
        #expect(report.makespan == .milliseconds(1200))
        #expect(report.criticalPath == ["splash", "login", "main-app"])
        #expect(report["force-update"]?.slack == .milliseconds(800))
        #expect(report["login"]?.start == .milliseconds(400))
        #expect(report["splash"]?.lane == 1)
        #expect(report["force-update"]?.lane == 2)
        #expect(report["main-app"]?.lane == nil)
        #expect(report.budget.isMet)
    }
}

@Suite("What a launch promises while it runs", .serialized, .timeLimit(.minutes(10)))
struct LaunchPromiseTests {
    @Test("64 steps that block their threads run at the same time on 64 lanes")
    func blockingLanes() async throws {
        // Each waits until all have arrived: on fewer threads the launch would never end.
        let everyone = DispatchGroup()
        var graph = OperationGraph("blocking")
        for index in 0..<64 {
            everyone.enter()
            graph.add("op\(index)") {
                everyone.leave()
                everyone.wait()
            }
        }
        let report = try await Sequencer(graph, options: LaunchOptions(lanes: 64)).run()
        #expect(report.outcome == .completed)
        #expect(Set(report.operations.map(\.lane)).count == 64)
    }

    @Test("fault O8: deadlines and timeouts fire while every pool thread is blocked")
    func starvation() async {
        // In a process of its own: nothing else would get on while this one's pool stands still.
        await #expect(processExitsWith: .success) {
            let gate = Gate()
            for _ in 0..<128 { DispatchQueue.global().async { gate.block() } }
            var graph = OperationGraph("starved")
            graph.add("stuck", .timeout(.milliseconds(1)), .onFailure(.continue)) { gate.block() }
            try Sequencer(graph, options: LaunchOptions(lanes: 1)).start { report in
                exit(report["stuck"]?.outcome == .timedOut ? EXIT_SUCCESS : EXIT_FAILURE)
            }
            await gate.wait()
        }
    }

    @Test("steps for the main thread run there, all others elsewhere; main never waits")
    func mainThread() async throws {
        var graph = OperationGraph("main")
        let first = graph.add("first", on: .main) { dispatchPrecondition(condition: .onQueue(.main)) }
        let other = graph.add("other", after: first) { dispatchPrecondition(condition: .notOnQueue(.main)) }
        let async = graph.add("async", after: other) {
            await Task.yield()
            dispatchPrecondition(condition: .notOnQueue(.main))
        }
        graph.add("last", after: async, on: .main) {
            await Task.yield()
            dispatchPrecondition(condition: .onQueue(.main))
        }
        #expect(try await Sequencer(graph).run().outcome == .completed)
    }

    @Test("fault G8: an empty graph completes at once")
    func empty() async throws {
        let report = try await Sequencer(OperationGraph("empty")).run()
        #expect(report.outcome == .completed)
        #expect(report.operations.isEmpty && report.criticalPath.isEmpty && report.makespan == .zero)
    }

    @Test("graphs without operations or dependencies are checked on many threads at once: the thread sanitizer looks on")
    func emptyGraphs() async {
        var single = OperationGraph("single")
        single.add("only") {}
        await withTaskGroup { group in
            for index in 0..<32 {
                group.addTask { [graph = index.isMultiple(of: 2) ? single : OperationGraph("empty")] in
                    #expect(throws: Never.self) { try graph.validated() }
                }
            }
        }
    }

    @Test("A35, fault L1: a launch runs once: of 64 threads that start it, one does")
    func startTwice() async throws {
        var graph = OperationGraph("once")
        let runs = Locked(0)
        graph.add("only") { runs.withLock { $0 += 1 } }
        let sequencer = Sequencer(graph)
        let refusals = Locked<[SequencerError]>([])
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    do {
                        try sequencer.start()
                    } catch let error as SequencerError {
                        refusals.withLock { $0.append(error) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        _ = await sequencer.report()
        #expect(refusals.withLock { $0.count } == 63)
        #expect(refusals.withLock { $0.first }?.code == .alreadyStarted)
        #expect(runs.withLock { $0 } == 1)
        await #expect(throws: SequencerError.self) { try await sequencer.run() }
    }

    @Test("fault L5: any number of callers get the report, late ones too")
    func manyWaiters() async throws {
        let gate = Gate()
        var graph = OperationGraph("waiters")
        graph.add("only") { await gate.wait() }
        let sequencer = Sequencer(graph)
        try sequencer.start()
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await sequencer.report()?.operations.count ?? 0 } }
            gate.open()
            return await group.reduce(0, +)
        }
        #expect(count == 100)
        #expect(await sequencer.report()?.outcome == .completed)
    }

    @Test("fault L4: releasing the sequencer does not end its launch")
    func released() async throws {
        // By way of a lock: how a continuation hands a value over is opaque to the thread sanitizer.
        let reported = Locked<LaunchReport?>(nil)
        await withCheckedContinuation { continuation in
            var graph = OperationGraph("released")
            let first = graph.add("first") { await Task.yield() }
            graph.add("second", after: first) {}
            try? Sequencer(graph).start { report in
                reported.withLock { $0 = report }
                continuation.resume()
            }
        }
        let report = try #require(reported.withLock { $0 })
        #expect(report.operations.map(\.outcome) == [.succeeded, .succeeded])
    }

    @Test("progress counts operations, and cancelling it cancels the launch")
    func progress() async throws {
        let gate = Gate()
        var graph = OperationGraph("progress")
        let first = graph.add("first") {}
        graph.add("second", after: first) { launch in
            gate.open()
            try await launch.sleep(for: .seconds(3600))
        }
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .seconds(30)))
        let progress = sequencer.progress
        #expect(progress.totalUnitCount == 2)
        try sequencer.start()
        await gate.wait()
        progress.cancel()
        #expect(await sequencer.report()?.outcome == .cancelled)
        #expect(progress === sequencer.progress)
        while !progress.isFinished { await Task.yield() }
    }

    @Test("fault L8: events come in order, to every stream that was asked for in time")
    func events() async throws {
        var graph = OperationGraph("events")
        let first = graph.add("first") { launch in
            if launch.attempt == 1 { throw CancellationError() }
        }
        graph.add("second", after: first) {}
        let sequencer = Sequencer(graph, options: .virtual())
        let (one, two) = (sequencer.events, sequencer.events)
        _ = try await sequencer.run()
        let expected: [LaunchEvent.Kind] = [
            .launchStarted, .ready("first"), .started("first", attempt: 1), .ended("first", .cancelled), .stopped,
            .ended("second", .cancelled),
            .launchEnded,
        ]
        for stream in [one, two] {
            var kinds: [LaunchEvent.Kind] = []
            for await event in stream { kinds.append(event.kind) }
            #expect(kinds == expected)
        }
        for await _ in sequencer.events { Issue.record("an event after the end") }
    }

    @Test("a budget can count from the start of the process")
    func processStart() async throws {
        let elapsed = try #require(timeSinceProcessStart())
        var graph = OperationGraph("start")
        graph.add("main-app", .milestone) {}
        let report = try await Sequencer(graph, budget: Budget(.nanoseconds(1), from: .processStart)).run()
        #expect(report.budget.measured > elapsed)
        #expect(!report.budget.isMet)
    }

    @Test("a missed budget names the operations that caused it, the largest share first")
    func causes() async throws {
        var graph = OperationGraph("over")
        let config = graph.wait("fetch-config", 2000, .expected(.milliseconds(400)))
        let login = graph.wait("login", 1300, .expected(.milliseconds(1200)), after: config)
        graph.wait("analytics", 1000)
        graph.wait("main-app", 100, .milestone, after: login)
        graph.wait("afterwards", 5000, after: "main-app")
        let report = try await Sequencer(graph, budget: .seconds(3), options: .virtual()).run()
        #expect(report.budget.measured == .milliseconds(3400))
        #expect(report.budget.causes == ["fetch-config"])
        #expect(report.makespan == .milliseconds(8400))
    }

    @Test("options out of range are refused, in one sentence")
    func options() async {
        let graph = OperationGraph("options")
        for options in [
            LaunchOptions(lanes: 0), LaunchOptions(lanes: 1025), LaunchOptions(deadline: .zero), LaunchOptions(grace: .seconds(-1)),
        ] {
            let error = await #expect(throws: SequencerError.self) { try await Sequencer(graph, options: options).run() }
            #expect(error?.code == .invalidOption)
        }
        let error = await #expect(throws: SequencerError.self) { try await Sequencer(graph, budget: .seconds(-3)).run() }
        #expect(error?.description == "options: a budget must be more than 0 and at most 24 hours, and is -3.0 seconds")
    }

    @Test("with scarce lanes the longest remaining path goes first")
    func priorities() async throws {
        var graph = OperationGraph("priorities")
        graph.wait("short", 100, .expected(.milliseconds(100)))
        graph.wait("middle", 200, .expected(.milliseconds(200)))
        let head = graph.wait("head", 100, .expected(.milliseconds(100)))
        graph.wait("tail", 400, .expected(.milliseconds(400)), after: head)
        let report = try await Sequencer(graph, options: .virtual(lanes: 1)).run()
        #expect(report.operations.sorted { $0.end < $1.end }.map(\.id) == ["head", "tail", "middle", "short"])
        #expect(report.lanes == 1)
    }

    @Test("a chain of 100,000 and a fan of 100,000 run, and are freed, without recursion")
    func large() async throws {
        var chain = OperationGraph("chain")
        var fan = OperationGraph("fan")
        let hub = fan.add("hub") {}
        var previous = chain.add("op0") {}
        for index in 1..<100_000 {
            previous = chain.add("op\(index)", after: previous) {}
            fan.add("op\(index)", after: hub) {}
        }
        for graph in [chain, fan] {
            let report = try await Sequencer(graph).run()
            #expect(report.outcome == .completed)
        }
    }

    @Test("virtual time with 10,000 operations asleep at once")
    func manySleepers() async throws {
        var graph = OperationGraph("sleepers")
        for index in 0..<10_000 { graph.wait("op\(index)", 1 + index % 7) }
        let report = try await Sequencer(graph, options: .virtual()).run()
        #expect(report.makespan == .milliseconds(7))
        #expect(report.lanes == 10_000)
    }

    @Test("cancelling 10,000 pending operations is one step")
    func cancelMany() async throws {
        let started = Gate()
        var graph = OperationGraph("pending")
        let head = graph.add("head") { launch in
            started.open()
            try await launch.sleep(for: .seconds(3600))
        }
        for index in 0..<10_000 { graph.add("op\(index)", after: head) {} }
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .seconds(30)))
        try sequencer.start()
        await started.wait()
        sequencer.cancel()
        let report = await sequencer.report()
        #expect(report?.operations.allSatisfy { $0.outcome == .cancelled } == true)
    }
}
