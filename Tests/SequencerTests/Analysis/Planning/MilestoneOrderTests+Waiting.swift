import SequencerAnalysis
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Who goes first where there is one of something, and what waits for it.
@Suite("The milestone first, where there is one of something", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScarceOrderTests {
    /// ```
    /// index (150) ────────────────▶ home (50, the milestone)
    /// token (20) ──▶ login (100) ──▶
    /// ```
    /// `index` begins the longer path, `token` has more behind it.
    private static func contested(_ options: StepOption..., onMain: Bool = false) -> OperationGraph {
        var graph = OperationGraph("contested")
        graph.addTimed("index", 150, .all(options), onMain: onMain)
        graph.addTimed("token", 20, .all(options), onMain: onMain)
        graph.addTimed("login", 100, after: "token")
        graph.addTimed("home", 50, .milestone, after: "index", "login")
        graph.addTimed("other", 10, after: "home")
        return graph
    }

    @Test("as many lanes are kept as are going to be needed before the end of an operation that nobody waits for")
    func keepsLanes() async throws {
        var graph = OperationGraph("lanes")
        graph.addTimed("prefetch", 500)
        graph.addTimed("begin", 10, onMain: true)
        graph.addTimed("config", 100, after: "begin")
        graph.addTimed("open", 10, onMain: true)
        graph.addTimed("session", 90, after: "open")
        graph.addTimed("home", 50, .milestone, after: "config", "session", onMain: true)
        let two = try await graph.starts(lanes: 2)
        #expect(two["config"] == 10 && two["session"] == 20 && two["home"] == 110 && two["prefetch"] == 110, "\(two)")
        let three = try await graph.starts(lanes: 3)
        #expect(three["prefetch"] == 0 && three["home"] == 110, "\(three)")
    }

    @Test("of two that need the main thread, or one resource, the one with more time behind it goes first, however long it takes itself")
    func behind() async throws {
        let expected = ["token": 0, "index": 20, "login": 20, "home": 170, "other": 220]
        #expect(try await Self.contested(onMain: true).starts() == expected)
        #expect(try await Self.contested(.exclusive("database")).starts() == expected)
        // With a lane for each, nobody waits.
        #expect(try await Self.contested().starts() == ["index": 0, "token": 0, "login": 20, "home": 150, "other": 200])
    }

    @Test("those that follow one another anyway keep nobody waiting")
    func chain() async throws {
        var graph = OperationGraph("chain")
        graph.addTimed("login", 600, .exclusive(.userInterface))
        graph.addTimed("tutorial", 350, .exclusive(.userInterface), after: "login")
        for number in 1...6 { graph.addTimed("c\(number)", 100) }
        graph.add("layout", .expected(.milliseconds(350)), after: (1...6).map { "c\($0)" }, on: .main) { launch in
            try await launch.compute(for: .milliseconds(350))
        }
        graph.addTimed("home", 50, .milestone, after: "tutorial", "layout")
        graph.addTimed("other", 10, after: "home")
        #expect(try await graph.starts(lanes: 2)["home"] == 950)
    }

    @Test("no lane is kept for an operation that gets the one of those which it waits for")
    func sameLane() async throws {
        var graph = OperationGraph("same-lane")
        graph.addTimed("h", 100, .exclusive("db"))
        graph.addTimed("x", 100, .exclusive("db"))
        graph.addTimed("home", 50, .milestone, after: "h", "x")
        graph.addTimed("other", 150)
        #expect(try await graph.starts(lanes: 2) == ["h": 0, "x": 100, "home": 200, "other": 0])
    }

    @Test("the main thread is kept for an operation that waits for a resource, until that is given back")
    func resource() async throws {
        var graph = OperationGraph("resource")
        graph.addTimed("request", 20, .exclusive("network"))
        graph.addTimed("screen", 280, .exclusive("network"), onMain: true)
        graph.addTimed("home", 50, .milestone, after: "request", "screen")
        graph.addTimed("prefetch", 130, onMain: true)
        graph.addTimed("short", 15, onMain: true)
        // Both that need the network have as much behind them: the one that was added first begins.
        #expect(try await graph.starts() == ["request": 0, "screen": 20, "home": 300, "prefetch": 300, "short": 0])
    }

    @Test("so it is where somebody keeps the resource who is not awaited")
    func others() async throws {
        var graph = OperationGraph("others")
        // Had it been known to end so soon, `sync` would have waited.
        graph.addTimed("config", 150, takes: 10)
        graph.addTimed("sync", 100, .exclusive("database"))
        graph.addTimed("read", 50, .exclusive("database"), after: "config")
        graph.addTimed("home", 50, .milestone, after: "read", onMain: true)
        // It would keep the main thread until 210.
        graph.addTimed("prefetch", 200, after: "config", onMain: true)
        let starts = try await graph.starts()
        #expect(starts == ["config": 0, "sync": 0, "read": 100, "home": 150, "prefetch": 200])
    }

    /// ```
    /// a, b (100 each) ──▶ home      c (10) ──▶ screen (20, main) ──▶ home       two lanes
    /// prefetch (300, main), which nobody waits for
    /// ```
    @Test("the main thread is kept for what is behind an operation that waits for a lane")
    func lane() async throws {
        var graph = OperationGraph("lane")
        graph.addTimed("a", 100)
        graph.addTimed("b", 100)
        graph.addTimed("c", 10)
        graph.addTimed("screen", 20, after: "c", onMain: true)
        graph.addTimed("home", 50, .milestone, after: "a", "b", "screen")
        graph.addTimed("prefetch", 300, onMain: true)
        let starts = try await graph.starts(lanes: 2)
        #expect(starts == ["a": 0, "b": 0, "c": 100, "screen": 110, "home": 130, "prefetch": 130])
        #expect(try await graph.starts()["prefetch"] == 30)
    }

    @Test("where what keeps the resource takes too long, nothing waits for longer than was expected once more, or than its own time")
    func overdue() async throws {
        var graph = OperationGraph("overdue")
        graph.addTimed("request", 20, takes: 5_000, .exclusive("network"))
        graph.addTimed("screen", 280, .exclusive("network"), onMain: true)
        graph.addTimed("home", 50, .milestone, after: "request", "screen")
        graph.addTimed("prefetch", 130, onMain: true)
        let starts = try await graph.starts()
        #expect(starts["prefetch"] == 150 && starts["screen"] == 5_000)
    }

    @Test("nothing waits for a person who keeps the resource")
    func person() async throws {
        var graph = OperationGraph("person")
        graph.addTimed("login", 20, takes: 5_000, .interactive, .exclusive("ui"))
        graph.addTimed("screen", 280, .exclusive("ui"), onMain: true)
        graph.addTimed("home", 50, .milestone, after: "login", "screen")
        graph.addTimed("prefetch", 130, onMain: true)
        #expect(try await graph.starts()["prefetch"] == 0)
    }
}
