import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Concurrent operation", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ConcurrentOperationTests {
    // MARK: - Alone, without a queue

    @Test("A31: started by hand, it executes until finish(), wherever that comes from")
    func lifeWithoutQueue() async {
        let operation = TestOperation()
        #expect(operation.isAsynchronous)
        #expect(operation.isReady && !operation.isExecuting && !operation.isFinished)

        operation.start()
        #expect(operation.mainCount == 1)
        #expect(operation.isExecuting && !operation.isFinished)

        await onThread { operation.finish() }
        #expect(!operation.isExecuting && operation.isFinished)
        #expect(operation.error == nil && operation.surplusFinishCount == 0)
    }

    @Test("a default main() finishes at once")
    func defaultMain() {
        let operation = ConcurrentOperation()
        operation.start()
        #expect(operation.isFinished && !operation.isExecuting)
    }

    @Test("A32: main() may finish inline, and sees itself executing until then")
    func finishInline() {
        let operation = TestOperation { operation in
            #expect(operation.isExecuting && !operation.isFinished)
            operation.finish()
            #expect(!operation.isExecuting && operation.isFinished)
        }
        operation.start()
        #expect(operation.isFinished && operation.mainCount == 1)
    }

    @Test("A31: waitUntilFinished() returns, before and after the end, however the operation ended", arguments: Ending.allCases)
    func waitUntilFinished(_ ending: Ending) async {
        let operation = TestOperation()
        async let early: Void = onThread { operation.waitUntilFinished() }
        await onThread { ending.end(operation, start: { operation.start() }) }
        await early
        await onThread { operation.waitUntilFinished() }
        #expect(operation.isFinished && !operation.isExecuting)
    }

    @Test("A31: a completion block runs once, without a queue as well", arguments: Ending.allCases)
    func completionBlockWithoutQueue(_ ending: Ending) async {
        let operation = TestOperation()
        await confirmation { completed in
            await callback { done in
                operation.completionBlock = {
                    completed()
                    done()
                }
                ending.end(operation, start: { operation.start() })
                operation.finish()
                operation.start()
            }
        }
    }

    // MARK: - Cancelling

    @Test("didCancel() is called on the thread that cancels, sees the cancellation and may finish")
    func didCancelFinishes() async {
        let cancellingThread = Locked<ObjectIdentifier?>(nil)
        let operation = TestOperation(didCancel: { operation in
            #expect(operation.isCancelled && operation.isExecuting)
            cancellingThread.withLock { $0 = ObjectIdentifier(Thread.current) }
            operation.finish()
        })
        operation.start()
        await onThread {
            operation.cancel()
            #expect(cancellingThread.withLock { $0 } == ObjectIdentifier(Thread.current))
        }
        #expect(operation.isFinished && operation.cancelCount == 1)
    }

    @Test("fault O12: an operation may cancel itself in main()")
    func cancelInMain() {
        let operation = TestOperation(main: { $0.cancel() }, didCancel: { $0.finish() })
        operation.start()
        #expect(operation.isFinished && operation.isCancelled && operation.mainCount == 1 && operation.cancelCount == 1)
    }

    // MARK: - Errors and surplus calls

    @Test("the call of finish that counts decides about the error")
    func errors() {
        let failed = TestOperation { $0.finish(throwing: TestError(1)) }
        #expect(failed.error == nil)
        failed.start()
        failed.finish(throwing: TestError(2))
        failed.finish()
        #expect(failed.error as? TestError == TestError(1))
        #expect(failed.surplusFinishCount == 2)

        let succeeded = TestOperation { $0.finish() }
        succeeded.start()
        succeeded.finish(throwing: TestError(3))
        #expect(succeeded.error == nil)
        #expect(succeeded.surplusFinishCount == 1)
    }

    // MARK: - Knowing the end

    @Test("whenEnded handlers are called once, in order, when the end is visible", arguments: Ending.allCases)
    func whenEnded(_ ending: Ending) {
        let calls = Locked<[String]>([])
        let operation = TestOperation()
        for name in ["first", "second"] {
            operation.whenEnded { ended in
                #expect(ended.isFinished && !ended.isExecuting)
                calls.withLock { $0.append(name) }
            }
        }
        #expect(calls.withLock { $0 } == [])
        ending.end(operation, start: { operation.start() })
        operation.finish()
        operation.cancel()
        #expect(calls.withLock { $0 } == ["first", "second"])

        operation.whenEnded { _ in calls.withLock { $0.append("late") } }
        #expect(calls.withLock { $0 } == ["first", "second", "late"])
    }
}
