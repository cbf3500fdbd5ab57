import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// Steps that are told to cancel before they have suspended, that cancel themselves, and that claim to have been cancelled.
@Suite("Faults in the cancellation of steps", .serialized, .timeLimit(.minutes(30)), .real)
struct RealStepCancellationFaultTests {
    /// Works without suspending until the task is told to cancel, or gives up.
    static func workUntilCancelled() -> Bool {
        let limit = ContinuousClock.now + patience
        while !Task.isCancelled, ContinuousClock.now < limit { sched_yield() }
        return Task.isCancelled
    }

    enum Teller: CaseIterable {
        case timeout, deadline, abort, cancelLaunch, cancelOperation
    }

    @Test("fault O42: a step that has not suspended yet sees that it is told to cancel", arguments: Teller.allCases, [true, false])
    func beforeItSuspends(_ teller: Teller, startsTasksAtOnce: Bool) async throws {
        var limit = Duration.milliseconds(20)
        // On a slow machine it comes before the step has begun, whose code then never runs: a later one is tried.
        while true {
            let told = try await told(by: teller, limit: limit, startsTasksAtOnce: startsTasksAtOnce)
            if told.isEmpty, teller == .deadline || teller == .timeout, limit < patience {
                limit *= 8
                continue
            }
            #expect(told == [true])
            return
        }
    }

    /// Whether a step that works without suspending saw that it was told to cancel; nothing if it did not begin.
    func told(by teller: Teller, limit: Duration, startsTasksAtOnce: Bool) async throws -> [Bool] {
        let (begun, ended) = (Gate(), Gate())
        let (hasBegun, told) = (Locked(false), Locked<[Bool]>([]))
        var graph = OperationGraph("deaf")
        // The third of three that can share a task.
        let first = graph.add("first") { await Self.nothing() }
        let second = graph.add("second", after: first) { await Self.nothing() }
        let timeout: [StepOption] = teller == .timeout ? [.timeout(limit)] : []
        graph.add("busy", .all(timeout), after: second) {
            hasBegun.withLock { $0 = true }
            begun.open()
            await Self.nothing()
            let answer = Self.workUntilCancelled()
            told.withLock { $0.append(answer) }
            ended.open()
        }
        graph.add("stopper", after: second) { (launch: StepContext) async throws in
            guard teller == .abort else { return }
            await begun.wait()
            launch.abort("stop")
        }
        var options = LaunchOptions(lanes: 4, deadline: teller == .deadline ? .after(limit) : .never, grace: .seconds(30))
        options.startsTasksAtOnce = startsTasksAtOnce
        let launch = try graph.start(options: options)
        switch teller {
        case .cancelLaunch:
            await begun.wait()
            launch.cancel()
        case .cancelOperation:
            await begun.wait()
            try launch.cancel("busy")
        case .timeout, .deadline, .abort: break
        }
        _ = await launch.end()
        if hasBegun.withLock({ $0 }) { await ended.wait() }
        return told.withLock { $0 }
    }

    @Test("fault O42: a step on the main thread sees that it is told to cancel before it has suspended", arguments: [true, false])
    func onTheMainThread(startsTasksAtOnce: Bool) async throws {
        var timeout = Duration.milliseconds(5)
        // As above.
        while true {
            let ended = Gate()
            let (hasBegun, told) = (Locked(false), Locked<[Bool]>([]))
            var graph = OperationGraph("deaf-main")
            graph.add("busy", .timeout(timeout), on: .main) {
                hasBegun.withLock { $0 = true }
                let answer = Self.workUntilCancelled()
                told.withLock { $0.append(answer) }
                ended.open()
            }
            var options = LaunchOptions()
            options.startsTasksAtOnce = startsTasksAtOnce
            _ = try await graph.run(options: options)
            if hasBegun.withLock({ $0 }) {
                await ended.wait()
            } else if timeout < patience {
                timeout *= 8
                continue
            }
            #expect(told.withLock { $0 } == [true])
            return
        }
    }

    @Test("fault O44: a step that cancels its own task cancels no other step's")
    func ownTask() async throws {
        let seen = Locked<[String: Bool]>([:])
        var graph = OperationGraph("own-task")
        let suicidal = graph.add("suicidal") {
            await Self.nothing()
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let next = graph.add("next", after: suicidal) {
            await Self.nothing()
            seen.withLock { $0["next"] = Task.isCancelled }
            try Task.checkCancellation()
        }
        graph.add("last", after: next) {
            await Self.nothing()
            seen.withLock { $0["last"] = Task.isCancelled }
        }
        let report = try await graph.run(options: LaunchOptions(lanes: 1)).report
        #expect(seen.withLock { $0 } == ["next": false, "last": false])
        #expect(report.outcome == .completed)
    }

    @Test("fault O43: a CancellationError that nobody asked for is a failure, and is tried again", arguments: [0, 1, 2])
    func unaskedCancellation(kind: Int) async throws {
        let attempts = Locked(0)
        let body: @Sendable () throws -> Void = {
            let attempt = attempts.withLock {
                $0 += 1
                return $0
            }
            if attempt < 3 { throw CancellationError() }
        }
        var graph = OperationGraph("unasked")
        switch kind {
        case 0: graph.add("only", .retry(attempts: 3, backoff: .zero)) { try body() }
        case 1:
            graph.add("only", .retry(attempts: 3, backoff: .zero)) {
                await Self.nothing()
                try body()
            }
        default: graph.add("only", .retry(attempts: 3, backoff: .zero), on: .main) { try body() }
        }
        let report = try await graph.run().report
        #expect(report["only"]?.outcome == .succeeded)
        #expect(report["only"]?.attempts == 3)
    }

    @Test("fault O43: without a retry, it fails with that error; told to cancel, or cancelling its own task, a step ends as cancelled")
    func cancellationByWhom() async throws {
        var graph = OperationGraph("by-whom")
        graph.add("unasked", .onFailure(.continue)) { throw CancellationError() }
        graph.add("by-itself", .onFailure(.continue)) {
            await Self.nothing()
            withUnsafeCurrentTask { $0?.cancel() }
            try Task.checkCancellation()
        }
        graph.add("aborter", after: "unasked", "by-itself") { (launch: StepContext) throws in
            launch.abort("stop")
            throw CancellationError()
        }
        let report = try await graph.run().report
        #expect(report.operations.map(\.outcome) == [.failed, .cancelled, .cancelled])
        #expect(report["unasked"]?.message == "CancellationError()")
    }

    static func nothing() async {}
}
