import TestSupport
import Testing

@testable import Sequencer

/// Graphs that cannot run, or that change while they do.
@Suite("Faults in a graph", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphFaultTests {
    @Test("fault G10: a value is its step's: two steps that claim one are refused before anything runs, both by position")
    func sameSlot() async throws {
        var graph = OperationGraph("slots")
        let number = graph.add("config") { 1 }
        let text = graph.add("config") { "two" }
        graph.add("login", using: number, text) { _, _ in Issue.record("it ran") }
        let error = await #expect(throws: GraphError.self) { try await graph.run(options: .patient) }
        #expect(error?.description.contains("operations 1 and 2 have the same identifier 'config'; each needs its own") == true)
    }

    @Test("fault G20: a launch runs the graph it was given: what is added or removed afterwards is another graph's")
    func changedAfterStart() async throws {
        let (started, gate) = (Gate(), Gate())
        var graph = OperationGraph("changed")
        let first = graph.add("first") {
            started.open()
            await gate.wait()
        }
        graph.add("second", after: first) {}
        let launch = try graph.start(options: .patient)
        await started.wait()
        graph.add("late", after: first) { Issue.record("a step that was added later ran") }
        graph.remove("second")
        gate.open()
        let report = await launch.end().report
        #expect(report.operations.map(\.id) == ["first", "second"])
        #expect(report.operations.map(\.outcome) == [.succeeded, .succeeded])
    }
}
