import Foundation
import Sequencer
import Testing

@Suite("A launch of twelve steps", .serialized, .timeLimit(.minutes(30)))
struct TwelveStepsTests {
    private let outcomes: [Outcome] = [
        .succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .succeeded, .failed, .skipped, .succeeded,
        .succeeded,
    ]

    /// The report, after it was written and read.
    private func kept(_ report: LaunchReport) throws -> LaunchReport {
        try JSONDecoder().decode(LaunchReport.self, from: JSONEncoder().encode(report))
    }

    @Test("in virtual time it takes what its longest path takes, and no real time")
    func virtual() async throws {
        let app = TwelveSteps()
        let (graph, main) = app.graph()
        #expect(graph.identifiers.count == 12)
        let launch = try await graph.run(budget: .milliseconds(200), options: .virtual())
        let report = launch.report
        #expect(report.outcome == .completed && report.budget.isMet)
        #expect(report.operations.map(\.outcome) == outcomes)
        #expect(try launch[main] == "Ada of DE, user 1, 1 flag, no speaker")
        #expect(app.screen.all == ["splash", "main"])
        #expect(report.criticalPath == ["device-id", "fetch-config", "restore-session", "profile", "rights", "main-app"])
        #expect(report.budget.measured == .milliseconds(140) && report.makespan == .milliseconds(200))
        #expect(report["profile"]?.attempts == 2 && report.afterMilestone?.operations == ["sync"])
        #expect(try kept(report) == report)
    }

    @Test("in real time the same comes of it")
    func real() async throws {
        let app = TwelveSteps(unit: .milliseconds(1))
        let (graph, main) = app.graph()
        let launch = try await graph.run(options: .real())
        let report = launch.report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == outcomes)
        #expect(try launch[main] == "Ada of DE, user 1, 1 flag, no speaker")
        #expect(app.screen.all == ["splash", "main"])
        #expect(try kept(report) == report)
    }

    @Test("aborted, it shows the update, and nothing of the app")
    func aborted() async throws {
        let app = TwelveSteps(isOutdated: true)
        let (graph, main) = app.graph()
        let launch = try await graph.run(budget: .milliseconds(200), options: .virtual())
        let report = launch.report
        #expect(report.outcome == .aborted(by: "check-update", reason: .forceUpdate))
        try await eventually { app.screen.all == ["splash", "update"] }
        #expect(report["main-app"]?.start == nil && report["fetch-config"]?.outcome == .cancelled)
        #expect(throws: OperationError.self) { try launch[main] }
        #expect(try kept(report) == report)
    }

    @Test("over its budget, it says so and why; where the budget is kept, the configuration is the bundled one")
    func overBudget() async throws {
        let app = TwelveSteps(configuration: 30)
        let (graph, main) = app.graph()
        let measured = try await graph.run(budget: Budget(.milliseconds(250), isEnforced: false), options: .virtual())
        #expect(measured.report.outcome == .completed && !measured.report.budget.isMet)
        #expect(measured.report.budget.measured == .milliseconds(390) && measured.report.budget.causes.contains("fetch-config"))
        #expect(try measured[main] == "Ada of DE, user 1, 1 flag, no speaker")

        let enforced = try await graph.run(budget: .milliseconds(250), options: .virtual())
        #expect(enforced.report.outcome == .completed && enforced.report.budget.isMet)
        #expect(enforced.report["fetch-config"]?.isCut == true)
        #expect(try enforced[main] == "Ada of US, user 1, 1 flag, no speaker")
        for report in [measured.report, enforced.report] { #expect(try kept(report) == report) }
    }
}
