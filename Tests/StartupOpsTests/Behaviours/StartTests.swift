import Dispatch
import Foundation
import Sequencer
import StartupOps
import TestSupport
import Testing

/// How a launch is started.
@Suite("Behaviours: the start", .serialized, .timeLimit(.minutes(10)))
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
        let sequencer = Sequencer(graph, options: LaunchOptions(lanes: 4))
        try sequencer.start()
        hasReturned.withLock { $0 = true }
        let report = await sequencer.report()
        #expect(report?.outcome == .completed)
    }

    @Test("E6: start() returns before any of 50 operations has come to its end", arguments: [1, 4, 50])
    func returnsBeforeTheFirstEnd(lanes: Int) async throws {
        // The gate is opened by who called start(): if that waited for any operation, it would wait for ever.
        let gate = Gate()
        let ended = Locked(0)
        var graph = OperationGraph("fifty")
        for index in 0..<50 {
            let after = index < 30 ? [] : ["op\(index - 30)"]
            if index.isMultiple(of: 2) {
                graph.add("op\(index)", after: after) {
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
        let sequencer = Sequencer(graph, options: LaunchOptions(lanes: lanes))
        try sequencer.start()
        #expect(ended.withLock { $0 } == 0)
        gate.open()
        let report = await sequencer.report()
        #expect(report?.outcome == .completed)
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
        let operations = StartupOperations.simulated().observed { step in
            if isOnMain() != step.isOnMain { wrong.withLock { $0.append(step.id) } }
        }
        let sequencer = Sequencer(graph(of: .regular, operations), options: LaunchOptions(clock: VirtualClock(patience: .seconds(20))))
        let report: LaunchReport? = await withCheckedContinuation { continuation in
            starter.perform {
                do {
                    try sequencer.start { continuation.resume(returning: $0) }
                } catch {
                    Issue.record(error)
                    continuation.resume(returning: nil)
                }
            }
        }
        #expect(report?.outcome == .completed)
        #expect(wrong.withLock { $0 } == [])
    }
}
