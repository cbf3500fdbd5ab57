import SequencerTesting
import Testing
import XCTest

/// A launch of an app, whose splash takes 400 ms.
private func launchGraph() -> OperationGraph {
    var graph = OperationGraph("launch")
    let splash = graph.add("splash", .expected(.milliseconds(400))) { launch in try await launch.sleep(for: .milliseconds(400)) }
    graph.add("main", .milestone, after: splash) {}
    return graph
}

/// The budget of a launch, in Swift Testing.
@Suite("Budgets", .timeLimit(.minutes(30)), .launchBudget(.milliseconds(500)))
struct BudgetTests {
    @Test("a launch is held to the budget of the suite")
    func suite() async throws {
        let launch = try await expectLaunch(launchGraph())
        #expect(launch.report.budget.measured == .milliseconds(400))
    }

    @Test("one that is over it fails the test", .launchBudget(.milliseconds(300)))
    func over() async throws {
        try await withKnownIssue {
            try await expectLaunch(launchGraph())
        } matching: { issue in
            issue.comments.first?.rawValue == "launch took 400 ms of 300 ms, 100 ms over: splash (400 ms)"
        }
    }
}

/// The same in XCTest.
final class BudgetXCTests: XCTestCase {
    func testBudget() async throws {
        let launch = try await requireLaunch(launchGraph(), budget: .milliseconds(500))
        XCTAssertEqual(launch.report.criticalPath, ["splash", "main"])
    }

    func testOverBudget() async throws {
        do {
            try await requireLaunch(launchGraph(), budget: .milliseconds(300))
            XCTFail("it is within its budget")
        } catch let shortfall as LaunchShortfall {
            XCTAssertEqual(shortfall.localizedDescription, "launch took 400 ms of 300 ms, 100 ms over: splash (400 ms)")
        }
    }
}
