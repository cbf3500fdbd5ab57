import Foundation
import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// The launch proper ends with its milestone; what runs on is told apart.
@Suite("After the milestone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AfterMilestoneTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "no network"
    }

    /// `config` 75 ms, `home` 200 ms, which is the milestone at 275 ms.
    private static func graph(_ more: (inout OperationGraph, Step<Void>) -> Void) -> OperationGraph {
        var graph = OperationGraph("launch")
        let config = graph.add("config") { step in try await step.sleep(for: .milliseconds(75)) }
        let home = graph.add("home", .milestone, after: config) { step in try await step.sleep(for: .milliseconds(200)) }
        more(&graph, home)
        return graph
    }

    private static func report(
        budget: Budget = .seconds(3),
        deadline: Duration? = .seconds(30),
        grace: Duration = .milliseconds(250),
        _ more: (inout OperationGraph, Step<Void>) -> Void
    ) async throws -> LaunchReport {
        let options = LaunchOptions.virtual(deadline: deadline, grace: grace)
        return try await graph(more).run(budget: budget, options: options).report
    }

    /// The launch proper, which is always the same.
    private func expectLaunchProper(_ report: LaunchReport, _ location: SourceLocation = #_sourceLocation) {
        #expect(report.outcome == .completed && report.budget.isMet, sourceLocation: location)
        #expect(report.budget.measured == .milliseconds(275), sourceLocation: location)
        #expect(report.criticalPath == ["config", "home"], sourceLocation: location)
        #expect(report.criticalPathDuration == .milliseconds(275), sourceLocation: location)
        #expect(report["config"]?.slack == .zero && report["home"]?.slack == .zero, sourceLocation: location)
        #expect(report.afterMilestone?.start == .milliseconds(275), sourceLocation: location)
    }

    @Test("a step that hangs after the first screen fails nothing but itself: the deadline ends it, and the second section says so")
    func hangs() async throws {
        let report = try await Self.report { graph, home in
            graph.add("sync", .onFailure(.continue), after: home) { step in try await step.sleep(for: VirtualScheduler.never) }
            graph.add("later", after: "sync") {}
        }
        expectLaunchProper(report)
        let later = try #require(report.afterMilestone)
        #expect(later.outcome == .failed(operation: "sync", message: "still running at the launch's deadline"))
        #expect(later.operations == ["sync", "later"] && later.failures == ["sync"] && later.stragglers == ["sync"])
        #expect(report["sync"]?.outcome == .timedOut && report["later"]?.outcome == .cancelled)
        #expect(report.makespan == .seconds(30))
        #expect(report.description.hasSuffix("pass; after the milestone failed at sync: still running at the launch's deadline"))
    }

    @Test("a required step that fails after the milestone fails alone: its siblings go on, and what waits for it is skipped")
    func requiredFails() async throws {
        let report = try await Self.report { graph, home in
            let sync = graph.add("sync", after: home) { throw Failure() }
            graph.add("upload", after: sync) {}
            graph.add("prefetch", after: home) { step in try await step.sleep(for: .seconds(1)) }
            graph.add("warm", after: "prefetch") {}
        }
        expectLaunchProper(report)
        #expect(report["prefetch"]?.outcome == .succeeded && report["warm"]?.outcome == .succeeded)
        #expect(report["upload"]?.outcome == .skipped && report["upload"]?.message == "sync failed")
        let later = try #require(report.afterMilestone)
        #expect(later.outcome == .failed(operation: "sync", message: "no network"))
        #expect(later.operations == ["sync", "upload", "prefetch", "warm"] && later.failures == ["sync"] && later.stragglers.isEmpty)
        #expect(report.makespan == .milliseconds(1275))
    }

    @Test("what is told at the milestone is what the whole report says, but for what ran on")
    func soFar() async throws {
        let graph = Self.graph { graph, home in
            graph.add("counters", after: home) { step in try await step.sleep(for: .seconds(3)) }
            graph.add("beside") { step in try await step.sleep(for: .milliseconds(100)) }
            graph.add("overlaps") { step in try await step.sleep(for: .milliseconds(500)) }
        }
        let launch = try graph.start(budget: .seconds(3), options: .virtual())
        let soFar = await launch.milestone
        let report = await launch.end().report
        expectLaunchProper(soFar)
        expectLaunchProper(report)
        #expect(soFar.makespan == .milliseconds(275) && report.makespan == .milliseconds(3275))
        #expect(soFar.operations.map(\.id) == ["config", "home", "beside"])
        #expect(soFar.operations == report.operations.filter { !["counters", "overlaps"].contains($0.id) })
        #expect(soFar.budget == report.budget)
        #expect(soFar.afterMilestone?.operations == ["counters", "overlaps"] && soFar.afterMilestone?.outcome == nil)
        #expect(report.afterMilestone?.operations == ["counters", "overlaps"] && report.afterMilestone?.outcome == .completed)
        #expect(await launch.milestone == soFar)
        for report in [soFar, report] {
            #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(report.json().utf8)) == report)
            #expect(try JSONDecoder().decode(LaunchReport.self, from: JSONEncoder().encode(report)) == report)
        }
    }

    @Test("an abort after the milestone takes over as before; the launch has completed, and the second section tells of it")
    func abort() async throws {
        let hasTakenOver = Locked(false)
        let report = try await Self.report { graph, home in
            graph.add("update", after: home) { step in
                try await step.sleep(for: .seconds(1))
                step.abort(.forceUpdate) { hasTakenOver.withLock { $0 = true } }
            }
            graph.add("sync", after: home) { step in try await step.sleep(for: .seconds(20)) }
            graph.add("upload", after: "sync") {}
        }
        #expect(hasTakenOver.withLock { $0 })
        expectLaunchProper(report)
        #expect(report.afterMilestone?.outcome == .aborted(by: "update", reason: .forceUpdate))
        #expect(report["sync"]?.outcome == .cancelled && report["upload"]?.outcome == .cancelled)
        #expect(report["upload"]?.message == "not started: update aborted the launch (force-update)")
        #expect(report.makespan == .milliseconds(1275))
    }

    @Test("one step that is cancelled after the milestone is a failure of what runs on, if it is required", arguments: [true, false])
    func cancelStep(isRequired: Bool) async throws {
        let begun = Gate()
        var graph = OperationGraph("launch")
        let home = graph.add("home", .milestone) {}
        graph.add("sync", .onFailure(isRequired ? .required : .continue), after: home) {
            begun.open()
            try await Task.sleep(for: .seconds(3600))
        }
        let launch = try graph.start(options: .patient)
        _ = await launch.milestone
        await begun.wait()
        try launch.cancel("sync")
        let report = await launch.end().report
        #expect(report.outcome == .completed && report.criticalPath == ["home"])
        #expect(report.afterMilestone?.outcome == (isRequired ? .failed(operation: "sync", message: "cancelled while it ran") : .completed))
    }

    @Test("a milestone that succeeds while the launch stops is measured, and changes nothing of the outcome")
    func milestoneWhileStopping() async throws {
        var graph = OperationGraph("stopping")
        graph.add("home", .milestone) { step in
            // It is told to cancel, and has done its work all the same.
            try? await step.sleep(for: .milliseconds(10))
        }
        graph.add("migrate") { step in
            try await step.sleep(for: .milliseconds(5))
            throw Failure()
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report.outcome == .failed(operation: "migrate", message: "no network") && report.afterMilestone == nil)
        #expect(report["home"]?.outcome == .succeeded && report.budget.measured == .milliseconds(5) && !report.budget.isMet)
    }

    @Test("a milestone under .continue is lost with a value that an operation failed to leave, not with one that is missing on purpose")
    func milestoneWithoutValue() async throws {
        for isOnPurpose in [false, true] {
            var graph = OperationGraph("launch")
            let condition: [StepOption] = isOnPurpose ? [.when { false }] : []
            let feed = graph.add("feed", .all(condition), .onFailure(.continue)) { () -> Int in throw Failure() }
            graph.add("home", .milestone, .onFailure(.continue), .when { true }, using: feed) { _ in }
            graph.add("sync") { step in try await step.sleep(for: .seconds(1)) }
            let report = try await graph.run(budget: .seconds(3), options: .virtual()).report
            #expect(report["home"]?.outcome == .skipped)
            #expect(report.outcome == (isOnPurpose ? .completed : .failed(operation: "home", message: "feed failed")))
            #expect(!report.budget.isMet && report.budget.measured == .seconds(1))
        }
    }

    @Test(
        "a milestone whose own condition is false is missed: the time is that of a launch without one, the budget is not met",
        arguments: [false, true]
    )
    func unwantedMilestone(fails: Bool) async throws {
        var graph = OperationGraph("launch")
        graph.add("home", .milestone, .when { false }) {}
        graph.add("asks", .interactive) { step in try await step.sleep(for: .seconds(1)) }
        graph.add("refresh") { step in
            try await step.sleep(for: .seconds(2))
            if fails { throw Failure() }
        }
        let report = try await graph.run(budget: .seconds(3), options: .virtual()).report
        #expect(report.outcome == (fails ? .failed(operation: "refresh", message: "no network") : .completed))
        #expect(report.budget.measured == .seconds(1) && report.budget.interactive == .seconds(1) && !report.budget.isMet)
        #expect(report.milestoneOutcomeText == (fails ? "" : "; milestone skipped"))
        #expect(report.criticalPath == ["refresh"] && report.afterMilestone == nil)
    }

    @Test("questions after the milestone are not the budget's; one that goes on then is cut off there")
    func questions() async throws {
        let graph = Self.graph { graph, home in
            graph.add("asks", .interactive) { step in try await step.sleep(for: .seconds(2)) }
            graph.add("onboarding", .interactive, after: "asks", home) { step in try await step.sleep(for: .seconds(1)) }
        }
        let launch = try graph.start(budget: .seconds(3), options: .virtual())
        let (soFar, report) = (await launch.milestone, await launch.end().report)
        #expect(report.budget.questions == [.zero..<(.milliseconds(275))] && report.budget.interactive == .milliseconds(275))
        #expect(soFar.budget == report.budget && report.budget.measured == .zero)
    }

    @Test("a step that ends in the milestone's own moment, but after it, ran on; one before it did not")
    func sameMoment() async throws {
        var graph = OperationGraph("moment")
        let before = graph.add("before") {}
        let home = graph.add("home", .milestone, after: before) {}
        graph.add("after", after: home) {}
        let report = try await graph.run(options: .virtual()).report
        #expect(report.makespan == .zero && report.afterMilestone?.start == .zero)
        #expect(report.afterMilestone?.operations == ["after"])
        var last = OperationGraph("last")
        last.add("home", .milestone, after: last.add("before") {}) {}
        #expect(try await last.run(options: .virtual()).report.afterMilestone == nil)
    }

    @Test("a step that was put off ran on, and what it gave its place to does not name it before it has ended")
    func deferred() async throws {
        var graph = OperationGraph("late")
        let load = graph.add("load") { step in try await step.sleep(for: .seconds(1)) }
        let warm = graph.add("warm", .expected(.seconds(1)), .deferrable, after: load) { step in try await step.sleep(for: .seconds(1)) }
        graph.add("main", .milestone, after: warm) {}
        let launch = try graph.start(budget: .seconds(1), options: .virtual())
        let soFar = await launch.milestone
        #expect(soFar.operations.map(\.id) == ["load", "main"] && soFar["main"]?.dependencies == [])
        #expect(try JSONDecoder().decode(LaunchReport.self, from: Data(soFar.json().utf8)) == soFar)
        let report = await launch.end().report
        #expect(report["warm"]?.isDeferred == true && report["main"]?.dependencies == ["warm"])
        #expect(report.afterMilestone?.operations == ["warm"] && report.afterMilestone?.outcome == .completed)
        #expect(report.budget.measured == .seconds(1) && report.criticalPath == ["load", "main"])
    }
}
