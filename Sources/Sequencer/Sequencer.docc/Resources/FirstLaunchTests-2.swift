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
