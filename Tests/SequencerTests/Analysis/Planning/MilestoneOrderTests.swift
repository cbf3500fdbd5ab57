import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

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

    @Test("a plan ends the milestone first, then everything, also without a search", arguments: [0, 1])
    func plan(effort: Int) throws {
        for lanes in 1...3 {
            let plan = try Self.graph().plan(PlanOptions(lanes: lanes, effort: effort))
            #expect(plan.milestoneEnd == .milliseconds(450))
            // 2,250 ms of work.
            #expect(plan.makespan <= .milliseconds([2_250, 1_350, 900][lanes - 1]), "\(lanes) lanes: \(plan.makespan)")
        }
    }

    @Test("what the milestone needs has a higher rank than all else, and each the order of its own longest path")
    func ranks() throws {
        let graph = try Self.graph().validated()
        let ranks = graph.urgency.ranks
        let ids = (0..<graph.count).sorted { ranks[$0] > ranks[$1] }.map(graph.id)
        #expect(ids.prefix(3) == ["a", "b", "home"])
        let urgency = Urgency(of: graph) { graph.expectedDurations[$0] }
        #expect(urgency.isNeeded.count { $0 } == 3)
        #expect(try urgency.paths[graph.index(of: "a")] == Duration.milliseconds(450).nanoseconds)
    }

    @Test("without a milestone, and where all leads to it, the longest remaining path goes first")
    func longestPath() throws {
        var graph = OperationGraph("plain")
        graph.add("short", .expected(.milliseconds(1))) {}
        graph.add("long", .expected(.milliseconds(9))) {}
        var validated = try graph.validated()
        #expect(validated.urgency.ranks == validated.expectedPath.remaining)
        graph.add("home", .milestone, after: "short", "long") {}
        validated = try graph.validated()
        #expect(validated.urgency.ranks == validated.expectedPath.remaining)
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
        let plan = try graph.plan()
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

    @Test("what takes twice the time that was expected holds nothing back any more")
    func overdue() async throws {
        var graph = OperationGraph("overdue")
        Self.add("config", 100, takes: 10_000, to: &graph)
        Self.add("home", 50, .milestone, to: &graph, after: "config", on: .main)
        Self.add("prefetch", 300, to: &graph, on: .main)
        for number in 0..<40 { Self.add("other-\(number)", 100 + number, to: &graph, on: .main) }
        let starts = try await Self.starts(graph)
        // The longest of them goes first.
        #expect(starts["prefetch"] == 200 && starts["other-39"] == 500 && starts["home"] == 10_000)
        #expect(starts.values.max() == 10_000)
    }

    @Test("nobody waits for a person's time, nor where nothing is expected")
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
        #expect(try await Self.starts(plain) == ["config": 0, "home": 300, "prefetch": 0])
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
        #expect(actions.queueTurns == 1 && actions.mainTurns == 1)
        let config = try #require(machine.takeForQueue(at: 0, &actions))
        #expect(machine.takeForMain(at: 0, &actions) == nil)
        #expect(machine.attemptEnded(config, .succeeded, at: 50, &actions))
        let home = try #require(machine.takeForMain(at: 50, &actions))
        #expect(home.node == 1 && actions.mainTurns == 3)
        #expect(machine.attemptEnded(home, .succeeded, at: 60, &actions))
        #expect(machine.takeForMain(at: 60, &actions)?.node == 2)
    }
}
