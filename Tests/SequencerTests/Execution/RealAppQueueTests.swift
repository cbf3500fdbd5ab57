import Dispatch
import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// Launches whose steps run in an operation queue that the app made.
@Suite("Launches in the app's queue", .serialized, .timeLimit(.minutes(30)), .real)
struct RealAppQueueTests {
    private func queue(width: Int = OperationQueue.defaultMaxConcurrentOperationCount, isSuspended: Bool = false) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = width
        queue.isSuspended = isSuspended
        return queue
    }

    private func options(_ queue: OperationQueue, deadline: LaunchOptions.Deadline = .patience, lanes: Int? = nil) -> LaunchOptions {
        LaunchOptions(lanes: lanes, deadline: deadline, seed: 1, queue: queue)
    }

    /// A queue of the app's that does not come back from what it is asked.
    private final class StuckQueue: OperationQueue, @unchecked Sendable {
        let gate = Gate()
        override func addOperation(_ operation: Operation) { gate.block() }
    }

    /// A queue of the app's that takes one operation and no other.
    private final class FullQueue: OperationQueue, @unchecked Sendable {
        let gate = Gate()
        private let isFull = Locked(false)

        override func addOperation(_ operation: Operation) {
            let isFull = isFull.withLock { isFull in
                defer { isFull = true }
                return isFull
            }
            if isFull { gate.block() }
            super.addOperation(operation)
        }
    }

    @Test("fault L67: an app's queue that blocks when the milestone has ended keeps nobody from hearing of that")
    func fullQueue() async throws {
        let queue = FullQueue()
        var graph = OperationGraph("full")
        graph.add("home", .milestone) {}
        graph.add("never", after: "home") {}
        let launch = try graph.start(options: options(queue))
        #expect(await launch.milestone["home"]?.outcome == .succeeded)
        launch.cancel()
        let report = await launch.end().report
        #expect(report.outcome == .completed && report.afterMilestone?.outcome == .cancelled && report["never"]?.outcome == .cancelled)
        queue.gate.open()
    }

    @Test("fault L67: an app's queue that blocks keeps neither the start nor the end of its launch from returning")
    func stuckQueue() async throws {
        let queue = StuckQueue()
        var graph = OperationGraph("stuck")
        graph.add("never") {}
        let report = try await graph.run(options: options(queue, deadline: .milliseconds(20))).report
        #expect(report["never"]?.outcome != .succeeded && report.outcome != .completed)
        queue.gate.open()
    }

    @Test("the queue's width counts: one at a time, also while an operation is suspended", arguments: [1, 2])
    func width(_ width: Int) async throws {
        let running = Locked((now: 0, most: 0))
        var graph = OperationGraph("width")
        for index in 0..<20 {
            graph.add("op\(index)") { step in
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                try await step.sleep(for: .milliseconds(1))
                running.withLock { $0.now -= 1 }
            }
        }
        let report = try await graph.run(options: options(queue(width: width))).report
        #expect(report.outcome == .completed)
        #expect(running.withLock { $0.most } <= width)
    }

    @Test("of what is ready the longest remaining path goes first, whatever was in the queue before")
    func order() async throws {
        let order = Locked<[String]>([])
        var graph = OperationGraph("order")
        let note: @Sendable (StepContext) -> Void = { step in order.withLock { $0.append(step.operation) } }
        graph.add("short", .expected(.milliseconds(1))) { note($0) }
        graph.add("first", .expected(.milliseconds(10))) { note($0) }
        graph.add("second", .expected(.milliseconds(100)), after: "first") { note($0) }
        let report = try await graph.run(options: options(queue(width: 1))).report
        #expect(report.outcome == .completed)
        #expect(order.withLock { $0 } == ["first", "second", "short"])
    }

    @Test("the queue's underlying queue is where steps run")
    func underlyingQueue() async throws {
        let mark = DispatchSpecificKey<Bool>()
        let underlying = DispatchQueue(label: "app")
        underlying.setSpecific(key: mark, value: true)
        let queue = queue()
        queue.underlyingQueue = underlying
        var graph = OperationGraph("underlying")
        for index in 0..<10 { graph.add("op\(index)") { #expect(DispatchQueue.getSpecific(key: mark) == true) } }
        #expect(try await graph.run(options: options(queue)).report.outcome == .completed)
    }

    // MARK: Suspension

    @Test("while the queue is suspended only what is ready is in it, by name, and nothing starts; then everything does")
    func suspended() async throws {
        let queue = queue(isSuspended: true)
        let started = Locked<[String]>([])
        var graph = OperationGraph("suspended")
        let first = graph.add("first", .expected(.seconds(1))) { started.withLock { $0.append("first") } }
        graph.add("second") { started.withLock { $0.append("second") } }
        graph.add("third", after: first) { started.withLock { $0.append("third") } }
        let launch = try graph.start(options: options(queue))
        #expect(queue.operations.map(\.name) == ["first", "second"])
        #expect(queue.operations.allSatisfy { $0.isReady && $0.dependencies.isEmpty && !$0.isExecuting })
        #expect(launch.status.operations.map(\.wait) == [.operationQueue, .operationQueue, .dependencies(["first"])])
        #expect(launch.status.description.contains("waits for the operation queue, which is suspended"))
        #expect(started.withLock { $0.isEmpty })
        queue.isSuspended = false
        #expect(await launch.end().report.outcome == .completed)
        #expect(Set(started.withLock { $0 }) == ["first", "second", "third"])
    }

    @Test("a suspended queue does not keep a launch from its deadline; what was in it ends without having run, and keeps nothing")
    func suspendedForEver() async throws {
        let queue = queue(isSuspended: true)
        weak var storage: LaunchStorage?
        do {
            var graph = OperationGraph("suspended")
            for index in 0..<3 { graph.add("op\(index)") { Issue.record("it was started") } }
            let launch = try graph.start(options: options(queue, deadline: .milliseconds(1)))
            storage = launch.storage
            let report = await launch.end().report
            #expect(report.outcome != .completed)
            #expect(report.operations.allSatisfy { $0.outcome == .cancelled && $0.start == nil })
        }
        await eventually { storage == nil }
        queue.isSuspended = false
        await eventually { queue.operationCount == 0 }
    }

    // MARK: Cancellation

    @Test("cancelling an operation cancels its step: one that runs, and one that waits")
    func cancelled() async throws {
        let queue = queue(width: 1)
        let begun = Gate()
        var graph = OperationGraph("cancelled")
        graph.add("runs", .onFailure(.continue), .expected(.seconds(2))) { step in
            begun.open()
            try await step.sleep(for: .patience)
        }
        graph.add("waits", .onFailure(.continue), .expected(.seconds(1))) { Issue.record("it was started") }
        graph.add("last", after: "runs", "waits") {}
        let launch = try graph.start(options: options(queue))
        await begun.wait()
        #expect(queue.operations.map(\.name) == ["runs", "waits"])
        queue.operations.first { $0.name == "waits" }?.cancel()
        queue.operations.first { $0.name == "runs" }?.cancel()
        let report = await launch.end().report
        #expect(report.operations.map(\.outcome) == [.cancelled, .cancelled, .succeeded])
    }

    @Test("fault L70: operations that were cancelled in a suspended queue keep nothing of their launch")
    func cancelledForEver() async throws {
        let queue = queue(isSuspended: true)
        weak var storage: LaunchStorage?
        do {
            var graph = OperationGraph("cancelled")
            for index in 0..<3 { graph.add("op\(index)", .onFailure(.continue)) { Issue.record("it was started") } }
            let launch = try graph.start(options: options(queue))
            storage = launch.storage
            queue.cancelAllOperations()
            #expect(await launch.end().report.operations.map(\.outcome) == [.cancelled, .cancelled, .cancelled])
        }
        await eventually { storage == nil }
        #expect(queue.operationCount == 3)
        queue.isSuspended = false
        await eventually { queue.operationCount == 0 }
    }

    @Test("a queue whose operations are cancelled while they start drains, and the launch ends", arguments: [1, 4])
    func cancelAllRaces(width: Int) async throws {
        for _ in 0..<Nightly.times(day: 10, night: 50) {
            let queue = queue(width: width)
            var graph = OperationGraph("race")
            for index in 0..<40 {
                let before: [String] = index < 10 ? [] : ["op\(index - 10)"]
                if index.isMultiple(of: 2) {
                    graph.add("op\(index)", .onFailure(.continue), after: before) {}
                } else {
                    graph.add("op\(index)", .onFailure(.continue), after: before) { step in try await step.sleep(for: .microseconds(10)) }
                }
            }
            let launch = try graph.start(options: options(queue))
            await onThreads(2) { _ in
                for _ in 0..<20 { queue.cancelAllOperations() }
            }
            let report = await launch.end().report
            #expect(report.outcome == .completed)
            #expect(report.operations.allSatisfy { $0.outcome == .succeeded || $0.outcome == .cancelled })
            await eventually { queue.operationCount == 0 }
        }
    }

    @Test("an operation that is cancelled alone takes the step of its name with it, and leaves the other names as they are")
    func cancelledByName() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        var graph = OperationGraph("names")
        for number in 0..<200 { graph.add("\(number)", .onFailure(.continue), .expected(.milliseconds(1 + number * 7 % 200))) {} }
        let launch = try graph.start(options: LaunchOptions(deadline: .patience, queue: queue))
        let operations = queue.operations
        let names = operations.map { $0.name ?? "" }
        #expect(Set(names) == Set(graph.identifiers))
        var random = SplitMix64(seed: 7)
        let cancelled = Array(operations.indices).shuffled(using: &random).prefix(100)
        for (number, index) in cancelled.enumerated() {
            operations[index].cancel()
            guard number % 10 == 0 else { continue }
            let left = operations.indices.filter { !cancelled.prefix(number + 1).contains($0) }
            #expect(left.map { operations[$0].name } == left.map { names[$0] })
        }
        queue.isSuspended = false
        let report = await launch.end().report
        let ended = Set(report.operations.filter { $0.outcome == .cancelled }.map(\.id))
        #expect(report.outcome == .completed && ended == Set(cancelled.map { names[$0] }))
    }

    // MARK: Misbehaviour

    @Test("a step that blocks its thread gives its place in the queue back at its timeout")
    func blocked() async throws {
        let gate = Gate()
        let queue = queue(width: 1)
        var graph = OperationGraph("blocked")
        graph.add("blocks", .timeout(.milliseconds(1)), .onFailure(.continue), .expected(.seconds(1))) { gate.block() }
        graph.add("next") {}
        let launch = try await graph.run(options: options(queue))
        #expect(launch.report.operations.map(\.outcome) == [.timedOut, .succeeded])
        #expect(launch.report.threadsLeftBehind == 1)
        gate.open()
        await eventually { queue.operationCount == 0 }
    }

    // MARK: What is refused, and what is not used

    @Test("the main queue is refused")
    func mainQueue() async throws {
        var graph = OperationGraph("main")
        graph.add("step") {}
        let error = await #expect(throws: GraphError.self) { try await graph.run(options: options(.main)) }
        #expect(error?.problems.map(\.code) == [.invalidOption])
        #expect(error?.description.contains("the queue must not be the main queue") == true)
    }

    @Test("in virtual time the clock runs the steps, and the queue is not used")
    func virtualTime() async throws {
        var graph = OperationGraph("virtual")
        graph.add("step") { step in try await step.sleep(for: .seconds(3600)) }
        let clock = VirtualClock(patience: .seconds(300))
        let report = try await graph.run(options: LaunchOptions(deadline: .never, clock: clock, queue: queue(isSuspended: true))).report
        #expect(report.outcome == .completed && report.makespan == .seconds(3600))
    }

}
