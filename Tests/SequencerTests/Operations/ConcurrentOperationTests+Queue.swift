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
}
