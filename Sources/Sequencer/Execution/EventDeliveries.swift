/// The observers of a launch, and the events that they have not been told yet.
///
/// Events are noted under the launch's lock and told without it, by one thread at a time, so that everyone sees them in order and nobody
/// can hold the launch up.
struct EventDeliveries: Sendable {
    typealias Observer = @Sendable (LaunchEvent) -> Void

    /// Events, and the observers that are to be told of them.
    struct Batch {
        let events: [LaunchEvent]
        let observers: [Observer]
    }

    /// A step of the main thread, which begins when its start has been told.
    struct MainStart {
        let assignment: LaunchStateMachine.Assignment
        /// When it begins all the same, or is recorded first.
        var limit: Nanoseconds
        var isRecorded = false
    }

    private var observers: [Observer]
    private(set) var mainStarts: [MainStart] = []
    var outbox = Outbox<Batch>()

    init(observers: [Observer] = []) {
        self.observers = observers
    }

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ events: [LaunchEvent]) {
        // For the observers of this moment: one that is added later has these events in its past.
        if !events.isEmpty { outbox.append(Batch(events: events, observers: observers)) }
    }

    /// Adds an observer.
    mutating func add(_ observer: @escaping Observer) {
        observers.append(observer)
    }

    /// Notes a step of the main thread whose start is the latest event.
    mutating func add(_ mainStart: MainStart) {
        mainStarts.append(mainStart)
    }

    /// When the next of the starts has waited long enough.
    func nextLimit(after now: Nanoseconds) -> Nanoseconds? { mainStarts.lazy.map(\.limit).filter { $0 > now }.min() }

    /// The starts that have waited long enough: those that are to be recorded first, which wait once more, and those that begin.
    mutating func takeLate(at now: Nanoseconds, areRecorded: Bool) -> (record: [MainStart], begin: [MainStart]) {
        var late: (record: [MainStart], begin: [MainStart]) = ([], [])
        for place in mainStarts.indices where mainStarts[place].limit <= now {
            if areRecorded, !mainStarts[place].isRecorded {
                mainStarts[place].isRecorded = true
                mainStarts[place].limit = now.addingSaturated(AppCodeQueue.patience)
                late.record.append(mainStarts[place])
            } else {
                late.begin.append(mainStarts[place])
            }
        }
        return late
    }

    /// Takes those of `starts` that nobody has taken.
    mutating func take(_ starts: [MainStart]) -> [MainStart] {
        guard !starts.isEmpty else { return [] }
        // Not another attempt of the same step.
        let taken = Set(starts.map { [$0.assignment.node, $0.assignment.attempt] })
        let isTaken: (MainStart) -> Bool = { taken.contains([$0.assignment.node, $0.assignment.attempt]) }
        defer { mainStarts.removeAll(where: isTaken) }
        return mainStarts.filter(isTaken)
    }
}

/// The streams of a launch's events, and the events that they have not been told yet.
///
/// They are apart from ``EventDeliveries``, so that an observer that blocks holds up only the last event of a stream. That event comes when the
/// launch has given back its operations and its admission: a reader may then start the next launch at once.
struct EventStreams: Sendable {
    /// Events, and the streams that are to have them.
    struct Batch {
        let events: ArraySlice<LaunchEvent>
        let feeds: [EventFeed]
    }

    private var feeds: [EventFeed] = []
    var outbox = Outbox<Batch>()

    var isEmpty: Bool { feeds.isEmpty }

    /// Adds events, without the end of the launch.
    mutating func add(_ events: [LaunchEvent]) {
        if events.isEmpty || feeds.isEmpty { return }
        let events = events.last?.kind == .launchEnded ? events.dropLast() : events[...]
        if !events.isEmpty { outbox.append(Batch(events: events, feeds: feeds)) }
    }

    mutating func add(_ feed: EventFeed) { feeds.append(feed) }

    /// Adds the end of the launch.
    mutating func end(with last: LaunchEvent) { outbox.append(Batch(events: [last], feeds: feeds)) }

    mutating func remove(_ ended: [EventFeed]) {
        feeds.removeAll { feed in ended.contains { $0 === feed } }
    }
}

/// Batches of events that one thread at a time tells, so that everyone sees them in order.
struct Outbox<Batch: Sendable>: Sendable {
    private var pending: [Batch] = []
    private var isDelivering = false

    mutating func append(_ batch: Batch) { pending.append(batch) }

    /// The events to tell now; nil if all have been told, or if another thread is telling.
    mutating func next(continuing: Bool) -> [Batch]? {
        if isDelivering && !continuing { return nil }
        // Under the launch's lock: an event that is added after this finds nobody telling, and its own thread tells it.
        isDelivering = !pending.isEmpty
        guard isDelivering else { return nil }
        defer { pending.removeAll() }
        return pending
    }
}
