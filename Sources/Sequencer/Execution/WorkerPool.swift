import Dispatch
import Foundation

/// The operation queues that a launch's workers run in.
///
/// A worker is one `Operation` that takes ready operations until there are none. The first ones, one per processor, share a queue. Whatever
/// its `maxConcurrentOperationCount` says, a queue on Linux gets no more threads than there are processors while those are blocked, so
/// further workers (for blocking steps, or in place of one that is stuck) each get a queue over a serial dispatch queue, which has a thread
/// of its own.
final class WorkerPool: Sendable {
    private struct State {
        var sharedPlaces: Int
        /// Whether the launch is over, and no worker will be added.
        var isRetired = false
        var sharedQueue: WorkerQueue?
        var idleQueues: [WorkerQueue] = []
    }

    private let qualityOfService: QualityOfService
    private let virtualTime: VirtualTimekeeper?
    private let state: Locked<State>

    init(qualityOfService: QualityOfService, virtualTime: VirtualTimekeeper?) {
        self.qualityOfService = qualityOfService
        self.virtualTime = virtualTime
        state = Locked(State(sharedPlaces: virtualTime == nil ? Self.processors : .max))
    }

    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Runs `work` in a queue, soon.
    func addWorker(_ work: @escaping @Sendable () -> Void) {
        let (queue, isShared) = state.withLock { state in
            if state.sharedPlaces > 0 {
                state.sharedPlaces -= 1
                let queue = state.sharedQueue ?? takeKept() ?? makeQueue(isShared: true)
                state.sharedQueue = queue
                return (queue, true)
            }
            return (state.idleQueues.popLast() ?? makeQueue(isShared: false), false)
        }
        virtualTime?.jobBegins()
        let worker = Worker { [self] in
            work()
            let spare = state.withLock { state in
                if isShared { state.sharedPlaces += 1 } else { state.idleQueues.append(queue) }
                return takeSpare(&state)
            }
            if let spare { Self.keep(spare, for: qualityOfService) }
            virtualTime?.jobEnds()
        }
        queue.operations.addOperation(worker)
    }

    /// The launch is over.
    func retire() {
        let spare = state.withLock { state in
            state.isRetired = true
            return takeSpare(&state)
        }
        if let spare { Self.keep(spare, for: qualityOfService) }
    }

    // MARK: Queues for the next launch

    /// Shared queues that no launch uses, a few: an operation queue is dear to make.
    private static let kept = Locked<[(queue: WorkerQueue, qualityOfService: QualityOfService)]>([])

    private static func keep(_ queue: WorkerQueue, for qualityOfService: QualityOfService) {
        kept.withLock { if $0.count < 4 { $0.append((queue, qualityOfService)) } }
    }

    private func takeKept() -> WorkerQueue? {
        if virtualTime != nil { return nil }
        return Self.kept.withLock { kept in
            kept.lastIndex { $0.qualityOfService == qualityOfService }.map { kept.remove(at: $0).queue }
        }
    }

    /// The shared queue, once the launch is over and all its workers have come back: one that hangs would hold up another launch.
    private func takeSpare(_ state: inout State) -> WorkerQueue? {
        guard state.isRetired, virtualTime == nil, state.sharedPlaces == Self.processors else { return nil }
        defer { state.sharedQueue = nil }
        return state.sharedQueue
    }

    private func makeQueue(isShared: Bool) -> WorkerQueue {
        if let virtualTime { return WorkerQueue(over: virtualTime.queue, qualityOfService) }
        if isShared { return WorkerQueue(width: Self.processors, qualityOfService) }
        return WorkerQueue(over: DispatchQueue(label: "sequencer.worker", qos: qualityOfService.dispatchQoS), qualityOfService)
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
    private let underlying: DispatchQueue?

    init(width: Int, _ qualityOfService: QualityOfService) {
        underlying = nil
        operations.name = "sequencer.workers"
        operations.maxConcurrentOperationCount = width
        operations.qualityOfService = qualityOfService
    }

    init(over queue: DispatchQueue, _ qualityOfService: QualityOfService) {
        underlying = queue
        operations.name = queue.label
        operations.underlyingQueue = queue
        operations.qualityOfService = qualityOfService
    }
}

extension QualityOfService {
    var dispatchQoS: DispatchQoS {
        switch self {
        case .userInteractive: .userInteractive
        case .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        default: .default
        }
    }

    var taskPriority: TaskPriority? {
        switch self {
        case .userInteractive, .userInitiated: .userInitiated
        case .utility: .utility
        case .background: .background
        default: nil
        }
    }
}
