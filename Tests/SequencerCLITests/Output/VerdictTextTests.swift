import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("The last word on a launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct VerdictTextTests {
    @Test("How a launch ended comes first, then what it made of its budget, if its milestone was reached")
    func failedAfterMilestone() async throws {
        var graph = OperationGraph("late")
        graph.add("main-app", .milestone) { launch in try? await launch.sleep(for: .seconds(1)) }
        graph.add("sync") { launch in
            try await launch.sleep(for: .milliseconds(800))
            throw TimelineFixtures.ServerError(description: "no network")
        }
        let report = try await TimelineFixtures.run(graph)
        let plain = TextStyle(isColored: false, isUnicode: true)
        #expect(VerdictText(report, style: plain, width: 80).lines == ["FAILED  sync: no network; milestone after 800 ms of 3 s"])
    }
}
