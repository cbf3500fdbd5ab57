import Sequencer
import Testing

@testable import FirstLaunch

@Test func mainAppWaitsForBoth() throws {
    let launch = try firstLaunch().validated()
    #expect(launch.levels == [["splash", "fetch-config"], ["main-app"]])
    #expect(try launch.canOverlap("splash", "fetch-config"))
}

@Test func launchIsWithinItsBudget() async throws {
    let options = LaunchOptions(clock: VirtualClock())
    let report = try await Sequencer(firstLaunch(), budget: .milliseconds(500), options: options).run()
    #expect(report.outcome == .completed)
    #expect(report.budget.isMet)
    #expect(report.budget.measured == .milliseconds(400))
    #expect(report.criticalPath == ["splash", "main-app"])
}

@Test func launchSurvivesASlowServer() async throws {
    var graph = firstLaunch()
    try graph.inject(.delay(.seconds(10)), into: "fetch-config")
    let options = LaunchOptions(clock: VirtualClock())
    let report = try await Sequencer(graph, budget: .milliseconds(500), options: options).run()
    #expect(report.budget.isMet)
    #expect(report["fetch-config"]?.outcome == .fellBack)
    #expect(report["fetch-config"]?.isCut == true)
}
