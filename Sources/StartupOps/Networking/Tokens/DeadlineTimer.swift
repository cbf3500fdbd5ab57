import Dispatch

/// Calls back once a deadline has come, unless cancelled before.
///
/// On a serial queue of its own: tasks and global queues stand still while blocked operations hold every pool thread, and deadlines must not.
final class DeadlineTimer: @unchecked Sendable {
    // @unchecked: a work item can be cancelled from any thread, and is not touched otherwise once it has been scheduled.
    private let item: DispatchWorkItem

    private static let queue = DispatchQueue(label: "sequencer.networking.deadlines", qos: .userInitiated)

    /// Schedules `body`; nil when there is no deadline.
    init?(_ deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        guard let remaining = deadline.remaining else { return nil }
        item = DispatchWorkItem(block: body)
        // A year at most (see `Deadline`), so this stays within 64 bits.
        let (seconds, attoseconds) = remaining.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: item)
    }

    func cancel() { item.cancel() }
}
