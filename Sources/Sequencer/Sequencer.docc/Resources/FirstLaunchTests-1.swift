import Sequencer
import SequencerAnalysis
import Testing

@testable import FirstLaunch

@Test func mainAppWaitsForBoth() throws {
    let launch = try firstLaunch().validated()
    #expect(launch.levels == [["splash", "fetch-config"], ["main-app"]])
    #expect(try launch.canOverlap("splash", "fetch-config"))
}
