import Foundation
import Sequencer
import Testing

@Suite("Concurrent operation", .timeLimit(.minutes(5)))
struct ConcurrentOperationTests {
    // MARK: - Alone, without a queue

    @Test("started by hand, it executes until finish(), wherever that comes from")
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

    @Test("main() may finish inline, and sees itself executing until then")
    func finishInline() {
        let operation = TestOperation { operation in
            #expect(operation.isExecuting && !operation.isFinished)
            operation.finish()
            #expect(!operation.isExecuting && operation.isFinished)
        }
        operation.start()
        #expect(operation.isFinished && operation.mainCount == 1)
    }

    @Test("finished before its start, it counts when it is started, and main() does not run")
    func finishBeforeStart() {
        let operation = TestOperation()
        operation.finish(throwing: TestError(1))
        #expect(!operation.isFinished && !operation.isExecuting)

        operation.finish()
        #expect(operation.surplusFinishCount == 1)

        operation.start()
        #expect(operation.isFinished && !operation.isExecuting)
        #expect(operation.mainCount == 0 && operation.surplusFinishCount == 1)
        #expect(operation.error as? TestError == TestError(1))
    }

    @Test("a second start does nothing: not before main(), in it, before the end or after it")
    func startTwice() {
        let operation = TestOperation { $0.start() }
        operation.start()
        operation.start()
        #expect(operation.isExecuting && operation.mainCount == 1)
        operation.finish()
        operation.start()
        #expect(operation.isFinished && operation.mainCount == 1)

        let finishedEarly = TestOperation()
        finishedEarly.finish()
        finishedEarly.start()
        finishedEarly.start()
        #expect(finishedEarly.isFinished && finishedEarly.mainCount == 0)
    }

    @Test("started by hand, it does not look at its dependencies")
    func startWithUnfinishedDependency() {
        let operation = TestOperation { $0.finish() }
        operation.addDependency(TestOperation())
        #expect(!operation.isReady)
        operation.start()
        #expect(operation.isFinished && operation.mainCount == 1)
    }

    @Test("waitUntilFinished() returns, before and after the end, however the operation ended", arguments: Ending.allCases)
    func waitUntilFinished(_ ending: Ending) async {
        let operation = TestOperation()
        async let early: Void = onThread { operation.waitUntilFinished() }
        await onThread { ending.end(operation, start: { operation.start() }) }
        await early
        await onThread { operation.waitUntilFinished() }
        #expect(operation.isFinished && !operation.isExecuting)
    }

    @Test("a completion block runs once, without a queue as well", arguments: Ending.allCases)
    func completionBlockWithoutQueue(_ ending: Ending) async {
        let operation = TestOperation()
        await confirmation { completed in
            await withCheckedContinuation { continuation in
                operation.completionBlock = {
                    completed()
                    continuation.resume()
                }
                ending.end(operation, start: { operation.start() })
                operation.finish()
                operation.start()
            }
        }
    }

    // MARK: - Cancelling

    @Test("cancelled before its start, it ends when it is started, and neither main() nor didCancel() is called")
    func cancelBeforeStart() {
        let operation = TestOperation()
        operation.cancel()
        #expect(operation.isCancelled && !operation.isFinished)
        operation.start()
        #expect(operation.isFinished && !operation.isExecuting)
        #expect(operation.mainCount == 0 && operation.cancelCount == 0)

        operation.finish()
        #expect(operation.surplusFinishCount == 1)
    }

    @Test("cancelled while it runs, it hears of it once and runs on until finish()")
    func cancelWhileRunning() {
        let operation = TestOperation()
        operation.start()
        operation.cancel()
        operation.cancel()
        #expect(operation.isCancelled && operation.cancelCount == 1)
        #expect(operation.isExecuting && !operation.isFinished)

        operation.finish()
        #expect(operation.isFinished && operation.isCancelled && operation.surplusFinishCount == 0)
        operation.cancel()
        #expect(operation.cancelCount == 1)
    }

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

    @Test("an operation may cancel itself in main()")
    func cancelInMain() {
        let operation = TestOperation(main: { $0.cancel() }, didCancel: { $0.finish() })
        operation.start()
        #expect(operation.isFinished && operation.isCancelled && operation.mainCount == 1 && operation.cancelCount == 1)
    }

