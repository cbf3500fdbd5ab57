/// Events that have not been told yet, and those who are to be told of them: observers, or streams.
///
/// Events are noted under the launch's lock and told without it, by one thread at a time, so that everyone sees them in
/// order and nobody can hold the launch up.
struct Outbox<Receiver: Sendable>: Sendable {
    var receivers: [Receiver] = []
    private var pending: [(events: [LaunchEvent], receivers: [Receiver])] = []
    private var isDelivering = false

    init(_ receivers: [Receiver] = []) { self.receivers = receivers }

    /// Adds events for the present receivers: a receiver that is added later has these events in its past.
    mutating func add(_ events: [LaunchEvent]) {
        if !events.isEmpty { pending.append((events, receivers)) }
    }

    /// The events to tell now; nil if all have been told, or if another thread is telling.
    mutating func next(continuing: Bool) -> [(events: [LaunchEvent], receivers: [Receiver])]? {
        if isDelivering && !continuing { return nil }
        // Under the launch's lock: an event that is added after this finds nobody telling, and its own thread tells it.
        isDelivering = !pending.isEmpty
        return isDelivering ? exchange(&pending, with: []) : nil
    }
}

/// A step of the main thread whose start is being told to the observers. It begins once: when they know, or when that
/// takes too long.
final class MainStart: Sendable {
    let assignment: StepAssignment
    private let isTaken = Locked(false)

    init(_ assignment: StepAssignment) { self.assignment = assignment }

    var hasBegun: Bool { isTaken.withLock { $0 } }

    /// - Returns: whether the caller is to begin the step.
    func take() -> Bool { !isTaken.withLock { exchange(&$0, with: true) } }
}
