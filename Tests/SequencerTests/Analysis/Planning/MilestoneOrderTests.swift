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
        for number in 0..<6 { add("other-\(number)", .milliseconds(300), to: &graph) }
        add("a", .milliseconds(150), to: &graph)
        add("b", .milliseconds(150), to: &graph, after: "a")
        add("home", .milliseconds(150), .milestone, to: &graph, after: "b")
        return graph
    }

    private static func add(_ id: String, _ duration: Duration, _ options: StepOption..., to graph: inout OperationGraph, after: String...)
    {
        graph.add(id, .all(options + [.expected(duration)]), after: after) { launch in try await launch.sleep(for: duration) }
    }

    @Test("however few lanes there are, the milestone ends when its chain does, as if nothing else were there", arguments: [1, 2, 3])
    func order(lanes: Int) async throws {
        let report = try await Self.graph().run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(report.outcome == .completed)
    }

    @Test("a plan ends the milestone first, then everything")
    func plan() async throws {
        for lanes in 1...3 {
            let plan = try await Self.graph().plan(PlanOptions(lanes: lanes))
            #expect(plan.milestoneEnd == .milliseconds(450))
            // 2,250 ms of work.
            #expect(plan.makespan <= .milliseconds([2_250, 1_350, 900][lanes - 1]), "\(lanes) lanes: \(plan.makespan)")
        }
    }

    @Test("what the milestone needs has a higher rank than all else, and each the order of its own longest path")
    func ranks() throws {
        let graph = try Self.graph().validated()
        let ranks = graph.urgency.ranks(lanes: nil)
        let ids = (0..<graph.count).sorted { ranks[$0] > ranks[$1] }.map(graph.id)
        #expect(ids.prefix(3) == ["a", "b", "home"])
        let urgency = Urgency(of: graph) { graph.expectedDurations[$0] }
        #expect(urgency.levels.count { $0 == 1 } == 3)
        #expect(try urgency.paths[graph.index(of: "a")] == Duration.milliseconds(450).nanoseconds)
    }

    @Test("without a milestone, and where all leads to it, the longest remaining path goes first")
    func longestPath() throws {
        var graph = OperationGraph("plain")
        graph.add("short", .expected(.milliseconds(1))) {}
        graph.add("long", .expected(.milliseconds(9))) {}
        var validated = try graph.validated()
        #expect(validated.urgency.ranks(lanes: nil) == validated.expectedPath.remaining)
        graph.add("home", .milestone, after: "short", "long") {}
        validated = try graph.validated()
        #expect(validated.urgency.ranks(lanes: nil) == validated.expectedPath.remaining)
    }
}

