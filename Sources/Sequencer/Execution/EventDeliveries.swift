/// Events that have not been told yet, and those who are to be told of them: observers, or streams.
///
/// Events are noted under the launch's lock and told without it, by one thread at a time, so that everyone sees them in order and nobody
/// can hold the launch up.
struct Outbox<Receiver: Sendable>: Sendable {
    var receivers: [Receiver] = []
    private var pending: [(events: [LaunchEvent], receivers: [Receiver])] = []
    private var isDelivering = false

    init(_ receivers: [Receiver] = []) { self.receivers = receivers }

    /// Adds events for those who are to be told at this moment: one that is added later has these events in its past.
    mutating func add(_ events: [LaunchEvent]) {
        if !events.isEmpty { pending.append((events, receivers)) }
    }

    /// The events to tell now; nil if all have been told, or if another thread is telling.
    mutating func next(continuing: Bool) -> [(events: [LaunchEvent], receivers: [Receiver])]? {
        if isDelivering && !continuing { return nil }
        // Under the launch's lock: an event that is added after this finds nobody telling, and its own thread tells it.
        isDelivering = !pending.isEmpty
        guard isDelivering else { return nil }
        defer { pending.removeAll() }
        return pending
    }
}

/// Steps of the main thread whose starts have not been told to the observers: each begins when that is done.
struct MainStarts: Sendable {
    struct Start {
        let assignment: LaunchStateMachine.Assignment
        /// When it begins all the same, or is recorded first.
        var limit: Nanoseconds
        var isRecorded = false
    }

    private(set) var all: [Start] = []

    /// Notes a step whose start is the latest event.
    mutating func add(_ start: Start) { all.append(start) }

    /// When the next of the starts has waited long enough.
    func nextLimit(after now: Nanoseconds) -> Nanoseconds? { all.lazy.map(\.limit).filter { $0 > now }.min() }

    /// The starts that have waited long enough: those that are to be recorded first, which wait once more, and those that begin.
    mutating func takeLate(at now: Nanoseconds, areRecorded: Bool) -> (record: [Start], begin: [Start]) {
        var late: (record: [Start], begin: [Start]) = ([], [])
        for place in all.indices where all[place].limit <= now {
            if areRecorded, !all[place].isRecorded {
                all[place].isRecorded = true
                all[place].limit = now.addingSaturated(AppCodeQueue.patience)
                late.record.append(all[place])
            } else {
                late.begin.append(all[place])
            }
        }
        return late
    }

    /// Takes those of `starts` that nobody has taken.
    mutating func take(_ starts: [Start]) -> [Start] {
        guard !starts.isEmpty else { return [] }
        // Not another attempt of the same step.
        let taken = Set(starts.map { [$0.assignment.node, $0.assignment.attempt] })
        let isTaken: (Start) -> Bool = { taken.contains([$0.assignment.node, $0.assignment.attempt]) }
        defer { all.removeAll(where: isTaken) }
        return all.filter(isTaken)
    }
}
