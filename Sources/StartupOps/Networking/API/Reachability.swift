import Sequencer

/// Whether the network can be reached, as far as that is known.
///
/// Not knowing is not being offline: what waits for the network (``waitUntilUsable(by:)``) goes on when nothing is known, and finds out by trying.
///
/// On Apple platforms `Reachability()` watches the system's network paths; elsewhere, and in tests, give it a stream.
public final class Reachability: Sendable {
    /// What is known.
    public enum Status: Sendable, Hashable {
        /// Nothing yet.
        case unknown
        /// Some link is up.
        case reachable
        /// No link is up.
        case unreachable
    }

    private let broadcaster: EventBroadcaster<Status>
    private let task: Task<Void, Never>

    /// A watch over what `links` says.
    ///
    /// - Parameter links: whether any link is up, each time that changes.
    public init(links: AsyncStream<Bool>) {
        let broadcaster = EventBroadcaster(replaying: Status.unknown)
        self.broadcaster = broadcaster
        task = Task {
            for await isUp in links {
                let status: Status = isUp ? .reachable : .unreachable
                if broadcaster.latest != status { broadcaster.send(status) }
            }
        }
    }

    deinit { task.cancel() }

    /// What is known now.
    public var status: Status { broadcaster.latest ?? .unknown }

    /// Whether some link is known to be up.
    public var isReachable: Bool { status == .reachable }

    /// What is known now, and each change.
    public var statuses: AsyncStream<Status> { broadcaster.stream() }

    /// Whether some link is known to be up: begins with what is known now, false when nothing is, then gives each change.
    public var updates: AsyncStream<Bool> {
        let statuses = statuses
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        let task = Task {
            var last: Bool?
            for await status in statuses where (status == .reachable) != last {
                last = status == .reachable
                continuation.yield(status == .reachable)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Waits while the network is known to be unreachable; returns at once when it is reachable, or when nothing is known.
    ///
    /// - Returns: whether it is worth trying; false when the deadline came, or the task was cancelled, first.
    public func waitUntilUsable(by deadline: Deadline) async -> Bool {
        let statuses = statuses
        let waiting = Task {
            for await status in statuses where status != .unreachable { return true }
            return false
        }
        let timer = DeadlineTimer(deadline) { waiting.cancel() }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }
}
