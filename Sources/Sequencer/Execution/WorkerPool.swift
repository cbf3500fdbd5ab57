import Dispatch
import Foundation

/// The workers of a launch: each is an `Operation` in a queue of width one over a serial dispatch queue, which gives it a thread at once. The pools of threads that
/// all code shares have as many as there are processors, and give a launch none while other code blocks them.
final class WorkerPool: Sendable {
    private let qualityOfService: QualityOfService
    private let virtualTime: VirtualTimekeeper?
    /// Workers that have not come back, and whether the launch is over.
    private let state = Locked((out: 0, isOver: false))

    init(qualityOfService: QualityOfService, virtualTime: VirtualTimekeeper?) {
        self.qualityOfService = qualityOfService
        self.virtualTime = virtualTime
    }

    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// Runs `work` as an operation: soon, or, when the process has lost too many threads, when it has one again.
    func addWorker(_ work: @escaping @Sendable () -> Void) {
        if let virtualTime { return virtualTime.addWorker(work) }
        SharedThreads.all.take(for: self) { [self] in start(work) }
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.out += 1 }
            return state.isOver
        }
        if isOver { return SharedThreads.all.giveBack() }
        let queue = DispatchQueue(label: "sequencer.worker", qos: qualityOfService.dispatchQoS)
        let operations = OperationQueue()
        operations.name = "sequencer.worker"
        operations.underlyingQueue = queue
        operations.qualityOfService = qualityOfService
        operations.maxConcurrentOperationCount = 1
        operations.addOperation { [self] in
            work()
            let wasLeftBehind = state.withLock { state in
                state.out -= 1
                return state.isOver
            }
            if wasLeftBehind { SharedThreads.all.count(leftBehind: -1) }
            SharedThreads.all.giveBack()
            // An operation queue does not keep its dispatch queue, nor an operation its queue.
            withExtendedLifetime((operations, queue)) {}
        }
    }

    /// The launch is over: workers that have not come back are left behind.
    func retire() {
        let out = state.withLock { state in
            state.isOver = true
            return state.out
        }
        if out > 0 { SharedThreads.all.count(leftBehind: out) }
        SharedThreads.all.forget(self)
    }
}

/// The threads that the launches of this process hold: how many workers there are, how many threads are lost, and who waits for one.
///
/// A step that blocks for ever keeps its thread for ever, and steps that are left behind add up over a process's life. Dispatch gives a process 255 threads for serial
/// queues of one quality of service, and code of the app, which tells how launches end, needs some of them.
final class SharedThreads: Sendable {
    static let all = SharedThreads(maximum: 192)

    private struct Waiter {
        let owner: ObjectIdentifier
        let start: @Sendable () -> Void
    }

    private struct State {
        var taken = 0
        /// Of launches that are over, and of calls into the app's code that do not return.
        var leftBehind = 0
        var waiters = FirstInFirstOut<Waiter>()
    }

    private let maximum: Int
    private let state = Locked(State())

    init(maximum: Int) { self.maximum = maximum }

    var leftBehind: Int { state.withLock { $0.leftBehind } }

    /// Calls `start` when there is a thread for it: now, or when one has been given back. `start` must lead to a call of ``giveBack()``.
    ///
    /// - Parameter owner: whose request it is, for ``forget(_:)``.
    func take(for owner: AnyObject, _ start: @escaping @Sendable () -> Void) {
        let isFree = state.withLock { state in
            if state.taken < maximum {
                state.taken += 1
                return true
            }
            state.waiters.append(Waiter(owner: ObjectIdentifier(owner), start: start))
            return false
        }
        if isFree { start() }
    }

    /// Gives a thread back, or passes it on to the request that has waited longest.
    func giveBack() {
        let waiter = state.withLock { state in
            let waiter = state.waiters.popFirst()
            if waiter == nil { state.taken -= 1 }
            return waiter
        }
        waiter?.start()
    }

    /// Drops the requests of a launch that is over.
    func forget(_ owner: AnyObject) {
        let owner = ObjectIdentifier(owner)
        // Released without the lock: a request holds its launch.
        let former = state.withLock { state -> FirstInFirstOut<Waiter>? in
            if state.waiters.isEmpty { return nil }
            defer { state.waiters.removeAll { $0.owner == owner } }
            return state.waiters
        }
        withExtendedLifetime(former) {}
    }

    /// Counts threads of launches that have ended, and of steps that returned after that.
    func count(leftBehind change: Int) { state.withLock { $0.leftBehind += change } }
}
