import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// `onCancel:` and `didCancel()` run within the call that cancels. Whoever blocks there holds up nothing of the launch.
@Suite("Cancel handlers that block", .serialized, .timeLimit(.minutes(30)), .real)
struct RealCancelHandlerFaultTests {
    /// Never ends, and blocks whoever cancels it.
    private static func addDeaf(_ id: String, to graph: inout OperationGraph, _ gate: Gate, _ options: StepOption...) -> Step<Void> {
        graph.add(id, .all(options)) {
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                gate.block()
            }
        }
    }

    private final class DeafOperation: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: the gate is constant, and Sendable itself.
        let gate: Gate
        let begun = Gate()
        init(_ gate: Gate) { self.gate = gate }
        override func main() { begun.open() }
        override func didCancel() { gate.block() }
    }

    @Test("fault O40: a step whose cancel handler blocks times out all the same, the next one starts, and the handler is named")
    func timeout() async throws {
        // deaf   ──20 ms, told to cancel: blocks
        // too    ──20 ms, told to cancel: blocks
        // after  ────────── starts, waits until both are named
        let gate = Gate()
        let box = LaunchBox()
        var graph = OperationGraph("timeout")
        let deaf = Self.addDeaf("deaf", to: &graph, gate, .timeout(.milliseconds(20)), .onFailure(.continue))
        let too = graph.add(DeafOperation(gate), id: "too", .timeout(.milliseconds(20)), .onFailure(.continue))
        graph.add("after", after: deaf, too) {
            let launch = try await box.launch()
            await eventually { launch.anomalies.count == 2 }
        }
        let report = try await box.run(graph).report
        #expect(report.outcome == .completed)
        #expect(report.operations.map(\.outcome) == [.timedOut, .timedOut, .succeeded])
        #expect(Set(report.anomalies.filter { $0.kind == .cancelHandlerBlocked }.map(\.operation)) == ["deaf", "too"])
        gate.open()
    }

    @Test("fault O40: a launch ends at its deadline though a cancel handler blocks, in virtual time too")
    func deadline() async throws {
        try await atOnce([false, true]) { isVirtual in
            let gate = Gate()
            var graph = OperationGraph("deadline")
            _ = Self.addDeaf("deaf", to: &graph, gate)
            var options = LaunchOptions(deadline: .seconds(1), grace: .milliseconds(1))
            if isVirtual { options.clock = VirtualClock() }
            let report = try await graph.run(options: options).report
            #expect(report.stragglers == ["deaf"], "in virtual time: \(isVirtual)")
            gate.open()
        }
    }

    @Test("fault O40: after an abort the takeover starts, and the grace period ends, though a cancel handler blocks")
    func abort() async throws {
        let gate = Gate()
        let began = Gate()
        let takeover = Locked(false)
        var graph = OperationGraph("abort")
        graph.add("deaf") {
            await withTaskCancellationHandler {
                began.open()
                await gate.wait()
            } onCancel: {
                gate.block()
            }
        }
        graph.add("force-update") { launch in
            await began.wait()
            launch.abort(.forceUpdate) { takeover.withLock { $0 = true } }
        }
        let report = try await graph.run(options: LaunchOptions(deadline: .patience, grace: .milliseconds(20))).report
        #expect(report.outcome == .aborted(by: "force-update", reason: .forceUpdate))
        #expect(report.stragglers == ["deaf"])
        // On a busy machine the grace period can be over before the main actor has come to the takeover.
        await eventually { takeover.withLock { $0 } }
        gate.open()
    }
}

/// Code that decides whether a step runs, or what stands in for it, is under the step's timeout too.
@Suite("Conditions and fallbacks that never return", .serialized, .timeLimit(.minutes(30)), .real)
struct RealConditionFaultTests {
    @Test("fault O41: a condition that never returns ends its step at the step's timeout")
    func condition() async throws {
        let gate = Gate()
        var graph = OperationGraph("condition")
        let asked = graph.add(
            "asked",
            .when {
                gate.block()
                return true
            },
            .timeout(.milliseconds(20)),
            .onFailure(.continue)
        ) { Issue.record("it was never let start") }
        graph.add("last", after: asked) {}
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed)
        #expect(report["asked"]?.outcome == .timedOut)
        #expect(report["asked"]?.message == "its condition did not answer within its timeout of 20 ms")
        #expect(report.threadsLeftBehind == 1)
        gate.open()
    }

    @Test("fault O41: a fallback that is computed for ever ends its step after the timeout once more")
    func fallback() async throws {
        struct Broken: Error {}
        let gate = Gate()
        var graph = OperationGraph("fallback")
        let config = graph.add(
            "config",
            .timeout(.milliseconds(20)),
            .onFailure(.continue)
        ) { () throws -> Int in
            throw Broken()
        } fallback: { _, _ in
            gate.block()
            return 1
        }
        graph.add("last", after: config) {}
        let report = try await graph.run(options: .patient).report
        #expect(report.outcome == .completed)
        #expect(report["config"]?.outcome == .timedOut)
        #expect(report["config"]?.message == "its fallback was not computed within its timeout of 20 ms")
        gate.open()
    }

    @Test(
        "fault O41: a launch has a deadline of 30 seconds, or its budget if that is longer, unless told otherwise; a person's time is not counted"
    )
    func defaultDeadline() {
        #expect(LaunchOptions().settings(for: .seconds(3)).deadline == 30_000_000_000)
        #expect(LaunchOptions().settings(for: .seconds(40)).deadline == 40_000_000_000)
        #expect(LaunchOptions(deadline: .seconds(2)).settings(for: .seconds(3)).deadline == 2_000_000_000)
        #expect(LaunchOptions(deadline: .seconds(30)).settings(for: .seconds(40)).deadline == 30_000_000_000)
        #expect(LaunchOptions(deadline: .never).settings(for: .seconds(3)).deadline == nil)
        #expect(!LaunchOptions(deadline: .patience).deadlineCountsInteractiveTime)
    }

    @Test("fault O41: a login of 45 seconds is no failure under the deadline that a launch has unless told otherwise", arguments: [29, 31])
    func slowLogin(rest: Int) async throws {
        var graph = OperationGraph("login")
        let login = graph.add("login", .interactive) { launch in try await launch.sleep(for: .seconds(45)) }
        graph.add("main", .milestone, after: login) { launch in try await launch.sleep(for: .seconds(rest)) }
        let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
        #expect(report["login"]?.outcome == .succeeded)
        #expect(report["main"]?.outcome == (rest < 30 ? .succeeded : .timedOut))
    }

    @Test("the timeout of a condition is not taken from what it lets start")
    func answeredInTime() throws {
        var graph = OperationGraph("condition")
        graph.add("asked", .when { true }, .timeout(.nanoseconds(100))) {}
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init())
        machine.input(at: 0) { $0.begin() }
        #expect(machine.take(.worker, at: 0)?.kind == .checkCondition)
        #expect(machine.nextWake == 100)
        #expect(machine.conditionAnswered(0, true, at: 90) == true)
        #expect(machine.nextWake == 190)
        machine.timePassed(to: 150)
        #expect(machine.nodes[0].state == .running)
    }
}
