import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// How a launch is started.
@Suite("Behaviours: the start", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StartTests {
    @Test("A36, E6: start() returns before anything has run, and leaves the main thread free while every lane is blocked")
    @MainActor
    func returnsAtOnce() async throws {
        // main:   start() ── returns, hasReturned ── splash (needs the main thread) opens the gate
        // lanes:  blocked ──────────────────────────────────────────────────────────▶ end
        let gate = Gate()
        let hasReturned = Locked(false)
        var graph = OperationGraph("start")
        for index in 0..<4 { graph.add("blocked\(index)") { gate.block() } }
        graph.add("splash", on: .main) {
            #expect(hasReturned.withLock { $0 })
            gate.open()
        }
        let launch = try graph.start(options: LaunchOptions(lanes: 4))
        hasReturned.withLock { $0 = true }
        #expect(await launch.end().report.outcome == .completed)
    }

    /// Who may start a launch.
    enum Starter: CaseIterable {
        case mainThread, thread, serialQueue, globalQueue, task, operation

        func perform(_ body: @escaping @Sendable () -> Void) {
            switch self {
            case .mainThread: DispatchQueue.main.async(execute: body)
            case .thread: Thread.detachNewThread(body)
            case .serialQueue: DispatchQueue(label: "starter").async(execute: body)
            case .globalQueue: DispatchQueue.global().async(execute: body)
            case .task: Task.detached { body() }
            case .operation: OperationQueue().addOperation(body)
            }
        }
    }

    @Test("E4: a launch can be started from anywhere: what belongs on the main thread runs there all the same", arguments: Starter.allCases)
    func startedFromAnywhere(starter: Starter) async throws {
        let wrong = Locked<[String]>([])
        let steps = StartupSteps.simulated().observed { step in
            if isOnMain() != step.isOnMain { wrong.withLock { $0.append(step.id) } }
        }
        let graph = graph(of: .regular, steps)
        let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
        let report: LaunchReport? = await callback(orElse: nil) { done in
            starter.perform {
                do {
                    try graph.start(budget: .seconds(3), options: options) { done($0.report) }
                } catch {
                    Issue.record(error)
                    done(nil)
                }
            }
        }
        #expect(report?.outcome == .completed)
        #expect(wrong.withLock { $0 } == [])
    }
}
