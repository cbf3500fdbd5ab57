import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Something that is held while steps run", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HeldRangeTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "no space"
    }

    private let journal = Journal()

    @Test("what could not be taken is not released, and its failure policy says whether the steps run")
    func notTaken() async throws {
        let cases: [(FailurePolicy, [String])] = [(.continue, ["first"]), (.skipDependents, []), (.required, [])]
        for (policy, notes) in cases {
            let journal = Journal()
            var graph = OperationGraph("not-taken")
            let first = graph.add("first") { journal.note("first") }
            try graph.hold("lock", .onFailure(policy), over: first) { () throws -> Int in
                throw Failure()
            } release: { _ in
                journal.note("release")
            }
            let report = try await graph.run(options: .virtual()).report
            #expect((report.outcome == .completed) == (policy != .required), "\(policy)")
            #expect(journal.all == notes, "\(policy)")
        }
    }

    @Test("what is taken after the step's timeout is released with the last step, too")
    func late() async throws {
        let clock = VirtualClock()
        var graph = OperationGraph("late")
        let first = graph.add("first") { launch in try await launch.sleep(for: .seconds(9)) }
        try graph.hold("lock", .timeout(.seconds(1)), .onFailure(.continue), over: first) { [journal] in
            try? await clock.sleep(for: .seconds(3))
            journal.note("take")
        } release: { [journal] _ in
            journal.note("release")
        }
        let report = try await graph.run(options: LaunchOptions(clock: clock)).report
        #expect(report["lock"]?.outcome == .timedOut)
        #expect(journal.all == ["take", "release"])
    }

    @Test("several things may be held over the same steps, and one that was taken out of the graph keeps nothing")
    func several() async throws {
        var graph = OperationGraph("several")
        let (first, last) = (graph.add("first") {}, graph.add("last") {})
        for name in ["a", "b"] {
            try graph.hold(name, over: first, last) {
                name
            } release: { [journal] name in
                journal.note(name)
            }
        }
        graph.remove("last")
        #expect(try await graph.run(options: .virtual()).report.outcome == .completed)
        #expect(journal.all.sorted() == ["a", "b"])
    }

    @Test("steps that are not in the graph are refused, and the graph is as before")
    func unknown() throws {
        var graph = OperationGraph("unknown")
        graph.add("migrate") {}
        do throws(GraphError) {
            try graph.hold("lock", over: "migrate", "mygrate") {
                7
            } release: { _ in
            }
            Issue.record("a step that is not there was taken")
        } catch {
            #expect(error.description.contains("mygrate"))
        }
        #expect(graph.identifiers == ["migrate"])
        #expect(throws: Never.self) { try graph.validated() }
    }
}
