import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Who goes first where there is one of something, and what waits for it.
@Suite("The milestone first, where there is one of something", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScarceOrderTests {
    private enum Place { case anywhere, main }

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

    /// When operations start, by a plan and by a launch without one, which agree where expectations are right.
    private static func starts(_ graph: OperationGraph, lanes: Int? = nil, planned: Bool = true) async throws -> [String: Int] {
        let report = try await graph.run(options: LaunchOptions(lanes: lanes, clock: VirtualClock())).report
        #expect(report.outcome == .completed)
        let starts = Dictionary(uniqueKeysWithValues: report.operations.map { ($0.id, Int(($0.start ?? .seconds(-1)).milliseconds)) })
        if planned {
            let plan = try await graph.plan(PlanOptions(lanes: lanes))
            #expect(Dictionary(uniqueKeysWithValues: plan.operations.map { ($0.id, Int($0.start?.milliseconds ?? -1)) }) == starts)
        }
        return starts
    }

    /// ```
    /// index (150) ────────────────▶ home (50, the milestone)
    /// token (20) ──▶ login (100) ──▶
    /// ```
    /// `index` begins the longer path, `token` has more behind it.
    private static func contested(_ options: StepOption..., on thread: Place = .anywhere) -> OperationGraph {
        var graph = OperationGraph("contested")
        add("index", 150, .all(options), to: &graph, on: thread)
        add("token", 20, .all(options), to: &graph, on: thread)
        add("login", 100, to: &graph, after: "token")
        add("home", 50, .milestone, to: &graph, after: "index", "login")
        add("other", 10, to: &graph, after: "home")
        return graph
    }

    @Test("as many lanes are kept as are going to be needed before the end of an operation that nobody waits for")
    func keepsLanes() async throws {
        var graph = OperationGraph("lanes")
        Self.add("prefetch", 500, to: &graph)
        Self.add("begin", 10, to: &graph, on: .main)
        Self.add("config", 100, to: &graph, after: "begin")
        Self.add("open", 10, to: &graph, on: .main)
        Self.add("session", 90, to: &graph, after: "open")
        Self.add("home", 50, .milestone, to: &graph, after: "config", "session", on: .main)
        let two = try await Self.starts(graph, lanes: 2)
        #expect(two["config"] == 10 && two["session"] == 20 && two["home"] == 110 && two["prefetch"] == 110, "\(two)")
        let three = try await Self.starts(graph, lanes: 3)
        #expect(three["prefetch"] == 0 && three["home"] == 110, "\(three)")
    }

    @Test("of two that need the main thread, or one resource, the one with more time behind it goes first, however long it takes itself")
    func behind() async throws {
        let expected = ["token": 0, "index": 20, "login": 20, "home": 170, "other": 220]
        #expect(try await Self.starts(Self.contested(on: .main)) == expected)
        #expect(try await Self.starts(Self.contested(.exclusive("database"))) == expected)
        // With a lane for each, nobody waits.
        #expect(try await Self.starts(Self.contested()) == ["index": 0, "token": 0, "login": 20, "home": 150, "other": 200])
    }

    @Test("those that follow one another anyway keep nobody waiting")
    func chain() async throws {
        var graph = OperationGraph("chain")
        Self.add("login", 600, .exclusive(.userInterface), to: &graph)
        Self.add("tutorial", 350, .exclusive(.userInterface), to: &graph, after: "login")
        for number in 1...6 { Self.add("c\(number)", 100, to: &graph) }
        graph.add("layout", .expected(.milliseconds(350)), after: (1...6).map { "c\($0)" }, on: .main) { launch in
            try await launch.compute(for: .milliseconds(350))
        }
        Self.add("home", 50, .milestone, to: &graph, after: "tutorial", "layout")
        Self.add("other", 10, to: &graph, after: "home")
        #expect(try await Self.starts(graph, lanes: 2)["home"] == 950)
    }

    @Test("no lane is kept for an operation that gets the one of those which it waits for")
    func sameLane() async throws {
        var graph = OperationGraph("same-lane")
        Self.add("h", 100, .exclusive("db"), to: &graph)
        Self.add("x", 100, .exclusive("db"), to: &graph)
        Self.add("home", 50, .milestone, to: &graph, after: "h", "x")
        Self.add("other", 150, to: &graph)
        #expect(try await Self.starts(graph, lanes: 2) == ["h": 0, "x": 100, "home": 200, "other": 0])
    }

    @Test("one lane is such a thing; one of two keeps others waiting for half of the time")
    func lanes() throws {
        var graph = Self.contested()
        Self.add("wide", 90, to: &graph)
        Self.add("last", 1, .initialDisplay, to: &graph, after: "index", "token", "wide")
        let validated = try graph.validated()
        let urgency = validated.urgency
        func weight(_ id: String, lanes: Int?) throws -> Int {
            Int(Duration.nanoseconds(urgency.weights(lanes: lanes)[try validated.index(of: id)]).milliseconds)
        }
        #expect(try weight("index", lanes: nil) == 151 && weight("wide", lanes: nil) == 91)
        #expect(try weight("index", lanes: 1) == 1 && weight("wide", lanes: 1) == 1)
        #expect(try weight("index", lanes: 2) == 76 && weight("wide", lanes: 2) == 46)
        // Nobody waits for it: it goes by its path.
        #expect(try weight("other", lanes: 1) == 10)
    }

    @Test("the main thread is kept for an operation that waits for a resource, until that is given back")
    func resource() async throws {
        var graph = OperationGraph("resource")
        Self.add("request", 20, .exclusive("network"), to: &graph)
        Self.add("screen", 280, .exclusive("network"), to: &graph, on: .main)
        Self.add("home", 50, .milestone, to: &graph, after: "request", "screen")
        Self.add("prefetch", 130, to: &graph, on: .main)
        Self.add("short", 15, to: &graph, on: .main)
        // Both that need the network have as much behind them: the one that was added first begins.
        #expect(try await Self.starts(graph) == ["request": 0, "screen": 20, "home": 300, "prefetch": 300, "short": 0])
    }

    @Test("so it is where somebody keeps the resource who is not awaited")
    func others() async throws {
        var graph = OperationGraph("others")
        // Had it been known to end so soon, `sync` would have waited.
        Self.add("config", 150, takes: 10, to: &graph)
        Self.add("sync", 100, .exclusive("database"), to: &graph)
        Self.add("read", 50, .exclusive("database"), to: &graph, after: "config")
        Self.add("home", 50, .milestone, to: &graph, after: "read", on: .main)
        // It would keep the main thread until 210.
        Self.add("prefetch", 200, to: &graph, after: "config", on: .main)
        let starts = try await Self.starts(graph, planned: false)
        #expect(starts == ["config": 0, "sync": 0, "read": 100, "home": 150, "prefetch": 200])
    }

    /// ```
    /// a, b (100 each) ──▶ home      c (10) ──▶ screen (20, main) ──▶ home       two lanes
    /// prefetch (300, main), which nobody waits for
    /// ```
    @Test("the main thread is kept for what is behind an operation that waits for a lane")
    func lane() async throws {
        var graph = OperationGraph("lane")
        Self.add("a", 100, to: &graph)
        Self.add("b", 100, to: &graph)
        Self.add("c", 10, to: &graph)
        Self.add("screen", 20, to: &graph, after: "c", on: .main)
        Self.add("home", 50, .milestone, to: &graph, after: "a", "b", "screen")
        Self.add("prefetch", 300, to: &graph, on: .main)
        let starts = try await Self.starts(graph, lanes: 2)
        #expect(starts == ["a": 0, "b": 0, "c": 100, "screen": 110, "home": 130, "prefetch": 130])
        #expect(try await Self.starts(graph)["prefetch"] == 30)
    }

    @Test("where what keeps the resource takes too long, nothing waits for longer than was expected once more, or than its own time")
    func overdue() async throws {
        var graph = OperationGraph("overdue")
        Self.add("request", 20, takes: 5_000, .exclusive("network"), to: &graph)
        Self.add("screen", 280, .exclusive("network"), to: &graph, on: .main)
        Self.add("home", 50, .milestone, to: &graph, after: "request", "screen")
        Self.add("prefetch", 130, to: &graph, on: .main)
        let starts = try await Self.starts(graph, planned: false)
        #expect(starts["prefetch"] == 150 && starts["screen"] == 5_000)
    }

    @Test("nothing waits for a person who keeps the resource")
    func person() async throws {
        var graph = OperationGraph("person")
        Self.add("login", 20, takes: 5_000, .interactive, .exclusive("ui"), to: &graph)
        Self.add("screen", 280, .exclusive("ui"), to: &graph, on: .main)
        Self.add("home", 50, .milestone, to: &graph, after: "login", "screen")
        Self.add("prefetch", 130, to: &graph, on: .main)
        #expect(try await Self.starts(graph, planned: false)["prefetch"] == 0)
    }

    @Test("what a person holds up is not about to start, in real time either")
    func personInRealTime() throws {
        var graph = OperationGraph("person")
        graph.add("login", .interactive, .expected(.nanoseconds(5_000)), .exclusive("ui")) {}
        graph.add("greeting", .expected(.nanoseconds(20)), .exclusive("ui")) {}
        graph.add("home", .milestone, .expected(.nanoseconds(5)), after: "login", "greeting", on: .main) {}
        graph.add("prefetch", .expected(.nanoseconds(200)), on: .main) {}
        let (login, greeting, prefetch) = (0, 1, 3)
        var needs = try Self.needs(graph)
        needs.becameReady(login, at: 0)
        needs.becameReady(greeting, at: 0)
        needs.started(login, at: 0)
        #expect(needs.obstacle(to: prefetch, at: 0, lastEnd: 0, freeLanes: 64) == nil)
        needs.ended(login)
        #expect(needs.obstacle(to: prefetch, at: 0, lastEnd: 0, freeLanes: 64) != nil)
    }

    private static func needs(_ graph: OperationGraph, hasLanes: Bool = false) throws -> OngoingNeeds {
        let graph = try graph.validated()
        return try #require(OngoingNeeds(graph, graph.urgency, hasLanes: hasLanes))
    }

    @Test("an operation that pauses before its next attempt keeps nothing meanwhile: what needs the same is about to start")
    func pause() throws {
        var graph = OperationGraph("pause")
        graph.add("request", .expected(.nanoseconds(20)), .exclusive("network")) {}
        graph.add("screen", .expected(.nanoseconds(280)), .exclusive("network"), on: .main) {}
        graph.add("home", .milestone, after: "request", "screen") {}
        graph.add("prefetch", .expected(.nanoseconds(130)), on: .main) {}
        let (request, screen, prefetch) = (0, 1, 3)
        var needs = try Self.needs(graph)
        func limit(at time: Nanoseconds) -> Nanoseconds? { needs.obstacle(to: prefetch, at: time, lastEnd: 0, freeLanes: 64) }
        needs.becameReady(screen, at: 0)
        #expect(limit(at: 0) == OngoingNeeds.patience)
        needs.started(request, at: 0)
        #expect(limit(at: 5) == 150)
        needs.ended(request)
        needs.paused(request, at: 20, until: 400)
        #expect(limit(at: 20) == OngoingNeeds.patience)
        needs.started(request, at: 400)
        #expect(limit(at: 400) == 550)
        needs.ended(request)
        #expect(limit(at: 420) == OngoingNeeds.patience)
    }

    @Test("an operation whose fallback is computed may end at any time, and leaves no lane to what is behind it")
    func fallback() throws {
        var graph = OperationGraph("fallback")
        graph.add("request", .expected(.nanoseconds(20))) {}
        graph.add("read", .expected(.nanoseconds(30)), after: "request") {}
        graph.add("home", .milestone, after: "read", on: .main) {}
        graph.add("prefetch", .expected(.nanoseconds(130)), on: .main) {}
        graph.add("copy", .expected(.nanoseconds(130))) {}
        let (request, prefetch, copy) = (0, 3, 4)
        var needs = try Self.needs(graph, hasLanes: true)
        func limit(_ node: Int, at time: Nanoseconds, takesLastLane: Bool = false) -> Nanoseconds? {
            needs.obstacle(to: node, at: time, lastEnd: 0, freeLanes: takesLastLane ? 0 : 64)
        }
        needs.started(request, at: 0)
        #expect(limit(prefetch, at: 5) == 150)
        #expect(limit(copy, at: 5, takesLastLane: true) == nil)
        needs.fellBack(request, at: 500)
        #expect(limit(prefetch, at: 510) == 500 + OngoingNeeds.patience)
        #expect(limit(copy, at: 510, takesLastLane: true) == 500 + OngoingNeeds.patience)
        #expect(limit(copy, at: 510) == nil)
        #expect(limit(prefetch, at: 500 + OngoingNeeds.patience) == nil)
        needs.ended(request)
        #expect(limit(prefetch, at: 510) == nil)
    }
}
