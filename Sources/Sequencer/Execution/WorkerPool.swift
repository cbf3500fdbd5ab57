import Dispatch
import Foundation

/// The operation queues that a launch's workers run in, one each.
///
/// A worker is one `Operation` that takes ready operations until none is left. The first one's queue draws on the threads that tasks of the
/// same quality of service run on too: one of these starts a launch, and is often there to go on with its first operation. On Linux, that
/// pool has one thread per processor, even when some are blocked, so all launches together take at most one of them: any further worker has
/// a queue over a serial dispatch queue, which gets a thread of its own, as long as ``SharedThreads`` has one.
final class WorkerPool: Sendable {
    private struct State {
        /// Of workers that have come back.
        var idle: [WorkerQueue] = []
        /// Workers that have not come back.
        var out = 0
        /// Whether the launch is over, and no worker will be added.
        var isRetired = false
    }

    private let qualityOfService: QualityOfService
    private let virtualTime: VirtualTimekeeper?
    private let state = Locked(State())

    init(qualityOfService: QualityOfService, virtualTime: VirtualTimekeeper?) {
        self.qualityOfService = qualityOfService
        self.virtualTime = virtualTime
    }

    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Runs `work` as an operation: soon, or, when the process has lost too many threads, when it has one again.
    ///
    /// - Parameter mayBePooled: whether a thread of the pool will do, which has none while code of the app blocks them all.
    func addWorker(mayBePooled: Bool = true, _ work: @escaping @Sendable () -> Void) {
        if let virtualTime { return virtualTime.addWorker(work) }
        SharedThreads.all.take(for: self, mayBePooled: mayBePooled) { [self] kind in start(work, on: kind) }
    }

    private func start(_ work: @escaping @Sendable () -> Void, on kind: SharedThreads.Kind) {
        let (queue, wasRetired) = state.withLock { (takeQueue(kind, &$0), $0.isRetired) }
        let worker = Worker { [self] in
            work()
            let isRetired = state.withLock { state in
                state.out -= 1
                if !state.isRetired, let queue { state.idle.append(queue) }
                return state.isRetired
            }
            // One that has only begun after the end of its launch was never counted as left behind.
            if isRetired, !wasRetired { SharedThreads.all.count(leftBehind: -1) }
            // It has come back after all: the next launch may have its queue.
            if isRetired, let queue { Self.kept.add([queue]) }
            SharedThreads.all.giveBack(kind)
        }
        if let queue {
            queue.operations.addOperation(worker)
        } else {
            SystemThread.startWhenPossible("sequencer.work", qualityOfService) { worker.start() }
        }
    }

    /// - Returns: nil for a worker that has a thread of its own.
    private func takeQueue(_ kind: SharedThreads.Kind, _ state: inout State) -> WorkerQueue? {
        state.out += 1
        if kind == .own { return nil }
        let isPooled = kind == .pool
        if let place = state.idle.lastIndex(where: { $0.isPooled == isPooled }) { return state.idle.remove(at: place) }
        return Self.kept.take(isPooled: isPooled, qualityOfService) ?? WorkerQueue(isPooled: isPooled, qualityOfService)
    }

    /// The launch is over: its queues are for the next one, but those whose workers have not come back, which would hold it up.
    func retire() {
        let (idle, out) = state.withLock { state in
            state.isRetired = true
            defer { state.idle = [] }
            return (state.idle, state.out)
        }
        // In virtual time the clock has the threads.
        guard virtualTime == nil else { return }
        if out > 0 { SharedThreads.all.count(leftBehind: out) }
        SharedThreads.all.forget(self)
        Self.kept.add(idle)
    }

    private static let kept = KeptQueues()
}

/// Queues that no launch uses, a few, for the next one: an operation queue is dear to make.
private struct KeptQueues: Sendable {
    private let queues = Locked<[WorkerQueue]>([])

    func add(_ more: [WorkerQueue]) {
        queues.withLock { queues in
            for queue in more where queues.count < 8 { queues.append(queue) }
        }
    }

    func take(isPooled: Bool, _ qualityOfService: QualityOfService) -> WorkerQueue? {
        queues.withLock { queues in
            let place = queues.lastIndex { $0.isPooled == isPooled && $0.qualityOfService == qualityOfService }
            return place.map { queues.remove(at: $0) }
        }
    }
}

/// A worker, as its queue sees it: less to make and to free than a `BlockOperation`.
private final class Worker: Operation, @unchecked Sendable {
    // @unchecked, as Operation is: the one thing of its own does not change.
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    override func main() { work() }
}

/// An operation queue, and the dispatch queue under it, which an operation queue does not keep alive by itself.
private struct WorkerQueue: Sendable {
    let operations = OperationQueue()
    let qualityOfService: QualityOfService
    private let underlying: DispatchQueue?

    var isPooled: Bool { underlying == nil }

    init(isPooled: Bool, _ qualityOfService: QualityOfService) {
        self.init(under: isPooled ? nil : DispatchQueue(label: "sequencer.worker", qos: qualityOfService.dispatchQoS), qualityOfService)
        operations.maxConcurrentOperationCount = 1
    }

    private init(under queue: DispatchQueue?, _ qualityOfService: QualityOfService) {
        self.qualityOfService = qualityOfService
        underlying = queue
        operations.name = "sequencer.worker"
        operations.underlyingQueue = queue
        operations.qualityOfService = qualityOfService
    }
}

