import Foundation
import Testing

@testable import Sequencer

/// Races, and what is left in memory.
extension ConcurrentOperationTests {
    @Test("a cancel that races a finish either wins, and the work hears of it, or leaves no trace")
    func cancelRacesFinish() async {
        let operations = (0..<5_000).map { _ in TestOperation() }
        for operation in operations { operation.start() }
        await onThreads(2) { thread in
            for operation in operations {
                if thread == 0 { operation.cancel() } else { operation.finish() }
            }
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.surplusFinishCount == 0 })
        #expect(operations.allSatisfy { $0.cancelCount == ($0.isCancelled ? 1 : 0) })
    }

    @Test("a cancel that races a start either prevents main(), or reaches the work")
    func cancelRacesStart() async {
        let operations = (0..<5_000).map { _ in TestOperation(didCancel: { $0.finish() }) }
        await onThreads(2) { thread in
            for operation in operations {
                if thread == 0 { operation.cancel() } else { operation.start() }
            }
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.isCancelled && $0.surplusFinishCount == 0 })
        #expect(operations.allSatisfy { $0.mainCount == $0.cancelCount })
    }

    @Test("an ended operation is freed, though its handlers captured it", arguments: Ending.allCases)
    func freedAfterEnd(_ ending: Ending) async {
        let freed = Signal()
        await onThread {
            let operation = TestOperation()
            operation.deinitHandler.withLock { $0 = freed.fire }
            operation.whenEnded { _ in _ = operation.isFinished }
            operation.onSurplusFinish { _ in }
            ending.end(operation, start: { operation.start() })
        }
        await freed.fired()
    }

    @Test("A33: an operation that is dropped while it runs is freed, and its late finish reaches nobody")
    func droppedMidFlight() {
        let later = Locked<[@Sendable () -> Void]>([])
        weak let dropped = { () -> TestOperation in
            let operation = TestOperation { operation in
                later.withLock { $0.append { [weak operation] in operation?.finish() } }
            }
            operation.whenEnded { _ in Issue.record("an operation that never ended called its handler") }
            operation.start()
            #expect(operation.isExecuting)
            return operation
        }()
        #expect(dropped == nil)
        for finish in later.withLock({ $0 }) { finish() }
    }

    @Test("A33, fault O14: an operation may free its owner while it runs, and the queue keeps it alive to its end")
    func ownerFreedMidRun() async {
        let owner = Locked<Owner?>(nil)
        let freed = Signal()
        let queue = OperationQueue()
        do {
            let operation = TestOperation { operation in
                _ = owner.withLock { $0.take() }
                elsewhere.async { [weak operation] in operation?.finish() }
            }
            operation.deinitHandler.withLock { $0 = freed.fire }
            owner.withLock { $0 = Owner(operation) }
            queue.addOperation(operation)
        }
        await freed.fired()
        await waitForAll(in: queue)
        #expect(owner.withLock { $0 == nil })
    }
}
