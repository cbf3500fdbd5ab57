import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Operations that come too late, that have run before, or wait where nobody can come.
@Suite("Faults of operations", .serialized, .timeLimit(.minutes(30)), .real)
struct RealOperationFaultTests {
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
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, grace: .milliseconds(1)))
        await begun.wait()
        launch.cancel()
        let report = await launch.end().report
        #expect(report.outcome == .cancelled && report.stragglers == ["deaf"])
        gate.open()
        await eventually { !launch.anomalies.isEmpty }
        #expect(launch.anomalies.map(\.operation) == ["deaf"])
        #expect(launch.anomalies.first?.description.hasSuffix("after it had ended; its result was dropped") == true)
        #expect(await launch.end().report.operations.map(\.outcome) == [.cancelled, .cancelled])
        #expect(try launch.value(of: deaf) == nil)
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
            let report = try await graph.run(options: LaunchOptions(deadline: .patience, stallWatch: watch)).report
            #expect(report.outcome == .completed)
            #expect(waits.withLock { $0 } == [.mainThread])
        }
    }

    @Test("fault O11: an operation that blocks until one behind it has run is named with it, and ends at its timeout", arguments: [1, 4])
    func waitsForItsDependent(lanes: Int) async throws {
        // On a slow machine a stall is reported before login has begun: then a later one is waited for.
        var limit = Duration.milliseconds(20)
        while true {
            let gate = Gate()
            let stalls = Locked<[LaunchStatus]>([])
            var graph = OperationGraph("knot")
            let login = graph.add("login", .timeout(limit * 25), .onFailure(.continue)) { gate.block() }
            graph.add("fetch-config", after: login) { gate.open() }
            let watch = StallWatch(after: limit) { status in stalls.withLock { $0.append(status) } }
            let report = try await graph.run(options: LaunchOptions(lanes: lanes, deadline: .patience, stallWatch: watch)).report
            #expect(report.operations.map(\.outcome) == [.timedOut, .succeeded])
            let stall = try #require(stalls.withLock { $0.first })
            #expect(stall.operations.map(\.id) == ["login", "fetch-config"])
            #expect(stall.operations.last?.wait == .dependencies(["login"]))
            if stall.operations.first?.wait == .thread(blockedBy: []), limit * 25 < .patience {
                limit *= 8
                continue
            }
            #expect(stall.operations.first?.wait == .code(nil))
            return
        }
    }

    @Test("fault O48: a step makes an operation that runs already, or that it has made before: its attempt fails, nothing traps")
    func madeTwice() async throws {
        let (begun, gate) = (Gate(), Gate())
        let shared = BlockOperation {
            begun.open()
            gate.block()
        }
        var first = OperationGraph("first")
        first.add(shared, id: "has-it")
        var second = OperationGraph("second")
        second.addOperation("makes-it", .onFailure(.continue)) { _ in shared }
        let launch = try first.start(options: .patient)
        await begun.wait()
        let report = try await second.run(options: .patient).report
        #expect(report["makes-it"]?.outcome == .failed)
        #expect(report["makes-it"]?.message?.contains("an Operation runs once") == true)
        gate.open()
        _ = await launch.end()
        // It has run.
        let later = try await second.run(options: .patient).report
        #expect(later["makes-it"]?.message?.contains("has finished already") == true)
    }

    @Test("fault O43: a ConcurrentOperation that claims to have been cancelled, and was not, has failed and is tried again")
    func claimsToBeCancelled() async throws {
        final class Claims: ConcurrentOperation, @unchecked Sendable {
            override func main() { finish(throwing: CancellationError()) }
        }
        var graph = OperationGraph("claims")
        graph.addOperation("claims", .onFailure(.continue), .retry(attempts: 3, backoff: .zero)) { _ in Claims() }
        let report = try await graph.run(options: .patient).report
        #expect(report["claims"]?.outcome == .failed && report["claims"]?.attempts == 3)
    }

    @Test("fault O47: an operation that ends with an error within didCancel() has done what it was told")
    func endsAsTold() async throws {
        final class Obeys: ConcurrentOperation, @unchecked Sendable {
            // @unchecked: gates are constant, and Sendable themselves.
            let (begun, over, done) = (Gate(), Gate(), Gate())
            override func main() { begun.open() }
            override func didCancel() {
                over.block()
                finish(throwing: CocoaError(.userCancelled))
                done.open()
            }
        }
        let operation = Obeys()
        var graph = OperationGraph("obeys")
        graph.add(operation, id: "obeys", .onFailure(.continue))
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, grace: .zero))
        await operation.begun.wait()
        try launch.cancel("obeys")
        #expect(await launch.end().report["obeys"]?.outcome == .cancelled)
        operation.over.open()
        await operation.done.wait()
        #expect(!launch.anomalies.contains { $0.kind != .cancelHandlerBlocked })
    }
}
