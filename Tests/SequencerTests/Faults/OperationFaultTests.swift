import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Operations that come too late, or wait where nobody can come.
@Suite("Faults of operations", .serialized, .timeLimit(.minutes(10)))
struct OperationFaultTests {
    @Test("fault O4: an end after the launch was cancelled is dropped and reported, and starts nothing")
    func endAfterCancellation() async throws {
        let (begun, gate) = (Gate(), Gate())
        var graph = OperationGraph("late")
        let deaf = graph.add("deaf") {
            begun.open()
            gate.block()
            return 1
        }
        graph.add("dependent", using: deaf) { _ in Issue.record("what follows was started") }
        let sequencer = Sequencer(graph, options: LaunchOptions(grace: .milliseconds(1)))
        try sequencer.start()
        await begun.wait()
        sequencer.cancel()
        let report = try #require(await sequencer.report())
        #expect(report.outcome == .cancelled && report.stragglers == ["deaf"])
        gate.open()
        while sequencer.anomalies.isEmpty { await Task.yield() }
        #expect(sequencer.anomalies.map(\.operation) == ["deaf"])
        #expect(sequencer.anomalies.first?.description.hasSuffix("after it had ended; its result was dropped") == true)
        #expect(await sequencer.report()?.operations.map(\.outcome) == [.cancelled, .cancelled])
        #expect(try sequencer.value(of: deaf) == nil)
    }

    @Test("fault O10: while the main thread is blocked, the stall says that an operation waits for it")
    func blockedMainThread() async {
        // In a process of its own: other tests need their main thread.
        await #expect(processExitsWith: .success) {
            let (blocked, gate) = (Gate(), Gate())
            let waits = Locked<[LaunchStatus.Wait]>([])
            DispatchQueue.main.async {
                blocked.open()
                gate.block()
            }
            await blocked.wait()
            var graph = OperationGraph("main")
            graph.add("main-app", on: .main) {}
            let watch = StallWatch(after: .milliseconds(20)) { status in
                waits.withLock { $0 = status.operations.map(\.wait) }
                gate.open()
            }
            let report = try await Sequencer(graph, options: LaunchOptions(stallWatch: watch)).run()
            #expect(report.outcome == .completed)
            #expect(waits.withLock { $0 } == [.mainThread])
        }
    }

    @Test("fault O11: an operation that blocks until one behind it has run is named with it, and ends at its timeout", arguments: [1, 4])
    func waitsForItsDependent(lanes: Int) async throws {
        let gate = Gate()
        let stalls = Locked<[LaunchStatus]>([])
        var graph = OperationGraph("knot")
        let login = graph.add("login", .timeout(.milliseconds(500)), .onFailure(.continue)) { gate.block() }
        graph.add("fetch-config", after: login) { gate.open() }
        let watch = StallWatch(after: .milliseconds(20)) { status in stalls.withLock { $0.append(status) } }
        let report = try await Sequencer(graph, options: LaunchOptions(lanes: lanes, stallWatch: watch)).run()
        #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded])
        let stall = try #require(stalls.withLock { $0.first })
        #expect(stall.operations.map(\.id) == ["login", "fetch-config"])
        #expect(stall.operations.map(\.wait) == [.code(nil), .dependencies(["login"])])
    }
}