    @Test("cancelled after its end, it stays as it was")
    func cancelAfterEnd() {
        let operation = TestOperation { $0.finish() }
        operation.start()
        operation.cancel()
        #expect(operation.isFinished && !operation.isCancelled && operation.cancelCount == 0)
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

    @Test("every surplus finish is reported to the newest handler, without a lock")
    func surplusHandler() {
        let reported = Locked<[Int]>([])
        let operation = TestOperation { $0.finish() }
        operation.onSurplusFinish { _ in reported.withLock { $0.append(-1) } }
        operation.onSurplusFinish { operation in
            let count = operation.surplusFinishCount
            reported.withLock { $0.append(count) }
        }
        operation.start()
        #expect(reported.withLock { $0 } == [])
        operation.finish()
        operation.finish(throwing: TestError(1))
        #expect(reported.withLock { $0 } == [1, 2])
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

    @Test("a whenEnded handler runs on the thread that finishes, after observers were notified")
    func whenEndedThreadAndOrder() async {
        let events = Locked<[String]>([])
        let operation = TestOperation()
        let dependent = Witness(of: operation) { event in events.withLock { $0.append(event) } }
        let finishingThread = Locked<ObjectIdentifier?>(nil)
        operation.whenEnded { _ in
            let isFinishingThread = finishingThread.withLock { $0 } == ObjectIdentifier(Thread.current)
            events.withLock { $0.append("handler, on the finishing thread \(isFinishingThread)") }
        }
        operation.start()
        dependent.isListening.withLock { $0 = true }
        await onThread {
            finishingThread.withLock { $0 = ObjectIdentifier(Thread.current) }
            operation.finish()
        }
        // The dependent is asked whether it is ready from within "did change isFinished", so no lock is held there.
        let recorded = events.withLock { $0 }
        #expect(recorded.first == "notified, finished true, executing false")
        #expect(recorded.last == "handler, on the finishing thread true")
    }

    // MARK: - In a plain queue

    @Test("dependencies order a chain, though every operation finishes later and elsewhere")
    func chain() async {
        let order = Locked<[Int]>([])
        let operations = (0..<200).map { index in
            TestOperation { operation in
                order.withLock { $0.append(index) }
                elsewhere.async { operation.finish() }
            }
        }
        for (operation, next) in zip(operations, operations.dropFirst()) { next.addDependency(operation) }
        let queue = OperationQueue()
        for operation in operations.reversed() { queue.addOperation(operation) }
        await waitForAll(in: queue)
        #expect(order.withLock { $0 } == Array(0..<200))
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

    @Test("an operation started by hand releases dependents that wait in a queue")
    func dependentOfDirectlyStarted() async {
        let predecessor = TestOperation()
        let dependent = BlockOperation { #expect(predecessor.isFinished) }
        dependent.addDependency(predecessor)
        let queue = OperationQueue()
        queue.addOperation(dependent)
        predecessor.start()
        predecessor.finish()
        await waitForAll(in: queue)
        #expect(dependent.isFinished)
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

    @Test("cancelled dependents may end and be freed at the very moment their predecessor finishes")
    func cancelAllRacesFinish() async {
        for _ in 0..<300 {
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
        }
    }

    @Test("a dependent that is freed without ever having run does not take its predecessor down")
    func dependentNeverRan() {
        let predecessor = TestOperation { $0.finish() }
        for _ in 0..<50 {
            TestOperation().addDependency(predecessor)
        }
        predecessor.start()
        #expect(predecessor.isFinished)
    }

    @Test("with one place in the queue, one runs at a time, in order, until it has finished and not only returned")
    func oneAtATime() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let state = Locked((running: 0, most: 0, order: [Int]()))
        for index in 0..<300 {
            queue.addOperation(
                TestOperation { operation in
                    state.withLock {
                        $0.running += 1
                        $0.most = max($0.most, $0.running)
                        $0.order.append(index)
                    }
                    elsewhere.async {
                        state.withLock { $0.running -= 1 }
                        operation.finish()
                    }
                }
            )
        }
        await waitForAll(in: queue)
        let end = state.withLock { $0 }
        #expect(end.most == 1 && end.running == 0)
        #expect(end.order == Array(0..<300))
    }

    @Test("the queue priority decides who goes first")
    func queuePriority() async {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let order = Locked<[Operation.QueuePriority]>([])
        let priorities: [Operation.QueuePriority] = [.low, .veryHigh, .normal, .veryLow, .high]
        for priority in priorities + priorities {
            let operation = TestOperation { operation in
                order.withLock { $0.append(priority) }
                elsewhere.async { operation.finish() }
            }
            operation.queuePriority = priority
            queue.addOperation(operation)
        }
        queue.isSuspended = false
        await waitForAll(in: queue)
        #expect(order.withLock { $0 } == [.veryHigh, .veryHigh, .high, .high, .normal, .normal, .low, .low, .veryLow, .veryLow])
    }

    @Test("a queue waits for operations added with waitUntilFinished")
    func addAndWait() async {
        let operations = (0..<100).map { _ in TestOperation { operation in elsewhere.async { operation.finish() } } }
        await onThread {
            OperationQueue().addOperations(operations, waitUntilFinished: true)
            #expect(operations.allSatisfy { $0.isFinished })
        }
    }

    @Test("a completion block runs once per operation in a queue", arguments: Ending.allCases)
    func completionBlockInQueue(_ ending: Ending) async {
        let count = 200
        let queue = OperationQueue()
        let calls = Locked(Array(repeating: 0, count: count))
        let completed = Countdown(count)
        for index in 0..<count {
            let operation = TestOperation()
            operation.completionBlock = {
                calls.withLock { $0[index] += 1 }
                completed.countDown()
            }
            await onThread {
                let started = DispatchSemaphore(value: 0)
                operation.didEnterMain.withLock { $0 = { started.signal() } }
                ending.end(operation) {
                    queue.addOperation(operation)
                    if ending.runsMain { started.wait() }
                }
            }
        }
        await waitForAll(in: queue)
        await completed.reachedZero()
        #expect(calls.withLock { $0 } == Array(repeating: 1, count: count))
    }

    @Test("100,000 operations in a queue, each ending in its own way, all end")
    func hundredThousand() async {
        let queue = OperationQueue()
        let ended = Countdown(100_000)
        for _ in 0..<20 {
            for index in 0..<5_000 {
                let operation = TestOperation { operation in
                    if index.isMultiple(of: 2) { operation.finish() } else { elsewhere.async { operation.finish() } }
                }
                operation.whenEnded { _ in ended.countDown() }
                if index % 10 == 7 { operation.cancel() }
                if index % 10 == 8 { operation.finish() }
                queue.addOperation(operation)
            }
            await waitForAll(in: queue)
        }
        await ended.reachedZero()
        #expect(queue.operationCount == 0)
    }

    // MARK: - Races

    @Test("of many threads that finish, one ends the operation", arguments: [1, 2, 4, 16])
    func racingFinishes(width: Int) async {
        let operations = (0..<1_000).map { _ in TestOperation() }
        let ends = Locked(0)
        let surplus = Locked(0)
        for operation in operations {
            operation.whenEnded { _ in ends.withLock { $0 += 1 } }
            operation.onSurplusFinish { _ in surplus.withLock { $0 += 1 } }
            operation.start()
        }
        await onThreads(width) { thread in
            for operation in operations { operation.finish(throwing: TestError(thread)) }
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.surplusFinishCount == width - 1 && $0.error is TestError })
        #expect(ends.withLock { $0 } == 1_000)
        #expect(surplus.withLock { $0 } == 1_000 * (width - 1))
    }

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

    @Test("starts and finishes on four threads: main() runs once at most, the end comes once")
    func startsRaceFinishes() async {
        let operations = (0..<2_000).map { _ in TestOperation() }
        let ends = Locked(0)
        for operation in operations { operation.whenEnded { _ in ends.withLock { $0 += 1 } } }
        await onThreads(4) { thread in
            for operation in operations {
                if thread.isMultiple(of: 2) { operation.start() } else { operation.finish() }
            }
        }
        #expect(operations.allSatisfy { $0.isFinished && $0.mainCount <= 1 && $0.surplusFinishCount == 1 })
        #expect(ends.withLock { $0 } == 2_000)
    }

    @Test("handlers that are added while the operation ends are called once each")
    func whenEndedRacesFinish() async {
        let operations = (0..<5_000).map { _ in TestOperation() }
        let calls = Locked(0)
        for operation in operations { operation.start() }
        await onThreads(2) { thread in
            for operation in operations {
                if thread == 0 {
                    operation.whenEnded { ended in
                        calls.withLock { $0 += ended.isFinished ? 1 : 0 }
                    }
                } else {
                    operation.finish()
                }
            }
        }
        #expect(calls.withLock { $0 } == 5_000)
    }

    @Test("a queue whose operations are cancelled and finished from outside drains")
    func cancelAllRacesQueue() async {
        for _ in 0..<50 {
            let queue = OperationQueue()
            let operations = (0..<40).map { _ in
                TestOperation(main: { operation in elsewhere.async { operation.finish() } }, didCancel: { $0.finish() })
            }
            for (operation, next) in zip(operations, operations.dropFirst()) { next.addDependency(operation) }
            await onThreads(2) { thread in
                if thread == 0 { queue.addOperations(operations, waitUntilFinished: false) } else { queue.cancelAllOperations() }
            }
            await waitForAll(in: queue)
            #expect(operations.allSatisfy { $0.isFinished && !$0.isExecuting })
        }
    }

    // MARK: - Memory

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

    @Test("an operation that ran in a queue is freed")
    func freedAfterQueue() async {
        let queue = OperationQueue()
        let freed = Countdown(100)
        for _ in 0..<100 {
            let operation = TestOperation { operation in elsewhere.async { operation.finish() } }
            operation.deinitHandler.withLock { $0 = freed.countDown }
            queue.addOperation(operation)
        }
        await freed.reachedZero()
        await waitForAll(in: queue)
    }

    @Test("an operation that is dropped while it runs is freed, and its late finish reaches nobody")
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

    @Test("an operation may free its owner while it runs, and the queue keeps it alive to its end")
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

// MARK: - Operations for tests

/// An operation with closures for its parts, that counts what is called.
private final class TestOperation: ConcurrentOperation, @unchecked Sendable {
    // @unchecked: only constants and locks.
    private let counts = Locked((main: 0, cancel: 0))
    private let mainBody: @Sendable (TestOperation) -> Void
    private let cancelBody: @Sendable (TestOperation) -> Void
    let didEnterMain = Locked<@Sendable () -> Void>({})
    let deinitHandler = Locked<@Sendable () -> Void>({})

    var mainCount: Int { counts.withLock { $0.main } }
    var cancelCount: Int { counts.withLock { $0.cancel } }

    init(main: @escaping @Sendable (TestOperation) -> Void = { _ in }, didCancel: @escaping @Sendable (TestOperation) -> Void = { _ in }) {
        mainBody = main
        cancelBody = didCancel
    }

    deinit {
        deinitHandler.withLock { $0 }()
    }

    override func main() {
        counts.withLock { $0.main += 1 }
        didEnterMain.withLock { $0 }()
        mainBody(self)
    }

    override func didCancel() {
        counts.withLock { $0.cancel += 1 }
        cancelBody(self)
    }
}

/// A dependent that reports what it sees of its predecessor whenever somebody asks whether it is ready.
private final class Witness: Operation, @unchecked Sendable {
    // @unchecked: only constants and a lock.
    private let predecessor: Operation
    private let report: @Sendable (String) -> Void
    let isListening = Locked(false)

    init(of predecessor: Operation, report: @escaping @Sendable (String) -> Void) {
        self.predecessor = predecessor
        self.report = report
        super.init()
        addDependency(predecessor)
    }

    override var isReady: Bool {
        if isListening.withLock({ $0 }) {
            report("notified, finished \(predecessor.isFinished), executing \(predecessor.isExecuting)")
        }
        return super.isReady
    }
}

private final class Owner: Sendable {
    let operation: TestOperation

    init(_ operation: TestOperation) {
        self.operation = operation
    }
}

private struct TestError: Error, Equatable {
    let code: Int

    init(_ code: Int) {
        self.code = code
    }
}

extension ConcurrentOperationTests {
    /// The ways in which an operation comes to its end.
    enum Ending: CaseIterable {
        case finish, fail, finishBeforeStart, cancelBeforeStart, cancelThenFinish

        var runsMain: Bool {
            switch self {
            case .finish, .fail, .cancelThenFinish: true
            case .finishBeforeStart, .cancelBeforeStart: false
            }
        }

        /// Ends an operation whose `main()` does not; `start` returns when it has been entered.
        func end(_ operation: ConcurrentOperation, start: () -> Void) {
            switch self {
            case .finish:
                start()
                operation.finish()
            case .fail:
                start()
                operation.finish(throwing: TestError(1))
            case .finishBeforeStart:
                operation.finish()
                start()
            case .cancelBeforeStart:
                operation.cancel()
                start()
            case .cancelThenFinish:
                start()
                operation.cancel()
                operation.finish()
            }
        }
    }
}

// MARK: - Threads for tests

/// Where operations finish that do not finish on their own thread; private and not a global queue, so that nothing else can occupy it.
private let elsewhere = DispatchQueue(label: "elsewhere")

/// Runs `body` on a thread of its own, where it may block, and waits for its end without blocking.
private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            body()
            continuation.resume()
        }
    }
}

/// Runs `body` on `count` threads, which begin together.
private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    let arrived = Countdown(count)
    let go = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            group.addTask {
                await onThread {
                    arrived.countDown()
                    go.wait()
                    body(index)
                }
            }
        }
        await arrived.reachedZero()
        for _ in 0..<count { go.signal() }
    }
}

private func waitForAll(in queue: OperationQueue) async {
    await onThread { queue.waitUntilAllOperationsAreFinished() }
}

/// Something that is awaited until it has been counted down to zero; counting on traps.
private final class Countdown: Sendable {
    private let group = DispatchGroup()

    init(_ count: Int) {
        for _ in 0..<count { group.enter() }
    }

    @Sendable func countDown() {
        group.leave()
    }

    func reachedZero() async {
        await withCheckedContinuation { continuation in
            group.notify(queue: elsewhere) { continuation.resume() }
        }
    }
}

/// Something that happens once.
private final class Signal: Sendable {
    private let countdown = Countdown(1)

    @Sendable func fire() {
        countdown.countDown()
    }

    func fired() async {
        await countdown.reachedZero()
    }
}
