import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Graphs whose last step matters as much as their first.
@Suite("Graphs, at their bounds", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphBoundaryTests {
    @Test("a dependency on the step that was added last is implied like any other")
    func impliedByTheLast() throws {
        var graph = OperationGraph("backwards")
        graph.add("c", after: "b", "a") {}
        graph.add("b", after: "a") {}
        graph.add("a") {}
        let valid = try graph.validated()
        #expect(valid.impliedEdges == ["c after a"])
        #expect(valid.reduced().edges == ["c after b", "b after a"])
    }

    @Test("a handle of another graph, one further than this one's last step, is unknown", arguments: [0, 1, 2])
    func foreignHandle(count: Int) async throws {
        var other = OperationGraph("other")
        for index in 0..<count { other.add("other\(index)") {} }
        let foreign = other.add("foreign") { 1 }
        var graph = OperationGraph("this")
        for index in 0..<count { graph.add("step\(index)") {} }
        let launch = try await graph.run(options: .patient)
        let error = #expect(throws: OperationError.self) { try launch[foreign] }
        #expect(error?.operation == "foreign" && error?.outcome == nil)
        let running = try graph.start(options: .patient)
        #expect(throws: GraphError.self) { try running.value(of: foreign) }
        _ = await running.end()
    }

    @Test("the first twenty problems of a kind are given the nearest name, which costs a look at all of them")
    func suggestions() {
        var graph = OperationGraph("misspelt")
        graph.add("fetch-config") {}
        for index in 0..<25 { graph.add("step\(index)", after: "fetch-confg") {} }
        let complaints = graph.complaints
        #expect(complaints.count == 25 && complaints.filter { $0.contains("did you mean 'fetch-config'?") }.count == 20)
    }

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