/// What nobody waits for is not in the milestone's way.
@Suite("Room for the milestone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReservationTests {
    private static func add(
        _ id: String,
        _ milliseconds: Int,
        takes real: Int? = nil,
        _ options: StepOption...,
        to graph: inout OperationGraph,
        after: String...,
        on thread: Place = .anywhere
    ) {
        let duration = Duration.milliseconds(real ?? milliseconds)
        let options = StepOption.all(options + [.expected(.milliseconds(milliseconds))])
        if thread == .main {
            graph.add(id, options, after: after, on: .main) { launch in try await launch.compute(for: duration) }
        } else {
            graph.add(id, options, after: after) { launch in try await launch.sleep(for: duration) }
        }
    }

    private enum Place { case anywhere, main }

    private static func starts(_ graph: OperationGraph, lanes: Int? = nil) async throws -> [String: Int] {
        let report = try await graph.run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
        #expect(report.outcome == .completed)
        return Dictionary(uniqueKeysWithValues: report.operations.map { ($0.id, Int(($0.start ?? .seconds(-1)).milliseconds)) })
    }

    @Test("an operation that would keep the main thread for too long waits for the milestone's; one that is done before starts")
    func mainThread() async throws {
        var graph = OperationGraph("main")
        Self.add("config", 100, to: &graph)
        Self.add("home", 50, .milestone, to: &graph, after: "config", on: .main)
        Self.add("prefetch", 300, to: &graph, on: .main)
        Self.add("short", 80, to: &graph, on: .main)
        #expect(try await Self.starts(graph) == ["config": 0, "home": 100, "prefetch": 150, "short": 0])
        let plan = try await graph.plan()
        #expect(plan.milestoneEnd == .milliseconds(150) && plan.makespan == .milliseconds(450))
    }

    @Test("the main thread is kept for what is several operations away, too")
    func further() async throws {
        var graph = OperationGraph("further")
        Self.add("config", 100, to: &graph)
        Self.add("login", 100, to: &graph, after: "config")
        Self.add("home", 50, .milestone, to: &graph, after: "login", on: .main)
        Self.add("prefetch", 150, to: &graph, on: .main)
        Self.add("index", 250, to: &graph, on: .main)
        #expect(try await Self.starts(graph) == ["config": 0, "login": 100, "home": 200, "prefetch": 0, "index": 250])
    }

    @Test("a resource is kept free, and what waits for it too is passed by")
    func resource() async throws {
        var graph = OperationGraph("resource")
        Self.add("config", 100, to: &graph)
        Self.add("home", 50, .milestone, .exclusive("database"), to: &graph, after: "config")
        Self.add("vacuum", 300, .exclusive("database"), to: &graph)
        Self.add("log", 60, .exclusive("database"), to: &graph)
        #expect(try await Self.starts(graph) == ["config": 0, "home": 100, "vacuum": 150, "log": 0])
    }

    @Test("of more resources than can be kept free, those come first that operations beside the milestone's use too")
    func manyResources() async throws {
        var graph = OperationGraph("resources")
        for number in 0..<20 {
            Self.add("first-\(number)", 1, .exclusive("own-\(number)"), to: &graph)
            Self.add("second-\(number)", 1, .exclusive("own-\(number)"), to: &graph, after: "first-\(number)")
        }
        Self.add("config", 100, to: &graph)
        Self.add("home", 10, .milestone, to: &graph)
        for number in 0..<20 { graph.addDependency("second-\(number)", to: "home") }
        for number in 0..<10 {
            Self.add("login-\(number)", 50, .exclusive("store-\(number)"), to: &graph, after: "config")
            graph.addDependency("login-\(number)", to: "home")
            Self.add("other-\(number)", 300, .exclusive("store-\(number)"), to: &graph)
        }
        let starts = try await Self.starts(graph)
        #expect((0..<10).map { starts["login-\($0)"] } == Array(repeating: 100, count: 10))
        #expect((0..<10).map { starts["other-\($0)"] } == Array(repeating: 150, count: 10))
    }

    @Test("the last lane is kept for what needs two; an operation that ends leaves the next one its own")
    func lanes() async throws {
        var chain = OperationGraph("chain")
        Self.add("a", 100, to: &chain)
        Self.add("home", 50, .milestone, to: &chain, after: "a")
        Self.add("other", 300, to: &chain)
        #expect(try await Self.starts(chain, lanes: 2) == ["a": 0, "home": 100, "other": 0])
        var fork = OperationGraph("fork")
        Self.add("a", 100, to: &fork)
        Self.add("b", 50, to: &fork, after: "a")
        Self.add("c", 50, to: &fork, after: "a")
        Self.add("home", 50, .milestone, to: &fork, after: "b", "c")
        Self.add("other", 300, to: &fork)
        #expect(try await Self.starts(fork, lanes: 2) == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 150])
        #expect(try await Self.starts(fork, lanes: 3) == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 0])
        #expect(try await Self.starts(fork) == ["a": 0, "b": 100, "c": 100, "home": 150, "other": 0])
    }

    @Test("where an expectation was wrong, nothing waits for longer than was expected once more, or than it would take itself")
    func overdue() async throws {
        var graph = OperationGraph("overdue")
        Self.add("config", 100, takes: 10_000, to: &graph)
        Self.add("home", 50, .milestone, to: &graph, after: "config", on: .main)
        Self.add("prefetch", 300, to: &graph, on: .main)
        for number in 1...40 { Self.add("other-\(number)", 100 + number, to: &graph, on: .main) }
        let starts = try await Self.starts(graph)
        #expect(starts["other-1"] == 201 && starts["home"] == 10_000)
        #expect(try #require(starts["prefetch"]) >= 400)
        #expect(starts.values.max() == 10_000)
    }

    @Test("nobody waits for a person's time; what is right behind a step of which nothing is expected is waited for")
    func unknown() async throws {
        var person = OperationGraph("person")
        Self.add("login", 100, .interactive, to: &person)
        Self.add("home", 50, .milestone, to: &person, after: "login", on: .main)
        Self.add("prefetch", 300, to: &person, on: .main)
        #expect(try await Self.starts(person)["prefetch"] == 0)
        var plain = OperationGraph("plain")
        plain.wait("config", 100)
        plain.add("home", .milestone, after: "config", on: .main) { _ in }
        plain.add("prefetch", on: .main) { launch in try await launch.compute(for: .milliseconds(300)) }
        #expect(try await Self.starts(plain) == ["config": 0, "home": 100, "prefetch": 100])
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
        Self.add("unwanted", 300, .onFailure(.continue), to: &graph, on: .main)
        Self.add("wanted", 200, to: &graph, on: .main)
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
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        #expect(actions.queueTurns.count == 1 && actions.mainTurns == 1)
        let config = try #require(machine.beginTurn(of: 0, at: 0, &actions))
        #expect(machine.take(.main, at: 0, &actions) == nil)
        #expect(machine.attemptEnded(config, .succeeded, at: 50, &actions))
        let home = try #require(machine.take(.main, at: 50, &actions))
        #expect(home.node == 1 && actions.mainTurns == 3)
        #expect(machine.attemptEnded(home, .succeeded, at: 60, &actions))
        #expect(machine.take(.main, at: 60, &actions)?.node == 2)
    }
}

