import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps

/// How a launch is started.
@Suite("Behaviours: the start", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StartTests {
    @Test("A36: start() returns on the main thread before anything has run there, and leaves it free while every lane is blocked")
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

    @Test("E6: start() returns before any of 50 operations has come to its end", arguments: [1, 4, 50])
    func returnsBeforeTheFirstEnd(lanes: Int) async throws {
        // The gate is opened by who called start(): if that waited for any operation, it would wait as long as a test is patient. If it ran one
        // itself, that would be on its own thread.
        let gate = Gate()
        let starter = Locked<ObjectIdentifier?>(nil)
        let note: @Sendable () -> Void = {
            if starter.withLock({ $0 == ObjectIdentifier(Thread.current) }) { Issue.record("start() runs an operation") }
        }
        let ended = Locked(0)
        var graph = OperationGraph("fifty")
        for index in 0..<50 {
            let after = index < 30 ? [] : ["op\(index - 30)"]
            if index.isMultiple(of: 2) {
                graph.add("op\(index)", after: after) {
                    note()
                    gate.block()
                    ended.withLock { $0 += 1 }
                }
            } else {
                graph.add("op\(index)", after: after) {
                    await gate.wait()
                    ended.withLock { $0 += 1 }
                }
            }
        }
        starter.withLock { $0 = ObjectIdentifier(Thread.current) }
        let launch = try graph.start(options: LaunchOptions(lanes: lanes))
        starter.withLock { $0 = nil }
        #expect(ended.withLock { $0 } == 0)
        #expect(launch.status.operations.count == 50)
        gate.open()
        #expect(await launch.end().report.outcome == .completed)
        #expect(ended.withLock { $0 } == 50)
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
