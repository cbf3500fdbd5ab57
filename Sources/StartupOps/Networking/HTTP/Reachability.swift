/// Whether the network can be reached, as far as that is known.
///
/// Not knowing is not being offline: an ``HTTPClient`` waits only while the network is known to be unreachable, and
/// otherwise finds out by trying. On Apple platforms `Reachability()` watches the system's network paths; elsewhere,
/// and in tests, give it a stream.
///
/// ```swift
/// let reachability = Reachability(links: links)
/// let client = HTTPClient(reachability: reachability)
/// for await status in reachability.statuses { showOffline(status == .unreachable) }
/// ```
public final class Reachability: Sendable {
    /// The knowledge of the network.
    public enum Status: Sendable, Hashable {
        /// Nothing is known: nothing yet, or nothing any more.
        case unknown
        /// Some link is up.
        case reachable
        /// No link is up.
        case unreachable
    }

    private let broadcaster: EventBroadcaster<Status>
    private let task: Task<Void, Never>

    /// A watch over a stream. When the stream ends, nothing is known any more.
    ///
    /// - Parameter links: whether any link is up, each time that changes.
    public init(links: AsyncStream<Bool>) {
        let broadcaster = EventBroadcaster(replaying: Status.unknown)
        self.broadcaster = broadcaster
        task = Task {
            for await isUp in links { Self.tell(isUp ? .reachable : .unreachable, to: broadcaster) }
            // Otherwise a watch that has ended while no link was up would hold up every request for ever.
            if !Task.isCancelled { Self.tell(.unknown, to: broadcaster) }
        }
    }

    deinit { task.cancel() }

    /// The status now, then each change. Ends when this object is gone.
    public var statuses: AsyncStream<Status> { broadcaster.stream() }

    /// The status now.
    var status: Status { broadcaster.latest ?? .unknown }

    /// Waits while the network is known to be unreachable; returns at once when it is reachable, or when nothing is
    /// known.
    ///
    /// - Returns: whether it is worth trying; false when the deadline came, or the task was cancelled, first.
    func waitUntilUsable(by deadline: Deadline) async -> Bool {
        // Taken before waiting: a change in between is then in the stream.
        let statuses = statuses
        let waiting = Task {
            for await status in statuses where status != .unreachable { return true }
            return false
        }
        // Uses a private timer, as a sleeping task stands still with a blocked pool.
        let timer = DeadlineTimer(deadline) { waiting.cancel() }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }

    private static func tell(_ status: Status, to broadcaster: EventBroadcaster<Status>) {
        // Equal statuses are not told: each would wake every waiting caller.
        if broadcaster.latest != status { broadcaster.note(status) }
    }
}
