import Sequencer
import SequencerAnalysis
import SequencerTesting
import Testing

@testable import FirstLaunch

@Test func mainAppWaitsForBoth() throws {
    let launch = try firstLaunch().validated()
    #expect(launch.levels == [["splash", "fetch-config"], ["main-app"]])
    #expect(try launch.canOverlap("splash", "fetch-config"))
}

@Test(.launchBudget(.milliseconds(500))) func launchIsWithinItsBudget() async throws {
    let report = try await expectLaunch(firstLaunch()).report
    #expect(report.budget.measured == .milliseconds(400))
    #expect(report.criticalPath == ["splash", "main-app"])
}

@Test func launchSurvivesASlowServer() async throws {
    var graph = firstLaunch()
    try graph.inject(.delay(.seconds(10)), into: "fetch-config")
    let options = LaunchOptions(clock: VirtualClock())
    let report = try await graph.run(budget: .milliseconds(500), options: options).report
    #expect(report.budget.isMet)
    #expect(report["fetch-config"]?.outcome == .fellBack)
    #expect(report["fetch-config"]?.isCut == true)
}
