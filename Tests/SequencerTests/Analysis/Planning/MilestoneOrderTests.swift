import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// What the milestone needs goes first, however long the rest takes.
@Suite("The milestone first", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MilestoneOrderTests {
    /// ```
    /// a ──▶ b ──▶ home (the milestone)      150 ms each
    /// other-0 ... other-5                   300 ms each, which nobody waits for
    /// ```
    private static func graph() -> OperationGraph {
        var graph = OperationGraph("first-screen")
        for number in 0..<6 { graph.addTimed("other-\(number)", 300) }
        graph.addTimed("a", 150)
        graph.addTimed("b", 150, after: "a")
        graph.addTimed("home", 150, .milestone, after: "b")
        return graph
    }

    @Test("however few lanes there are, the milestone ends when its chain does, as if nothing else were there", arguments: [1, 2, 3])
    func order(lanes: Int) async throws {
        let report = try await Self.graph().run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(report.outcome == .completed)
    }
}

/// What nobody waits for is not in the milestone's way.
@Suite("Room for the milestone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReservationTests {
    @Test("an operation that would keep the main thread for too long waits for the milestone's; one that is done before starts")
    func mainThread() async throws {
        var graph = OperationGraph("main")
        graph.addTimed("config", 100)
        graph.addTimed("home", 50, .milestone, after: "config", onMain: true)
        graph.addTimed("prefetch", 300, onMain: true)
        graph.addTimed("short", 80, onMain: true)
        #expect(try await graph.starts() == ["config": 0, "home": 100, "prefetch": 150, "short": 0])
        let plan = try await graph.plan()
        #expect(plan.milestoneEnd == .milliseconds(150) && plan.makespan == .milliseconds(450))
    }

    @Test("the main thread is kept for what is several operations away, too")
    func further() async throws {
        var graph = OperationGraph("further")
        graph.addTimed("config", 100)
        graph.addTimed("login", 100, after: "config")
        graph.addTimed("home", 50, .milestone, after: "login", onMain: true)
        graph.addTimed("prefetch", 150, onMain: true)
        graph.addTimed("index", 250, onMain: true)
        #expect(try await graph.starts() == ["config": 0, "login": 100, "home": 200, "prefetch": 0, "index": 250])
    }

    @Test("a resource is kept free, and what waits for it too is passed by")
    func resource() async throws {
        var graph = OperationGraph("resource")
        graph.addTimed("config", 100)
        graph.addTimed("home", 50, .milestone, .exclusive("database"), after: "config")
        graph.addTimed("vacuum", 300, .exclusive("database"))
        graph.addTimed("log", 60, .exclusive("database"))
        #expect(try await graph.starts() == ["config": 0, "home": 100, "vacuum": 150, "log": 0])
    }

    @Test("of more resources than can be kept free, those come first that operations beside the milestone's use too")
    func manyResources() async throws {
        var graph = OperationGraph("resources")
        for number in 0..<20 {
            graph.addTimed("first-\(number)", 1, .exclusive("own-\(number)"))
            graph.addTimed("second-\(number)", 1, .exclusive("own-\(number)"), after: "first-\(number)")
        }
        graph.addTimed("config", 100)
        graph.addTimed("home", 10, .milestone)
        for number in 0..<20 { graph.addDependency("second-\(number)", to: "home") }
        for number in 0..<10 {
            graph.addTimed("login-\(number)", 50, .exclusive("store-\(number)"), after: "config")
            graph.addDependency("login-\(number)", to: "home")
            graph.addTimed("other-\(number)", 300, .exclusive("store-\(number)"))
        }
        let starts = try await graph.starts()
        #expect((0..<10).map { starts["login-\($0)"] } == Array(repeating: 100, count: 10))
        #expect((0..<10).map { starts["other-\($0)"] } == Array(repeating: 150, count: 10))
    }

    @Test("the last lane is kept for what needs two; an operation that ends leaves the next one its own")
    func lanes() async throws {
        var chain = OperationGraph("chain")
        chain.addTimed("a", 100)
        chain.addTimed("home", 50, .milestone, after: "a")
        chain.addTimed("other", 300)
        #expect(try await chain.starts(lanes: 2) == ["a": 0, "home": 100, "other": 0])
        var fork = OperationGraph("fork")
        fork.addTimed("a", 100)
        fork.addTimed("b", 50, after: "a")
        fork.addTimed("c", 50, after: "a")
        fork.addTimed("home", 50, .milestone, after: "b", "c")
        fork.addTimed("other", 300)
        #expect(try await fork.starts(lanes: 2) == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 150])
        #expect(try await fork.starts(lanes: 3) == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 0])
        #expect(try await fork.starts() == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 0])
    }

    @Test("where an expectation was wrong, nothing waits for longer than was expected once more, or than it would take itself")
    func overdue() async throws {
        var graph = OperationGraph("overdue")
        graph.addTimed("config", 100, takes: 10_000)
        graph.addTimed("home", 50, .milestone, after: "config", onMain: true)
        graph.addTimed("prefetch", 300, onMain: true)
        for number in 1...40 { graph.addTimed("other-\(number)", 100 + number, onMain: true) }
        let starts = try await graph.starts()
        #expect(starts["other-1"] == 201 && starts["home"] == 10_000)
        #expect(try #require(starts["prefetch"]) >= 400)
        #expect(starts.values.max() == 10_000)
    }

    @Test("nobody waits for a person's time; what is right behind a step of which nothing is expected is waited for")
    func unknown() async throws {
        var person = OperationGraph("person")
        person.addTimed("login", 100, .interactive)
        person.addTimed("home", 50, .milestone, after: "login", onMain: true)
        person.addTimed("prefetch", 300, onMain: true)
        #expect(try await person.starts()["prefetch"] == 0)
        var plain = OperationGraph("plain")
        plain.wait("config", 100)
        plain.add("home", .milestone, after: "config", on: .main) { _ in }
        plain.add("prefetch", on: .main) { launch in try await launch.compute(for: .milliseconds(300)) }
        #expect(try await plain.starts() == ["config": 0, "home": 100, "prefetch": 100])
    }

    @Test("one that waits for that reason says so, and can be cancelled; the others start when the milestone is there, or is not to come")
    func statusAndCancel() async throws {
        var graph = OperationGraph("status")
        let status = Locked<[LaunchStatus]>([])
        graph.add("config", .expected(.milliseconds(100)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .milliseconds(50))
            let running = RunningLaunch(storage: try #require(launch.host as? LaunchStorage))
            status.withLock { $0.append(running.status) }
            try running.cancel("unwanted")
            throw TestError(1)
        }
        graph.add("needs", .when { false }, .expected(.milliseconds(10)), after: "config") {}
        graph.add("home", .milestone, .expected(.milliseconds(50)), after: "needs", on: .main) {}
        graph.addTimed("unwanted", 300, .onFailure(.continue), onMain: true)
        graph.addTimed("wanted", 200, onMain: true)
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        let waits = status.withLock { $0.first?.operations.filter { $0.wait == .milestone }.map(\.id) }
        #expect(waits == ["unwanted", "wanted"])
        #expect(report["unwanted"]?.outcome == .cancelled && report["unwanted"]?.start == nil)
        #expect(report["wanted"]?.outcome == .succeeded && report.outcome == .completed)
    }

    @Test("an app's queue keeps the main thread free in the same way")
    func appQueue() throws {
        var graph = OperationGraph("queue")
        graph.add("config", .expected(.nanoseconds(100))) {}
        graph.add("home", .milestone, .expected(.nanoseconds(10)), after: "config", on: .main) {}
        graph.add("prefetch", .expected(.nanoseconds(200)), on: .main) {}
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(workers: 0, usesQueue: true))
        machine.input(at: 0) { $0.begin() }
        #expect(machine.actions.queueTurns.count == 1 && machine.actions.mainTurns == 1)
        let configTaken = machine.input(at: 0) { $0.beginTurn(of: 0) }
        let config = try #require(configTaken)
        #expect(machine.take(.main, at: 0) == nil)
        #expect(machine.attemptEnded(config, .succeeded, at: 50) == true)
        let homeTaken = machine.take(.main, at: 50)
        let home = try #require(homeTaken)
        #expect(home.node == 1 && machine.actions.mainTurns == 3)
        #expect(machine.attemptEnded(home, .succeeded, at: 60) == true)
        #expect(machine.take(.main, at: 60)?.node == 2)
    }
}

extension ReservationTests {
    @Test("what takes somewhat more than twice its time is still waited for by what would take longer")
    func wrongByMore() async throws {
        var graph = OperationGraph("wrong")
        graph.addTimed("config", 100, takes: 250)
        graph.addTimed("home", 50, .milestone, after: "config", onMain: true)
        graph.addTimed("prefetch", 300, onMain: true)
        #expect(try await graph.starts() == ["config": 0, "home": 250, "prefetch": 300])
    }

    @Test("nothing waits for what is behind a step of which nothing is expected")
    func unknownBetween() async throws {
        var graph = OperationGraph("unknown")
        graph.addTimed("config", 100)
        graph.wait("unknown", 50, after: "config")
        graph.addTimed("home", 50, .milestone, after: "unknown", onMain: true)
        graph.addTimed("prefetch", 300, onMain: true)
        #expect(try await graph.starts()["prefetch"] == 0)
    }

    @Test(
        "an operation between two attempts is not put aside, for its timeout runs; one that the milestone waits for is waited for meanwhile"
    )
    func retries() async throws {
        var graph = OperationGraph("retries")
        graph.addTimed("a", 2_000)
        graph.addTimed("b", 2_000, after: "a")
        graph.addTimed("home", 2_000, .milestone, after: "b", onMain: true)
        let retry = StepOption.retry(attempts: 2, backoff: .milliseconds(100), jitter: 0)
        graph.add("other", .expected(.seconds(3)), .timeout(.seconds(5)), retry, on: .main) { launch in
            try await launch.compute(for: launch.attempt == 1 ? .milliseconds(1_500) : .seconds(3))
            if launch.attempt == 1 { throw TestError(1) }
        }
        #expect(try await graph.starts()["home"] == 4_600)
        var pausing = OperationGraph("pausing")
        pausing.add("request", .expected(.milliseconds(50)), .retry(attempts: 2, backoff: .milliseconds(200), jitter: 0)) { launch in
            try await launch.sleep(for: .milliseconds(50))
            if launch.attempt == 1 { throw TestError(1) }
        }
        pausing.addTimed("home", 50, .milestone, after: "request", onMain: true)
        pausing.addTimed("prefetch", 300, onMain: true)
        #expect(try await pausing.starts() == ["request": 0, "home": 300, "prefetch": 350])
    }
}
