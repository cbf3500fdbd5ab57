import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Something that is held while steps run", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HeldRangeTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "no space"
    }

    /// How a launch ends while something is held.
    enum Ending: CaseIterable, Sendable {
        case failure, abort, cancel, deadline, timeout
    }

    private let journal = Journal()

    @Test("it is taken before the first of the steps, and released after the last one, before others that come later")
    func range() async throws {
        var graph = OperationGraph("range")
        let before = graph.add("before") { [journal] in journal.note("before") }
        let first = graph.add("first", after: before) { [journal] launch in
            try await launch.sleep(for: .seconds(1))
            journal.note("first")
        }
        let last = graph.add("last", after: first) { [journal] launch in
            try await launch.sleep(for: .seconds(2))
            journal.note("last")
        }
        graph.add("later", after: last) { [journal] launch in
            try await launch.sleep(for: .seconds(1))
            journal.note("later")
        }
        let held = try graph.hold("lock", after: before, over: first, "last") { [journal] () -> Int in
            journal.note("take")
            return 7
        } release: { [journal] number in
            journal.note("release \(number)")
        }
        let launch = try await graph.run(options: .virtual())
        #expect(launch.report.outcome == .completed && launch.report.makespan == .seconds(4))
        #expect(journal.all == ["before", "take", "first", "last", "release 7", "later"])
        #expect(try launch[held] == 7)
        #expect(launch.report["first"]?.dependencies.contains("lock") == true)
    }

    @Test("whatever ends the launch, it is released once", arguments: Ending.allCases)
    func endings(_ ending: Ending) async throws {
        let running = Locked<RunningLaunch?>(nil)
        var graph = OperationGraph("endings")
        let first = graph.add("first", .timeout(.seconds(ending == .timeout ? 2 : 60))) { [journal] launch in
            journal.note("first")
            try await launch.sleep(for: .seconds(1))
            switch ending {
            case .failure: throw Failure()
            case .abort: launch.abort(.forceUpdate)
            case .cancel: running.withLock { $0 }?.cancel()
            case .deadline, .timeout: break
            }
            try await launch.sleep(for: .seconds(50))
        }
        let last = graph.add("last", after: first) { [journal] in journal.note("last") }
        try graph.hold("lock", over: first, last) { [journal] in
            journal.note("take")
        } release: { [journal] _ in
            journal.note("release")
        }
        let clock = VirtualClock()
        let options = LaunchOptions(deadline: .seconds(5), clock: clock)
        let launch = try clock.hold {
            let launch = try graph.start(options: options)
            running.withLock { $0 = launch }
            return launch
        }
        let report = await launch.end().report
        running.withLock { $0 = nil }
        #expect(report.outcome != .completed)
        #expect(journal.all == ["take", "first", "release"], "\(ending)")
    }

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
