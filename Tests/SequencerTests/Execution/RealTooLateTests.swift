import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// A step is taken, its start is told, and only then its code begins: an observer that takes its time lies between the two.
@Suite("No code of a step begins too late", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTooLateTests {
    enum Kind: CaseIterable, Sendable {
        case synchronous, withContext, asynchronous, sharedTask, operation, makesOperation, main, mainOperation, conditional
    }

    enum Stopper: CaseIterable, Sendable {
        case cancelStep, cancelLaunch, abort, timeout
    }

    @Test(
        "none of its code begins after an abort, after its own timeout, or when it was cancelled, on lanes as on the main thread",
        arguments: Kind.allCases,
        Stopper.allCases
    )
    func afterTheStop(_ kind: Kind, _ stopper: Stopper) async throws {
        // Another thread may be telling events just then: then the step does not wait for this one to be told, and begins before.
        for _ in 0..<Nightly.times(day: 1, night: 5) { try await launch(kind, stopper) }
    }

    private func launch(_ kind: Kind, _ stopper: Stopper) async throws {
        let box = LaunchBox()
        let (mayAbort, aborterBegan) = (Gate(), Gate())
        let (isStopped, begun) = (Locked(false), Locked<[Bool]>([]))
        /// The code of the step.
        let begin: @Sendable () -> Void = {
            let isLate = isStopped.withLock { $0 }
            begun.withLock { $0.append(isLate) }
        }

        var graph = OperationGraph("late")
        graph.add("aborter") { (launch: StepContext) in
            aborterBegan.open()
            guard stopper == .abort else { return }
            // On a thread of its own, so that it needs none of those that the observer may block.
            mayAbort.block()
            launch.abort("stop")
        }
        let first = graph.add("first") { () async throws -> Void in
            _ = try await box.launch()
            await aborterBegan.wait()
        }
        let before: Step<Void>
        if kind == .sharedTask {
            before = graph.add("before", after: first) { await Self.nothing() }
        } else {
            before = graph.add("before", after: first) {}
        }
        let timeout: [StepOption] = stopper == .timeout ? [.timeout(.milliseconds(20))] : []
        let options = StepOption.all(timeout + [.onFailure(.continue)])
        switch kind {
        case .synchronous: graph.add("busy", options, after: before) { begin() }
        case .withContext: graph.add("busy", options, after: before) { (_: StepContext) in begin() }
        case .asynchronous, .sharedTask:
            graph.add("busy", options, after: before) { () async -> Void in
                begin()
                await Self.nothing()
            }
        case .operation: graph.add(BlockOperation(block: begin), id: "busy", options, after: before)
        case .makesOperation:
            graph.addOperation("busy", options, after: before) { _ in
                begin()
                return BlockOperation {}
            }
        case .main: graph.add("busy", options, after: before, on: .main) { begin() }
        case .mainOperation: graph.add(BlockOperation(block: begin), id: "busy", options, after: before, on: .main)
        case .conditional: graph.add("busy", options, .when { true }, after: before) { begin() }
        }

        var launchOptions = LaunchOptions(lanes: 2, deadline: .patience, grace: .patience)
        launchOptions.observers.append { event in
            guard case .started("busy", _) = event.kind, let launch = box.current else { return }
            switch stopper {
            case .cancelStep: try? launch.cancel("busy")
            case .cancelLaunch: launch.cancel()
            case .abort: mayAbort.open()
            case .timeout: break
            }
            // It blocks its thread until the launch has told the step to cancel, or has ended it.
            let limit = ContinuousClock.now + patience
            while launch.status.operations.contains(where: { $0.id == "busy" && !$0.isToldToCancel }), ContinuousClock.now < limit {
                Thread.sleep(forTimeInterval: 0.001)
            }
            isStopped.withLock { $0 = true }
        }
        let launch = try box.start(graph, options: launchOptions)
        let report = await launch.end().report
        box.empty()
        // The thread of a step that has timed out comes back later, perhaps by way of its code.
        await eventually { launch.storage.state.withLock { $0.machine.replacedWorkers.isEmpty } }
        #expect(!begun.withLock { $0 }.contains(true), "\(kind) began after \(stopper)")
        if begun.withLock({ $0.isEmpty }) {
            #expect(report["busy"]?.outcome == (stopper == .timeout ? .timedOut : .cancelled))
            #expect(report.operationAnomalies.isEmpty)
        }
    }

    @Test("an operation that is to be started when the launch was aborted while it was being made is not started")
    func madeTooLate() async throws {
        let (isAborted, hasMade) = (Gate(), Gate())
        var graph = OperationGraph("made")
        graph.addOperation("made") { _ in
            hasMade.open()
            isAborted.block()
            return BlockOperation { Issue.record("it was started") }
        }
        graph.add("update") { (launch: StepContext) in
            hasMade.block()
            launch.abort(.forceUpdate)
            isAborted.open()
        }
        let report = try await graph.run(options: LaunchOptions(lanes: 2, deadline: .patience, grace: .patience)).report
        #expect(report.outcome == .aborted(by: "update", reason: .forceUpdate))
        #expect(report["made"]?.outcome == .cancelled)
    }

    private static func nothing() async {}
}
