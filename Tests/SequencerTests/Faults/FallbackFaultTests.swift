import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Fallbacks that take their time.
@Suite("Faults of fallbacks", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FallbackFaultTests {
    typealias Assignment = LaunchStateMachine.Assignment

    private static let fallback = Assignment(node: 0, attempt: 1, kind: .computeFallback)

    private func computingFallback() throws -> LaunchStateMachine {
        var graph = OperationGraph("asking")
        graph.add("asks", .timeout(.nanoseconds(100))) { () throws -> Int in
            throw CocoaError(.coderInvalidValue)
        } fallback: { _, _ in
            1
        }
        var settings = LaunchOptions(deadline: .after(.nanoseconds(1000))).settings(for: .seconds(3))
        settings.workers = 1
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: settings)
        machine.input(at: 0) { $0.begin() }
        _ = machine.take(.worker, at: 0)
        let run = Assignment(node: 0, attempt: 1, kind: .run)
        let (_, next) = machine.attemptEnded(run, .failed, thenTakeFor: .worker, at: 10)
        #expect(next == nil && machine.actions.fallbacks == [Self.fallback])
        return machine
    }

    @Test("fault O56: a fallback asks a person: when it has ended, nobody is waited for, and the deadline counts")
    func personInFallback() throws {
        var machine = try computingFallback()
        machine.personWait(Self.fallback, .question, begins: true, at: 20)
        #expect(machine.attemptEnded(Self.fallback, .succeeded, at: 50) == true)
        #expect(!machine.interactive.isRunning)
        #expect(machine.interactive.total(at: 60) == 30)
        #expect(machine.nodes[0].outcome == .fellBack)
    }

    @Test("fault O56: the timeout of a fallback stands still while it asks a person")
    func timeoutOfFallback() throws {
        var machine = try computingFallback()
        #expect(machine.timeLimit(of: 0) == 110)
        machine.personWait(Self.fallback, .question, begins: true, at: 20)
        machine.timePassed(to: 300)
        #expect(machine.nodes[0].state == .computing)
        machine.personWait(Self.fallback, .question, begins: false, at: 320)
        #expect(machine.nextWake == 410 && machine.timeLimit(of: 0) == 410)
        machine.timePassed(to: 410)
        #expect(machine.nodes[0].outcome == .timedOut)
    }

    /// ```
    /// main:    splash 500 ├──▶ (cancels, at 2 s) ──▶
    /// lane 1:  asks, until 1 s │ long, from 1 s to 3 s │ the fallback of asks
    /// ```
    @Test("fault O56: a step that is cancelled while its fallback waits for a lane has timed out all the same, and its fallback is used")
    func cancelledBeforeFallback() async throws {
        let box = LaunchBox()
        var graph = OperationGraph("waits")
        let asks = graph.add("asks", .timeout(.seconds(1))) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        } fallback: { _, _ in
            2
        }
        let splash = graph.add("splash", on: .main) { launch in try await launch.sleep(for: .milliseconds(500)) }
        graph.add("long", .expected(.seconds(2)), after: splash) { launch in try await launch.sleep(for: .seconds(2)) }
        graph.add("cancels", after: splash, on: .main) { launch in
            try await launch.sleep(for: .milliseconds(1_500))
            try await box.launch().cancel("asks")
        }
        let launch = try await box.run(graph, options: .virtual(lanes: 1))
        #expect(launch.report.outcome == .completed)
        #expect(try launch[asks] == 2)
        #expect(launch.report["asks"]?.message == "not ended after its timeout of 1 s; its fallback was used")
        #expect(launch.report["asks"]?.failure == .timedOut)
    }

    @Test("fault O56: a fallback that became due in the moment in which the launch stops is not computed")
    func stoppedAtOnce() throws {
        var graph = OperationGraph("stopped")
        graph.add("required") {}
        graph.add("falls-back") {
            1
        } fallback: { _, _ in
            2
        }
        var machine = LaunchStateMachine(graph: try graph.validated(), settings: .init())
        // Both end within the begin, and the first stops the launch.
        machine.cancelOperation(0, at: 0)
        machine.cancelOperation(1, at: 0)
        machine.input(at: 0) { $0.begin() }
        #expect(machine.nodes.map(\.outcome) == [.cancelled, .cancelled])
        #expect(machine.actions.fallbacks.isEmpty && machine.actions.isOver)
    }

    @Test("fault O56: a fallback has its own time, and is cancelled by a launch that stops, not by its step's timeout")
    func fallbackIsAsked() async throws {
        let answers = Locked<[String]>([])
        var graph = OperationGraph("asked")
        graph.add("slow", .timeout(.seconds(2))) { (launch: StepContext) async throws in
            try await launch.sleep(for: .seconds(60))
            return 0
        } fallback: { launch, _ in
            answers.withLock { $0.append("\(launch.isCancelled) \(launch.remainingTime ?? .zero)") }
            return 1
        }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["slow"]?.outcome == .fellBack)
        #expect(answers.withLock { $0 } == ["false 2.0 seconds"])
    }
}
