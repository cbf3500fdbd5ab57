import TestSupport
import Testing

@testable import Sequencer

/// Graphs whose last step matters as much as their first.
@Suite("Graphs, at their bounds", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphBoundaryTests {
    @Test("a step that only joins others is reported as one that ran once, at the time when the last of them had ended")
    func join() async throws {
        var graph = OperationGraph("join")
        graph.wait("left", 100)
        graph.wait("right", 300)
        graph.join("both", after: "left", "right")
        let report = try await graph.run(options: .virtual()).report
        let join = try #require(report["both"])
        #expect(join.outcome == .succeeded && join.attempts == 1 && join.lane == nil)
        #expect(join.start == .milliseconds(300) && join.end == .milliseconds(300))
    }

    @Test("options of a launch may be as large as they are allowed to be, and not larger")
    func launchOptions() {
        let (day, more) = (OperationGraph.maximumDuration, OperationGraph.maximumDuration + .nanoseconds(1))
        func stall(_ limit: Duration) -> LaunchOptions { LaunchOptions(deadline: .patience, stallWatch: StallWatch(after: limit) { _ in }) }
        let allowed = [
            LaunchOptions(lanes: 1, deadline: .patience), LaunchOptions(lanes: 1024, deadline: .patience),
            LaunchOptions(deadline: .after(.nanoseconds(1))), LaunchOptions(deadline: .after(day)),
            LaunchOptions(deadline: .patience, grace: .zero), LaunchOptions(deadline: .patience, grace: day), stall(.nanoseconds(1)),
            stall(day),
        ]
        #expect(allowed.flatMap(\.complaints) == [])
        let refused = [
            LaunchOptions(lanes: 0, deadline: .patience), LaunchOptions(lanes: 1025, deadline: .patience),
            LaunchOptions(deadline: .after(.zero)),
            LaunchOptions(deadline: .after(more)),
            LaunchOptions(deadline: .patience, grace: .nanoseconds(-1)), LaunchOptions(deadline: .patience, grace: more), stall(.zero),
            stall(more),
        ]
        #expect(refused.allSatisfy { $0.complaints.count == 1 })
    }
}