extension ReservationTests {
    @Test("what takes somewhat more than twice its time is still waited for by what would take longer")
    func wrongByMore() async throws {
        var graph = OperationGraph("wrong")
        Self.add("config", 100, takes: 250, to: &graph)
        Self.add("home", 50, .milestone, to: &graph, after: "config", on: .main)
        Self.add("prefetch", 300, to: &graph, on: .main)
        #expect(try await Self.starts(graph) == ["config": 0, "home": 250, "prefetch": 300])
    }

    @Test("nothing waits for what is behind a step of which nothing is expected")
    func unknownBetween() async throws {
        var graph = OperationGraph("unknown")
        Self.add("config", 100, to: &graph)
        graph.wait("unknown", 50, after: "config")
        Self.add("home", 50, .milestone, to: &graph, after: "unknown", on: .main)
        Self.add("prefetch", 300, to: &graph, on: .main)
        #expect(try await Self.starts(graph)["prefetch"] == 0)
    }

    @Test(
        "an operation between two attempts is not put aside, for its timeout runs; one that the milestone waits for is waited for meanwhile"
    )
    func retries() async throws {
        var graph = OperationGraph("retries")
        Self.add("a", 2_000, to: &graph)
        Self.add("b", 2_000, to: &graph, after: "a")
        Self.add("home", 2_000, .milestone, to: &graph, after: "b", on: .main)
        let retry = StepOption.retry(attempts: 2, backoff: .milliseconds(100), jitter: 0)
        graph.add("other", .expected(.seconds(3)), .timeout(.seconds(5)), retry, on: .main) { launch in
            try await launch.compute(for: launch.attempt == 1 ? .milliseconds(1_500) : .seconds(3))
            if launch.attempt == 1 { throw TestError(1) }
        }
        #expect(try await Self.starts(graph)["home"] == 4_600)
        var pausing = OperationGraph("pausing")
        pausing.add("request", .expected(.milliseconds(50)), .retry(attempts: 2, backoff: .milliseconds(200), jitter: 0)) { launch in
            try await launch.sleep(for: .milliseconds(50))
            if launch.attempt == 1 { throw TestError(1) }
        }
        Self.add("home", 50, .milestone, to: &pausing, after: "request", on: .main)
        Self.add("prefetch", 300, to: &pausing, on: .main)
        #expect(try await Self.starts(pausing) == ["request": 0, "home": 300, "prefetch": 350])
    }

