//  The launch that is tested, `regular`:
//
//  splash ── tutorial ───┐
//  force-update ─────────┤
//  fetch-config ─────────┼── main-app
//  login ────────────────┤
//  connect-speaker ──────┘
//
//  Copy this file into a test target that depends on Sequencer and SequencerTesting (and on StartupOps, if your launch is one of its scenarios), replace `graph()` by
//  the function that makes your graph, and adapt the names. A graph is a value: asking it something runs nothing.

import Sequencer
import SequencerAnalysis
import SequencerTesting
import StartupOps
import Testing

@Suite("The regular launch", .serialized, .timeLimit(.minutes(10)))
struct LaunchTests {
    /// The graph under test. Simulated steps take as long as they are expected to and do nothing else, so that a test is about the launch; with
    /// real ones, `StartupSteps(environment)`, it is about all of it.
    private func graph(requiresUpdate: Bool = false, showUpdate: @escaping @MainActor @Sendable () -> Void = {}) -> OperationGraph {
        Scenario.regular.graph(.simulated(requiresUpdate: requiresUpdate, showUpdate: showUpdate))
    }

    /// Runs a graph in virtual time: sleeps take none, timeouts and budgets work as always, and the result is the same on every machine. Never
    /// assert how long something took by the wall clock.
    private func run(_ graph: OperationGraph, budget: Budget = .seconds(3)) async throws -> LaunchReport {
        try await graph.run(budget: budget, options: LaunchOptions(clock: VirtualClock())).report
    }

    // MARK: The graph

    // What starts at once, and what comes after it. Operations of one level never wait for one another: whoever adds a dependency that costs
    // parallelism sees this test fail. `validated()` throws for cycles, unknown names and duplicates.
    @Test("Five operations start at once")
    func levels() throws {
        let graph = try graph().validated()
        #expect(
            graph.levels == [
                ["splash", "force-update", "fetch-config", "login", "connect-speaker"],
                ["tutorial"],
                ["main-app"],
            ]
        )
    }

    // Dependencies that must not get lost. An edge is written as it is said.
    @Test("The tutorial comes after the splash, and the main screen after everything")
    func dependencies() throws {
        let graph = try graph().validated()
        #expect(graph.edges.contains("tutorial after splash"))
        #expect(try graph.dependencies(of: "tutorial") == ["splash"])
        #expect(try graph.ancestors(of: "main-app").count == 6)
    }

    // What may run at the same time, and what must not: because one waits for the other, or because both need an exclusive resource.
    @Test("The tutorial never lies over the splash; login and the configuration overlap")
    func overlap() throws {
        let graph = try graph().validated()
        #expect(try !graph.canOverlap("tutorial", "splash"))
        #expect(try graph.canOverlap("login", "fetch-config"))
    }

    // MARK: The budget

    // The whole launch, in no time; one that is over its budget, or fails, says by whose fault. `measured` is exact in virtual time: the longest path is connect-speaker
    // (700 ms), then main-app (100 ms).
    @Test("It is within its budget", .launchBudget(.seconds(1)))
    func budget() async throws {
        let report = try await expectLaunch(graph()).report
        #expect(report.budget.measured == .milliseconds(800))
        #expect(report.criticalPath == ["connect-speaker", "main-app"])
    }

    // A launch that misses its budget says who is to blame.
    @Test("An operation that has become slow is named")
    func blame() async throws {
        var graph = graph()
        try graph.inject(.delay(.milliseconds(500)), into: "login")
        let report = try await run(graph, budget: .seconds(1))
        #expect(!report.budget.isMet)
        #expect(report.budget.causes == ["login"])
    }

    // MARK: Order

    // An operation that needs another one without waiting for it works as long as that happens to come first. Here it is run in many orders.
    @Test("It comes to the same in every order that its dependencies allow")
    func hiddenOrder() async throws {
        let exploration = try await explore(graph())
        #expect(exploration.hidden == nil, "\(exploration)")
    }

    // MARK: Faults

    // `.hang` never ends, `.fail` throws, `.delay` is late, `.crash` ends the process. Here: the configuration service does not answer.
    @Test("A configuration that never comes is replaced by its fallback, within the budget")
    func fallback() async throws {
        var graph = graph()
        try graph.inject(.hang, into: "fetch-config")
        let report = try await run(graph)
        #expect(report.outcome == .completed)
        #expect(report.budget.isMet)
        #expect(report["fetch-config"]?.outcome == .fellBack)
        #expect(report["main-app"]?.outcome == .succeeded)
    }

    // What may fail, and what the launch makes of it: without a speaker it goes on, without a session it does not.
    @Test("A speaker that is switched off does not hold up the launch; a login that fails ends it")
    func failures() async throws {
        var withoutSpeaker = graph()
        try withoutSpeaker.inject(.fail, into: "connect-speaker")
        #expect(try await run(withoutSpeaker).outcome == .completed)

        var withoutLogin = graph()
        try withoutLogin.inject(.fail, into: "login")
        guard case .failed(operation: "login", _) = try await run(withoutLogin).outcome else {
            Issue.record("the launch should have failed in login")
            return
        }
    }

    // MARK: The takeover

    // After an abort nothing starts any more, what runs is cancelled, and the update screen has the app.
    @MainActor
    @Test("A version that is too old sees the update screen, and never the main one")
    func forceUpdate() async throws {
        let screen = Screen()
        let report = try await run(graph(requiresUpdate: true) { screen.isUpdateShown = true })
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(screen.isUpdateShown)
        #expect(report["main-app"]?.start == nil)
        // It was still running when the check ended, after 300 ms.
        #expect(report["login"]?.outcome == .cancelled)
        #expect(report["login"]?.end == .milliseconds(300))
    }

    // MARK: Without a launch

    // Debounces, retries, expiries, polls and timeouts, in no time.
    @Test("A session ends when nobody has used it for a quarter of an hour")
    func session() async throws {
        try await withVirtualTime { clock in
            let session = Session(clock: clock)
            for _ in 1...3 {
                await session.isUsed()
                try await clock.sleep(for: .seconds(600))
                #expect(await session.isOpen)
            }
            try await clock.sleep(for: .seconds(301))
            #expect(await !session.isOpen)
        }
    }
}

/// Code that waits by itself takes the clock, as the launch does.
private actor Session {
    private let clock: any Clock<Duration>
    private(set) var isOpen = true
    private var end: Task<Void, any Error>?

    init(clock: any Clock<Duration>) { self.clock = clock }

    func isUsed() {
        end?.cancel()
        end = Task {
            try await clock.sleep(for: .seconds(900))
            isOpen = false
        }
    }
}

/// What the takeover shows.
@MainActor
private final class Screen {
    var isUpdateShown = false
}