/// The threads that the launches of this process hold: how many there are, how many are lost, and who waits for one.
///
/// A step that blocks for ever keeps its thread for ever, and steps that are left behind add up over a process's life. Dispatch gives a process 255
/// threads of the kind that workers run on, and the app needs some of them too; so past ``maximumOfDispatch``, workers run on threads that are made
/// for them. Past ``maximum`` a worker waits for one to be given back.
final class SharedThreads: Sendable {
    /// Where a worker runs.
    enum Kind: Sendable {
        /// The pool that tasks run on too.
        case pool
        /// A thread that Dispatch makes for a serial queue.
        case dispatch
        /// A thread made for the worker alone.
        case own
    }

    /// The most threads besides that of the pool.
    static let maximum = 1024
    /// Further threads, for code that tells the app how its launches end, and for cancel handlers.
    static let reserve = 32
    /// The most of them that Dispatch makes.
    static let maximumOfDispatch = 192

    static let all = SharedThreads(maximum: maximum, maximumOfDispatch: maximumOfDispatch)

    /// The purpose of a thread. If all others are taken, ends of launches may have the whole reserve, and cancel handlers, which may block,
    /// half of it.
    enum Purpose: Int, CaseIterable, Sendable {
        case end, cancel, work

        var reserve: Int {
            switch self {
            case .end: SharedThreads.reserve
            case .cancel: SharedThreads.reserve / 2
            case .work: 0
            }
        }
    }

    private struct Waiter {
        let owner: ObjectIdentifier
        let mayBePooled: Bool
        let start: @Sendable (Kind) -> Void
    }

    private struct State {
        var isPoolTaken = false
        var dispatch = 0
        var own = 0
        /// Of launches that are over.
        var leftBehind = 0
        /// By purpose.
        var waiters = Purpose.allCases.map { _ in FirstInFirstOut<Waiter>() }

        /// The next request that may have a thread that was given back.
        mutating func nextWaiter(maximum: Int) -> Waiter? {
            for purpose in Purpose.allCases where dispatch + own <= maximum + purpose.reserve {
                if let waiter = waiters[purpose.rawValue].popFirst() { return waiter }
            }
            return nil
        }

        /// The next request that may have the pool's thread: only a worker may, and in its turn.
        mutating func nextForPool() -> Waiter? {
            guard waiters[Purpose.work.rawValue].next?.mayBePooled == true else { return nil }
            return waiters[Purpose.work.rawValue].popFirst()
        }
    }

    private let maximum: Int
    private let maximumOfDispatch: Int
    private let state = Locked(State())

    init(maximum: Int, maximumOfDispatch: Int) {
        self.maximum = maximum
        self.maximumOfDispatch = maximumOfDispatch
    }

    /// The threads whose launches are over, and whose steps have not returned.
    var leftBehind: Int { state.withLock { $0.leftBehind } }

    /// Calls `start` when there is a thread for it: now, or when one has been given back. `start` must lead to a call of ``giveBack(_:)``.
    ///
    /// All launches together take one thread of the pool. On Linux it has one for each processor, even when some are blocked: a launch must
    /// not wait there for the steps that another one has left behind.
    ///
    /// - Parameters:
    ///   - owner: whose request it is, for ``forget(_:)``.
    ///   - mayBePooled: whether the pool will do.
    func take(for owner: AnyObject, mayBePooled: Bool = false, purpose: Purpose = .work, _ start: @escaping @Sendable (Kind) -> Void) {
        let owner = ObjectIdentifier(owner)
        let kind: Kind? = state.withLock { state in
            // With one processor the pool has one thread: a step that blocks it would hold up every task.
            if mayBePooled, !state.isPoolTaken, WorkerPool.processors > 1 {
                state.isPoolTaken = true
                return .pool
            }
            if state.dispatch < maximumOfDispatch {
                state.dispatch += 1
                return .dispatch
            }
            if state.dispatch + state.own < maximum + purpose.reserve {
                state.own += 1
                return .own
            }
            state.waiters[purpose.rawValue].append(Waiter(owner: owner, mayBePooled: mayBePooled, start: start))
            return nil
        }
        if let kind { start(kind) }
    }

    /// Gives a thread back, or passes it on to the request that has waited longest; requests for ends come first.
    func giveBack(_ kind: Kind) {
        let waiter: Waiter? = state.withLock { state in
            // One of the reserve goes back to it, unless somebody waits who may have that.
            if let waiter = kind == .pool ? state.nextForPool() : state.nextWaiter(maximum: maximum) { return waiter }
            switch kind {
            case .pool: state.isPoolTaken = false
            case .dispatch: state.dispatch -= 1
            case .own: state.own -= 1
            }
            return nil
        }
        waiter?.start(kind)
    }

    /// Drops the requests of a launch that is over.
    func forget(_ owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        // Released without the lock: a request holds its launch.
        let former = state.withLock { state -> [FirstInFirstOut<Waiter>]? in
            if state.waiters.allSatisfy(\.isEmpty) { return nil }
            defer { for purpose in Purpose.allCases { state.waiters[purpose.rawValue].removeAll { $0.owner == owner } } }
            return state.waiters
        }
        withExtendedLifetime(former) {}
    }

    /// Counts threads of launches that have ended, and of steps that returned after that.
    func count(leftBehind change: Int) {
        state.withLock { $0.leftBehind += change }
    }
}
