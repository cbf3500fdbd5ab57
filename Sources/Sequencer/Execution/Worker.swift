import Dispatch
import Foundation

/// A worker of a launch: an `Operation` in a queue of width one over a serial dispatch queue, which gives it a thread
/// at once. The pools of threads that all code shares have as many as there are processors, and give a launch none
/// while other code blocks them.
enum Worker {
    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    static func start(at qualityOfService: QualityOfService, _ work: @escaping @Sendable () -> Void) {
        let queue = SerialOperationQueue(label: "sequencer.worker", at: qualityOfService)
        queue.operations.addOperation {
            work()
            // An operation does not keep its queue.
            withExtendedLifetime(queue) {}
        }
    }
}

/// An operation queue over a serial dispatch queue, which has a separate thread when the pool's are blocked. It must
/// be kept until its operations have run, for an operation queue does not keep its dispatch queue alive.
final class SerialOperationQueue: Sendable {
    let operations = OperationQueue()
    private let dispatchQueue: DispatchQueue

    init(label: String, at qualityOfService: QualityOfService = .userInitiated) {
        dispatchQueue = DispatchQueue(label: label, qos: qualityOfService.dispatchQoS)
        operations.name = label
        operations.underlyingQueue = dispatchQueue
        operations.qualityOfService = qualityOfService
        operations.maxConcurrentOperationCount = 1
    }
}

/// The threads of a launch's workers, and how often they are looked at.
struct WorkerThreads {
    /// How soon after a change the threads are looked at, and how seldom, at the most, when nothing changes.
    private static let (soon, late): (Nanoseconds, Nanoseconds) = (250_000, 2_000_000)

    private var all: [StepThread] = []
    /// Of the looks; made when it is first needed.
    var alarm: Int?
    private var delay = WorkerThreads.soon
    private var lastLook: Nanoseconds = 0

    /// A worker begins.
    mutating func add(_ thread: StepThread) {
        // Ended threads leave without notice: they are dropped here, now and then.
        if all.count >= 2 * LaunchOptions.maximumThreads { all.removeAll { $0.isDone } }
        all.append(thread)
    }

    /// The threads that have not ended.
    mutating func running() -> [StepThread] {
        all.removeAll { $0.isDone }
        return all
    }

    /// How long until the next look.
    ///
    /// - Parameter hasChanged: whether the last look has changed anything; nil for the first one since something waits.
    mutating func nextDelay(hasChanged: Bool?, at now: Nanoseconds) -> Nanoseconds {
        // When short operations come and go, some thread waits again and again: that does not call for looking more
        // often.
        let isNew = hasChanged == nil && now - lastLook > Self.late
        if hasChanged == true || isNew { delay = Self.soon } else if hasChanged == false { delay = min(2 * delay, Self.late) }
        lastLook = now
        return delay
    }
}
