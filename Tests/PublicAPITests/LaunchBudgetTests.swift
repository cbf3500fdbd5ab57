import Foundation
import SequencerTesting
import TestSupport
import Testing

/// What the issues of `body` say.
private func issue(_ body: () async throws -> Void) async throws -> [String] {
    let words = Words()
    try await withKnownIssue {
        try await body()
    } matching: { issue in
        words.add(issue.comments.map(\.rawValue))
        return true
    }
    return words.all
}

/// What issues said, on whichever thread.
private final class Words: Sendable {
    private let lock = NSLock()
    // Unsafe: guarded by `lock`.
    private nonisolated(unsafe) var words: [String] = []

    var all: [String] { lock.withLock { words } }

    func add(_ more: [String]) { lock.withLock { words += more } }
}

/// Launches held to their budgets, as the tests of an app do.
@Suite("Public API: budgets of tests", .serialized, .timeLimit(.minutes(30)), .besideOthers, .launchBudget(.milliseconds(500)))
struct LaunchBudgetTests {
    /// A launch whose splash takes this long.
    private func graph(splash: Int, expected: Int? = nil) -> OperationGraph {
        var graph = OperationGraph("launch")
        let option: StepOption = .expected(.milliseconds(expected ?? splash))
        graph.add("splash", option) { launch in try await launch.sleep(for: .milliseconds(splash)) }
        graph.add("login") { launch in try await launch.sleep(for: .milliseconds(300)) }
        graph.add("main", .milestone, after: "splash", "login") {}
        return graph
    }

    @Test("a launch within the budget of its suite passes, in no time, and is returned")
    func within() async throws {
        let launch = try await expectLaunch(graph(splash: 500))
        #expect(launch.report.budget.measured == .milliseconds(500))
        #expect(launch.report.budget.budget?.limit == .milliseconds(500))
        #expect(launch.report.startedAt == nil)
        expectLaunch(launch.report)
    }

    @Test("one that takes longer is an issue, which names the operation that is to blame")
    func over() async throws {
        let words = try await issue { try await expectLaunch(graph(splash: 600, expected: 400)) }
        #expect(words == ["launch took 600 ms of 500 ms, 100 ms over: splash (600 ms, 400 ms expected)"])
    }

    @Test(
        "the budget of a test counts more than that of its suite, and one that is given more than both",
        .launchBudget(.milliseconds(700))
    )
    func nearest() async throws {
        try await expectLaunch(graph(splash: 600))
        let words = try await issue { try await expectLaunch(graph(splash: 600), budget: .milliseconds(550)) }
        #expect(words == ["launch took 600 ms of 550 ms, 50 ms over: splash (600 ms)"])
    }

    @Test("a report is held to the budget of the test, also where it has met its own; then its longest critical operation is named")
    func reports() async throws {
        let report = try await graph(splash: 600).run(budget: .seconds(3), options: virtual()).report
        #expect(report.budget.isMet)
        #expect(try await issue { expectLaunch(report) } == ["launch took 600 ms of 500 ms, 100 ms over: splash (600 ms)"])
        expectLaunch(report, budget: .seconds(1))
    }

    @Test("a launch that failed is an issue, whatever its time")
    func failed() async throws {
        var graph = graph(splash: 100)
        try graph.inject(.fail, into: "login")
        let words = try await issue { try await expectLaunch(graph) }
        #expect(words.first?.hasPrefix("launch failed at login: ") == true)
    }

    @Test("a launch that went on without its milestone is an issue, whatever its time")
    func withoutMilestone() async throws {
        var graph = OperationGraph("launch")
        graph.add("main", .milestone, .onFailure(.continue)) {}
        try graph.inject(.fail, into: "main")
        let words = try await issue { try await expectLaunch(graph) }
        #expect(words.first?.hasPrefix("launch went on without its milestone: main failed") == true, "\(words)")
    }

    @Test("a graph that is not valid is an error, not an issue")
    func invalid() async throws {
        var graph = graph(splash: 100)
        graph.addDependency("nobody", to: "main")
        await #expect(throws: GraphError.self) { try await expectLaunch(graph) }
    }

    @Test("the trait can ask for real time", .launchBudget(.seconds(600), inRealTime: true))
    func realTime() async throws {
        var graph = OperationGraph("real")
        graph.add("main", .milestone) {}
        #expect(try await expectLaunch(graph).report.startedAt != nil)
    }

    @Test("for XCTest there is a function that throws the same sentence")
    func xctest() async throws {
        let launch = try await requireLaunch(graph(splash: 400), budget: .milliseconds(500))
        #expect(launch.report.criticalPath == ["splash", "main"])
        #expect(LaunchShortfall(of: launch.report) == nil)
        let error = await #expect(throws: LaunchShortfall.self) {
            try await requireLaunch(graph(splash: 600), budget: .milliseconds(500))
        }
        #expect(error?.description == "launch took 600 ms of 500 ms, 100 ms over: splash (600 ms)")
        #expect(error?.report.budget.isMet == false)
    }
}

/// A test whose suite has no budget.
@Suite("Public API: tests without a budget", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct MissingBudgetTests {
    @Test("a launch without any budget is an issue, which says what to write")
    func missing() async throws {
        let words = try await issue { try await expectLaunch(OperationGraph("empty")) }
        #expect(words.first?.contains(".launchBudget(.seconds(3))") == true)
    }
}
