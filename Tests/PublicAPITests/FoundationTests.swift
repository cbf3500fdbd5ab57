import Foundation
import Sequencer
import TestSupport
import Testing

/// Operations that an app has already, as steps.
@Suite("Public API: Foundation's operations", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FoundationTests {
    /// Ends on another thread, as one that waits for a delegate does.
    private final class Request: ConcurrentOperation, @unchecked Sendable {
        // @unchecked: set before it starts.
        private let failure: (any Error)?
        init(failsWith failure: (any Error)? = nil) { self.failure = failure }
        override func main() {
            DispatchQueue.global().async { [self] in
                if let failure { finish(throwing: failure) } else { finish() }
            }
        }
    }

    @Test("F1: an operation is a step: it waits for its dependencies, and its dependents for it")
    func operation() async throws {
        let order = OperationQueue()
        order.maxConcurrentOperationCount = 1
        nonisolated(unsafe) var seen: [String] = []  // Only `order` touches it, one at a time, and the test when all have ended.
        let note: @Sendable (String) -> Void = { name in
            order.addOperations([BlockOperation { seen.append(name) }], waitUntilFinished: true)
        }
        var graph = OperationGraph("foundation")
        graph.add("before") { note("before") }
        graph.add(BlockOperation { note("operation") }, id: "operation", after: "before")
        graph.add("after", .milestone, after: "operation") { note("after") }
        #expect(try await graph.run().report.outcome == .completed)
        #expect(seen == ["before", "operation", "after"])
    }

    @Test("F1: an operation that ends elsewhere ends its step; its error is the step's")
    func concurrent() async throws {
        var graph = OperationGraph("concurrent")
        graph.add(Request(), id: "works")
        graph.add(Request(failsWith: Trouble()), id: "fails", .onFailure(.continue))
        let report = try await graph.run().report
        #expect(report["works"]?.outcome == .succeeded && report["fails"]?.outcome == .failed)
        #expect(report["fails"]?.message?.contains("Trouble") == true)
    }

    @Test("F1: an operation can be made anew for each attempt")
    func made() async throws {
        var graph = OperationGraph("made")
        graph.addOperation("request", .retry(attempts: 2)) { launch in Request(failsWith: launch.attempt == 1 ? Trouble() : nil) }
        let report = try await graph.run().report
        #expect(report.outcome == .completed && report["request"]?.attempts == 2)
    }

    @Test("the same class works in a queue without a launch")
    func alone() async throws {
        let request = Request(failsWith: Trouble())
        await withCheckedContinuation { continuation in
            request.completionBlock = { continuation.resume() }
            OperationQueue().addOperation(request)
        }
        #expect(request.isFinished && request.error is Trouble)
    }

    /// Leaves the number after the one it was given, and says so if it is in a launch.
    private final class Next: ValueOperation<Int>, @unchecked Sendable {
        // @unchecked: immutable after init.
        private let number: Int
        init(after number: Int) { self.number = number }
        override func main() {
            stepContext?.note("after \(number)")
            finish(returning: number + 1)
        }
    }

    @Test("values go from operation to operation, on a lane and on the main thread; alone, an operation has its own")
    func values() async throws {
        var graph = OperationGraph("values")
        let one = graph.add(Next(after: 0), id: "one")
        let two = graph.addValueOperation("two", using: one, on: .main) { _, one in Next(after: one) }
        graph.add("three", using: two) { two in #expect(two == 2) }
        let launch = try await graph.run()
        #expect(try launch[two] == 2)
        #expect(launch.report["two"]?.notes == ["after 1"] && launch.report["two"]?.isMain == true)
        let alone = Next(after: 4)
        alone.start()
        #expect(alone.value == 5 && alone.stepContext == nil)
    }

    @Test("steps run in a queue of the app's: what is ready is in it by name, and runs as urgently; what is for the main thread is not")
    func appQueue() async throws {
        let queue = OperationQueue()
        queue.qualityOfService = .utility
        queue.isSuspended = true
        var graph = OperationGraph("queue")
        let one = graph.add(Next(after: 0), id: "one")
        let priority = graph.add("priority") { () async -> TaskPriority in
            await Task.yield()
            return Task.currentPriority
        }
        graph.add("later", after: one) {}
        graph.add(BlockOperation {}, id: "main", on: .main)
        let launch = try graph.start(options: LaunchOptions(queue: queue))
        #expect(queue.operations.map(\.name) == ["one", "priority"])
        queue.isSuspended = false
        let end = await launch.end()
        #expect(end.report.outcome == .completed)
        #expect(try end[one] == 1 && end[priority] == .utility)
        #expect(end.report.operations.map(\.isMain) == [false, false, false, true])
    }

    @Test("an operation that is in the app's queue or in the main queue is refused, by name, before anything runs")
    @MainActor
    func queued() async throws {
        let queue = OperationQueue()
        queue.isSuspended = true
        for other in [queue, .main] {
            let operation = BlockOperation {}
            other.addOperation(operation)
            var graph = OperationGraph("queued")
            graph.add("first") { Issue.record("it ran") }
            graph.add(operation, id: "fetch")
            let error = #expect(throws: GraphError.self) { try graph.start(options: LaunchOptions(queue: queue)) }
            #expect(error?.problems.map(\.code.description) == ["foreignOperation"])
            #expect(error?.description.contains("fetch: its Operation is in a queue") == true)
            // Nobody has taken it.
            operation.cancel()
        }
        queue.isSuspended = false
    }

    @Test("an operation that a queue starts during the launch fails its step, where Foundation would end the process")
    func startedByQueue() async throws {
        let (begun, goOn) = (ExternalEvent<Void>("begun"), DispatchSemaphore(value: 0))
        let (queue, operation) = (OperationQueue(), BlockOperation())
        operation.addExecutionBlock {
            begun.fulfill()
            goOn.wait()
        }
        var graph = OperationGraph("started")
        let before = graph.add("before") {
            queue.addOperation(operation)
            try await begun.value
        }
        graph.add(operation, id: "fetch", after: before)
        let report = try await graph.run().report
        goOn.signal()
        #expect(report["fetch"]?.outcome == .failed)
        #expect(report["fetch"]?.message == "its Operation runs already; an Operation runs once, make a new one each time")
    }
}
