import Foundation
import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// The time before the launch, where the budget counts from the start of the process.
@Suite("Before the launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportFromProcessStartTests {
    /// `home` takes 22 ms, in a process that is older than any of the budgets.
    private func report(_ limit: Duration) async throws -> LaunchReport {
        var graph = OperationGraph("launch")
        graph.add("home", .milestone) { step in try await step.sleep(for: .milliseconds(22)) }
        graph.add("sync", after: "home") { step in try await step.sleep(for: .milliseconds(100)) }
        var options = LaunchOptions.virtual()
        options.processAge = { .seconds(5) }
        return try await graph.run(budget: Budget(limit, fromProcessStart: true, isEnforced: false), options: options).report
    }

    @Test("what the time before the launch explains is no operation's fault; what is missing to the overrun is")
    func causes() async throws {
        let explained = try await report(.milliseconds(23))
        #expect(!explained.budget.isMet && explained.budget.causes.isEmpty)
        let before = try #require(explained.beforeRun)
        #expect(explained.budget.measured == before + .milliseconds(22))
        #expect(try await report(.milliseconds(21)).budget.causes == ["home"])
    }

    @Test("the steps of a prologue that took most of the time before the launch are blamed for it, and others are not")
    func prologue() async throws {
        var process = OperationGraph("process")
        let sdks = [("analytics", 900, 10), ("crashes", 2_000, 10), ("ads", 100, 10), ("maps", 1_500, 1_450)]
        for (sdk, time, expected) in sdks {
            process.add(sdk, .expected(.milliseconds(expected))) { step in
                try await step.sleep(for: .milliseconds(time))
            }
        }
        var options = LaunchOptions.virtual()
        options.prologue = try await process.run(options: .virtual()).report
        options.processAge = { .seconds(5) }
        var graph = OperationGraph("launch")
        graph.add("home", .milestone) { step in try await step.sleep(for: .seconds(1)) }
        let both = ["crashes", "analytics"]
        for (limit, causes) in [(4.5, ["crashes"]), (3, both), (1, both), (0.5, both + ["home"])] {
            let budget = Budget(.seconds(limit), fromProcessStart: true, isEnforced: false)
            let report = try await graph.run(budget: budget, options: options).report
            #expect(report.budget.causes == causes, "\(limit)")
        }
        #expect(try await graph.run(budget: .milliseconds(500), options: options).report.budget.causes == ["home"])
    }

    @Test("drawings and tables begin with the process: the time before the launch is the first bar")
    func drawings() throws {
        let report = Self.sample
        let whole = report.fromProcessStart
        #expect(whole.operations.map(\.id) == ["(before the launch)", "home", "sync"])
        #expect(whole["(before the launch)"]?.end == .milliseconds(583))
        #expect(whole["home"]?.start == .milliseconds(583) && whole["home"]?.end == .milliseconds(605))
        #expect(whole.endOfLaunchProper == .milliseconds(605) && whole.makespan == .milliseconds(705))
        #expect(whole.criticalPath == ["(before the launch)", "home"] && whole.criticalPathDuration == .milliseconds(605))
        #expect(whole.budget.budget?.isFromProcessStart == false && whole.budget.measured == .milliseconds(605))
        #expect(whole.budget.questions == [.milliseconds(583)..<(.milliseconds(585))])
        #expect(whole.startedAt == Date(timeIntervalSince1970: 1_699_999_999.417))
        #expect(whole.fromProcessStart == whole)
        for text in [report.svg(), report.html(), report.markdown(), report.chromeTrace()] { #expect(text.contains("before the launch")) }
        var other = report
        other.beforeRun = nil
        #expect(other.fromProcessStart == other)
    }

    @Test("a step that is called as the first bar keeps its name")
    func name() async throws {
        var graph = OperationGraph("launch")
        graph.add("(before the launch)", .milestone) { step in try await step.sleep(for: .milliseconds(22)) }
        var options = LaunchOptions.virtual()
        options.processAge = { .milliseconds(500) }
        let report = try await graph.run(budget: Budget(.seconds(1), fromProcessStart: true), options: options).report.fromProcessStart
        #expect(report.operations.map(\.id) == ["((before the launch))", "(before the launch)"])
        #expect(report["(before the launch)"]?.start == .milliseconds(500))
    }

    private static var sample: LaunchReport {
        LaunchReport(
            scenario: "launch",
            startedAt: Date(timeIntervalSince1970: 1_700_000_000),
            outcome: .completed,
            budget: BudgetResult(
                budget: Budget(.milliseconds(300), fromProcessStart: true),
                measured: .milliseconds(605),
                interactive: .zero,
                questions: [.zero..<(.milliseconds(2))],
                isMet: false
            ),
            milestone: "home",
            beforeRun: .milliseconds(583),
            makespan: .milliseconds(122),
            work: .milliseconds(122),
            criticalPathDuration: .milliseconds(22),
            criticalPath: ["home"],
            lanes: 1,
            operations: [
                .made("home", 0...22, isCritical: true),
                .made("sync", 22...122, after: ["home"]),
            ],
            afterMilestone: LaunchReport.AfterMilestone(outcome: .completed, start: .milliseconds(22), operations: ["sync"])
        )
    }
}