    @Test("a plan and a launch look at the same operations again at the same times", arguments: [nil, 1, 2, 3] as [Int?])
    func sameLooks(lanes: Int?) async throws {
        var woken = OperationGraph("woken")
        Self.add("a", 10, .exclusive("a"), to: &woken)
        Self.add("b", 20, .exclusive("b"), to: &woken)
        Self.add("n", 5, .exclusive("a"), .exclusive("b"), to: &woken)
        Self.add("c", 1_000, to: &woken)
        Self.add("home", 5, .milestone, to: &woken, after: "n", "c", "a", "b")
        Self.add("v", 2, .exclusive("a"), to: &woken)
        var many = OperationGraph("many")
        Self.add("h", 1_000, .exclusive("b"), to: &many)
        Self.add("n", 5, .exclusive("a"), .exclusive("b"), to: &many)
        for number in 0..<20 { Self.add("v\(number)", 1, .exclusive("a"), to: &many) }
        Self.add("k", 10, to: &many)
        Self.add("l", 10, .exclusive("c"), to: &many, after: "k")
        Self.add("u", 5, .exclusive("c"), to: &many)
        Self.add("home", 5, .milestone, to: &many, after: "h", "n", "l")
        var wide = OperationGraph("wide")
        for number in 0..<70 {
            Self.add("x\(number)", 10, to: &wide)
            Self.add("y\(number)", 10, to: &wide, after: "x\(number)")
        }
        Self.add("config", 5, to: &wide)
        Self.add("ui", 10, to: &wide, after: "config", on: .main)
        wide.add("home", .milestone, .expected(.milliseconds(1)), after: (0..<70).map { "y\($0)" } + ["ui"]) { launch in
            try await launch.sleep(for: .milliseconds(1))
        }
        Self.add("v", 300, to: &wide, on: .main)
        for graph in [woken, many, wide] {
            let plan = try await graph.plan(PlanOptions(lanes: lanes))
            let report = try await graph.run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
            let differences = zip(plan.operations, report.operations).filter { $0.start != $1.start || $0.end != $1.end }
            #expect(differences.isEmpty, "\(graph.name): \(differences.first.map { "\($0)" } ?? "")")
        }
    }

    @Test("in real time, which asks the main thread and the lanes apart, what is about to start is waited for as well")
    func aboutToStart() throws {
        var graph = OperationGraph("apart")
        graph.add("config", .expected(.nanoseconds(100))) {}
        graph.add("home", .milestone, .expected(.nanoseconds(10)), after: "config", on: .main) {}
        graph.add("prefetch", .expected(.nanoseconds(200)), on: .main) {}
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init())
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        #expect(machine.take(.main, at: 0, &actions) == nil)
        #expect(machine.pending().contains { $0.node == 2 && $0.wait == .milestone })
        #expect(machine.take(.worker, at: 0, &actions)?.node == 0)
    }

    @Test("however many are put aside, and however often, each end costs the same")
    func manyAside() throws {
        var graph = OperationGraph("many-aside")
        var last: [String] = []
        let pairs = Nightly.times(day: 125, night: 500)
        for number in 0..<pairs {
            graph.add("c\(number)", .expected(.nanoseconds(10)), after: last) {}
            graph.add("m\(number)", .expected(.nanoseconds(10)), after: "c\(number)", on: .main) {}
            last = ["m\(number)"]
        }
        graph.add("home", .milestone, .expected(.nanoseconds(10)), after: last) {}
        for number in 0..<4 * pairs { graph.add("other\(number)", .expected(.nanoseconds(50 + number)), on: .main) {} }
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init(takesOneAtATime: true))
        var actions = LaunchStateMachine.Actions()
        machine.begin(&actions)
        var (time, turns): (Nanoseconds, Int) = (0, 0)
        // Those that have to wait turn the main thread down: each once, and a few at each end.
        func takeForMain() -> LaunchStateMachine.Assignment? {
            while machine.readyForMain.count > 0 {
                turns += 1
                if let next = machine.take(.main, at: time, &actions) { return next }
            }
            return nil
        }
        for number in 0..<2 * pairs {
            let isMain = number % 2 == 1
            let next = try #require(isMain ? takeForMain() : machine.take(.worker, at: time, &actions))
            #expect(machine.traits[next.node].contains(.isAwaited))
            if !isMain { #expect(takeForMain() == nil) }
            time += 10
            #expect(machine.attemptEnded(next, .succeeded, at: time, &actions))
        }
        #expect(turns < 80 * pairs, "\(turns)")
    }
}
