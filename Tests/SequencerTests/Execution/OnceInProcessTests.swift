import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Work that is done once in a process", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OnceInProcessTests {
    private struct Failure: Error {}

    private let once = OnceInProcess<Int>("open-database")
    private let journal = Journal()

    @Test("a launch that comes to it later has the value at once, and its report says so")
    func later() async throws {
        let clock = VirtualClock()
        for launch in 1...3 {
            var graph = OperationGraph("launch")
            let opened = graph.addOnce(once) { [journal] in
                journal.note("opened by \(launch)")
                try await clock.sleep(for: .seconds(2))
                return launch
            }
            let read = graph.add("read", .milestone, using: opened) { number in number }
            let finished = try await graph.run(options: LaunchOptions(clock: clock))
            #expect(finished.report.outcome == .completed)
            #expect(try finished[read] == 1)
            #expect(finished.report.makespan == (launch == 1 ? .seconds(2) : .zero))
            #expect(finished.report["open-database"]?.notes == (launch == 1 ? [] : ["was done before, in this process"]))
        }
        #expect(journal.all == ["opened by 1"])
        #expect(once.value == 1)
    }

    @Test("where it fails, the next launch that waits for it does its own, and the failure is of one launch")
    func failing() async throws {
        let clock = VirtualClock()
        var graphs: [OperationGraph] = []
        for launch in 1...2 {
            var graph = OperationGraph("launch")
            graph.addOnce(once) { [journal] in
                journal.note("begun")
                try await clock.sleep(for: .seconds(1))
                if journal.all.count == 1 { throw Failure() }
                return launch
            }
            graphs.append(graph)
        }
        let options = LaunchOptions(clock: clock)
        let launches = try clock.hold { try graphs.map { try $0.start(options: options) } }
        var outcomes: [Bool] = []
        for launch in launches { outcomes.append(await launch.end().report.outcome == .completed) }
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(journal.all == ["begun", "begun"] && once.value != nil)
    }

    @Test("a fallback is of one launch; an attempt that failed begins it anew")
    func fallback() async throws {
        var graph = OperationGraph("fallback")
        let opened = graph.addOnce(once, fallback: 0) { throw Failure() }
        let launch = try await graph.run(options: .virtual())
        #expect(try launch[opened] == 0)
        #expect(once.value == nil)

        var again = OperationGraph("again")
        again.addOnce(once, .retry(attempts: 2, backoff: .seconds(1), jitter: 0)) { [journal] in
            journal.note("begun")
            if journal.all.count == 1 { throw Failure() }
            return 9
        }
        let report = try await again.run(options: .virtual()).report
        #expect(report.outcome == .completed && once.value == 9)
        #expect(report["open-database"]?.notes == [])
    }
}
