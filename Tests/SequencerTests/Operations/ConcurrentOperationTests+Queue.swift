import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// In a plain queue.
extension ConcurrentOperationTests {
    @Test(
        "fault L65: a dependent that was started by hand, has ended and is freed leaves nothing behind in its predecessor, which ends later"
    )
    func startedByHand() async {
        await #expect(processExitsWith: .success) {
            let predecessor = ConcurrentOperation()
            for _ in 0..<1_000 {
                let dependent = ConcurrentOperation()
                dependent.addDependency(predecessor)
                dependent.start()
                #expect(dependent.isFinished)
            }
            // What was theirs is somebody else's now.
            let others = (0..<1_000).map { _ in [UInt8](repeating: 0xA5, count: 200) }
            predecessor.start()
            #expect(predecessor.isFinished && others.count == 1_000)
        }
    }

    @Test("a dependent waits for all its predecessors, and starts when they failed, were cancelled or finished early")
    func fanIn() async {
        let queue = OperationQueue()
        let predecessors = (0..<100).map { index in
            TestOperation { operation in
                if index.isMultiple(of: 3) { return operation.finish(throwing: TestError(index)) }
                elsewhere.async { operation.finish() }
            }
        }
        for index in stride(from: 1, to: 100, by: 5) { predecessors[index].cancel() }
        for index in stride(from: 2, to: 100, by: 5) { predecessors[index].finish() }
        let last = TestOperation { operation in
            #expect(predecessors.allSatisfy { $0.isFinished && !$0.isExecuting })
            operation.finish()
        }
        for predecessor in predecessors { last.addDependency(predecessor) }
        queue.addOperation(last)
        for predecessor in predecessors { queue.addOperation(predecessor) }
        await waitForAll(in: queue)
        #expect(last.isFinished && last.mainCount == 1 && last.dependencies.count == 100)
    }

    @Test("cancelAllOperations() ends what waits without running it, and what runs once it says so")
    func cancelAll() async {
        // queue:   running ──────────── cancelled, finish
        //          waiting × 50 (dependents of running) ── cancelled, ended, freed
        let queue = OperationQueue()
        let running = TestOperation()
        let started = Signal()
        running.didEnterMain.withLock { $0 = started.fire }
        queue.addOperation(running)
        await started.fired()

        let mainCalls = Locked(0)
        let freed = Countdown(50)
        for _ in 0..<50 {
            let waiting = TestOperation { operation in
                mainCalls.withLock { $0 += 1 }
                operation.finish()
            }
            waiting.deinitHandler.withLock { $0 = freed.countDown }
            waiting.addDependency(running)
            queue.addOperation(waiting)
        }
        queue.cancelAllOperations()
        await freed.reachedZero()
        #expect(running.isExecuting && !running.isFinished && running.cancelCount == 1)
        #expect(mainCalls.withLock { $0 } == 0)

        // Its dependents are gone; that the end reaches for none of them is the point.
        running.finish()
        await waitForAll(in: queue)
        #expect(running.isFinished && running.isCancelled)
    }

    @Test("fault L65: cancelled dependents may end and be freed at the very moment their predecessor finishes")
    func cancelAllRacesFinish() async {
        for _ in 0..<Nightly.times(day: 20, night: 300) {
            let queue = OperationQueue()
            let predecessors = (0..<2).map { _ in TestOperation() }
            let freed = Countdown(20)
            for _ in 0..<20 {
                let dependent = TestOperation { $0.finish() }
                dependent.deinitHandler.withLock { $0 = freed.countDown }
                for predecessor in predecessors { dependent.addDependency(predecessor) }
                queue.addOperation(dependent)
            }
            for predecessor in predecessors { predecessor.start() }
            await onThreads(2) { thread in
                if thread == 0 {
                    queue.cancelAllOperations()
                } else {
                    for predecessor in predecessors { predecessor.finish() }
                }
            }
            await waitForAll(in: queue)
            await freed.reachedZero()
            #expect(predecessors.allSatisfy { $0.isFinished })
        }
    }

    @Test("fault L65: a dependent that is freed without ever having run does not take its predecessor down")
    func dependentNeverRan() {
        let predecessor = TestOperation { $0.finish() }
        for _ in 0..<50 {
            TestOperation().addDependency(predecessor)
        }
        predecessor.start()
        #expect(predecessor.isFinished)
    }
}
