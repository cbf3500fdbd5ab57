import Dispatch
import Foundation

/// The operation queues that a launch's workers run in, one each.
///
/// A worker is one `Operation` that takes ready operations until there are none. The first one's queue draws on the threads that tasks of the same
/// quality of service run on too: one of these starts a launch, and is often there to go on with its first operation. That pool has a thread
/// per processor on Linux, whoever blocks it, so no launch takes more than one of them: all further workers have a queue over a serial dispatch
/// queue, which gets a thread of its own.
final class WorkerPool: Sendable {
    private struct State {
        /// Of workers that have come back.
        var idle: [WorkerQueue] = []
        var hasPooledQueue: Bool
        /// Whether the launch is over, and no worker will be added.
        var isRetired = false
    }

    private let qualityOfService: QualityOfService
    private let virtualTime: VirtualTimekeeper?
    private let state: Locked<State>

    init(qualityOfService: QualityOfService, virtualTime: VirtualTimekeeper?) {
        self.qualityOfService = qualityOfService
        self.virtualTime = virtualTime
        // A single processor's pool has a single thread, which a launch must not block.
        state = Locked(State(hasPooledQueue: virtualTime != nil || Self.processors == 1))
    }

    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Runs `work` in a queue, soon.
    func addWorker(_ work: @escaping @Sendable () -> Void) {
        let queue = state.withLock { takeQueue(&$0) }
        virtualTime?.jobBegins()
        let worker = Worker { [self] in
            work()
            let isLate = state.withLock { state in
                if !state.isRetired { state.idle.append(queue) }
                return state.isRetired
            }
            if isLate { keep([queue]) }
            virtualTime?.jobEnds()
        }
        queue.operations.addOperation(worker)
    }

    private func takeQueue(_ state: inout State) -> WorkerQueue {
        if let place = state.idle.lastIndex(where: \.isPooled) ?? state.idle.indices.last { return state.idle.remove(at: place) }
        if let virtualTime { return WorkerQueue(over: virtualTime.queue, qualityOfService) }
        let isPooled = !state.hasPooledQueue
        state.hasPooledQueue = true
        return Self.kept.take(isPooled: isPooled, qualityOfService) ?? WorkerQueue(isPooled: isPooled, qualityOfService)
    }

    /// The launch is over: its queues are for the next one, but those whose workers have not come back, which would hold it up.
    func retire() {
        let idle = state.withLock { state in
            state.isRetired = true
            defer { state.idle = [] }
            return state.idle
        }
        keep(idle)
    }

    private func keep(_ queues: [WorkerQueue]) {
        if virtualTime == nil { Self.kept.add(queues) }
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

    init(over queue: DispatchQueue, _ qualityOfService: QualityOfService) {
        self.init(under: queue, qualityOfService)
    }

    private init(under queue: DispatchQueue?, _ qualityOfService: QualityOfService) {
        self.qualityOfService = qualityOfService
        underlying = queue
        operations.name = "sequencer.worker"
        operations.underlyingQueue = queue
        operations.qualityOfService = qualityOfService
    }
}
