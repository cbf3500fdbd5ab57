import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// What others see of a step that was put off until after the milestone.
@Suite("Steps that are put off", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DeferredStepTests {
    @Test("fault L46: what waits for a step that is put off sees no value of it, however late it starts; everybody else does")
    func noValueForEver() async throws {
        var graph = OperationGraph("late")
        let seen = Journal()
        let load = graph.add("load") { launch in try await launch.sleep(for: .seconds(1)) }
        let warm = graph.add("warm", .expected(.seconds(1)), .deferrable, after: load) { 7 }
        let slow = graph.add("slow") { launch in try await launch.sleep(for: .seconds(5)) }
        graph.add("reader", using: warm.optional, after: slow) { value in seen.note("\(value ?? 0)") }
        graph.add("main", .milestone, after: load) {}
        let launch = try await graph.run(budget: .seconds(1), options: LaunchOptions(clock: VirtualClock()))
        let report = launch.report
        #expect(report["warm"]?.isDeferred == true && report["warm"]?.end == .seconds(1))
        #expect(report["reader"]?.start == .seconds(5))
        #expect(seen.all == ["0"])
        #expect(try launch[warm] == 7)
    }

    @Test("fault O51: each step of a long chain is put off, without recursion")
    func longChain() async throws {
        var graph = OperationGraph("chain")
        var last = graph.add("load") { launch in try await launch.sleep(for: .milliseconds(2)) }
        let count = Nightly.times(day: 10_000, night: 50_000)
        for number in 0..<count { last = graph.add("step-\(number)", .expected(.seconds(1)), .deferrable, after: last) {} }
        graph.add("main", .milestone, after: last) {}
        let report = try await graph.run(budget: .milliseconds(1), options: .virtual()).report
        #expect(report.outcome == .completed)
        #expect(report.operations.filter { $0.isDeferred && $0.outcome == .succeeded }.count == count)
    }

    /// ```
    /// reader    reads warm's value ─ waits ───────────────────────── ends
    /// main                            └─ ends
    /// warm                                └─ runs, ends with a value ─┘
    /// ```
    @Test("fault L46: the value of a step that was put off is written where no dependent reads", arguments: [false, true])
    func noRace(fallsBack: Bool) async throws {
        struct Failure: Error {}
        for _ in 0..<Nightly.times(day: 5, night: 20) {
            var graph = OperationGraph("race")
            let (read, ended) = (Gate(), Gate())
            let load = graph.add("load") { launch in try await launch.sleep(for: .milliseconds(2)) }
            let warm = graph.add("warm", .expected(.seconds(10)), .deferrable, after: load, fallback: "bundled") {
                if fallsBack { throw Failure() }
                return "loaded"
            }
            graph.add("reader", using: warm.optional) { value in
                #expect(value == nil)
                read.open()
                await ended.wait()
            }
            graph.add("main", .milestone, after: load) { await read.wait() }
            let launch = try graph.start(budget: .milliseconds(1))
            let events = launch.events
            for await event in events {
                if case .ended("warm", _) = event.kind { break }
            }
            ended.open()
            let report = await launch.end().report
            #expect(report["warm"]?.isDeferred == true)
            #expect(try launch.value(of: warm) == (fallsBack ? "bundled" : "loaded"))
        }
    }
}
