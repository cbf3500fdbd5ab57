import Sequencer
import Synchronization

/// Counts bodies, and cancels their launch when there have been enough.
final class HalfWay: Sendable {
    private let limit: Int
    private let counted = Atomic<Int>(0)
    private let launch = Mutex<RunningLaunch?>(nil)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Says which launch it is, once that has been started. Bodies may have been counted before.
    func cancel(_ launch: RunningLaunch) {
        self.launch.withLock { $0 = launch }
        if counted.load(ordering: .sequentiallyConsistent) >= limit { launch.cancel() }
    }

    func letGo() { launch.withLock { $0 = nil } }

    func count() {
        if counted.add(1, ordering: .sequentiallyConsistent).newValue == limit { launch.withLock { $0 }?.cancel() }
    }
}
