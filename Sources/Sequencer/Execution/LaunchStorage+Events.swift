import Foundation

/// Those who watch a launch run their own code, which may block: no timeout, no report and no main thread waits for it.
extension LaunchStorage {
    /// How long the end of a launch waits for observers: much longer than one needs to write a line to a slow disk.
    private static let patience = Duration.seconds(2).nanoseconds

    /// Whether code of the app watches.
    var isWatched: Bool { state.withLock { !$0.deliveries.isEmpty } }

    /// Whether those who watch are told of a start on the main thread before the step begins.
    var isToldBeforeMain: Bool { virtualTime == nil && isWatched }

    /// The events of the launch, from the first one on.
    var events: LaunchEvents {
        let feed = EventFeed()
        var isGoingOn = false
        let machine = beginWatching { state in
            // A launch that has given its report has no further event.
            isGoingOn = state.record == nil
            if isGoingOn { state.streams.add(feed) }
        }
        var past = dressed(machine.eventsSoFar, machine)
        // The last event comes with the report.
        if isGoingOn, past.last?.kind == .launchEnded { past.removeLast() }
        return LaunchEvents(feed, past: past)
    }

    /// Tells `observer` of everything from now on.
    ///
    /// - Returns: the events up to now.
    func observe(fromNow observer: @escaping @Sendable (LaunchEvent) -> Void) -> [LaunchEvent] {
        let machine = beginWatching { state in
            // A launch that is over has no further event.
            if state.machine.phase != .over { state.deliveries.add(observer) }
        }
        return dressed(machine.eventsSoFar, machine)
    }

    /// Adds an observer. Its past events come from the states of the operations, since a launch without observers keeps no events; this is done without the
    /// lock, because it takes a while.
    ///
    /// - Returns: the states of the operations before the first event that is told.
    private func beginWatching(_ add: (inout State) -> Void) -> LaunchStateMachine {
        let machine = state.withLock { state in
            noteEvents(&state)
            add(&state)
            state.machine.settings.recordsEvents = true
            return state.machine
        }
        // The noted events belong to earlier observers, which are called elsewhere: this caller has asked for something else.
        tell(defersAppCode: true)
        return machine
    }

    /// The launch is over: its report is given when those who watch know, or when they have had time enough.
    func limitWatching() {
        // In virtual time the clock stands still while an observer is called.
        guard virtualTime == nil else { return }
        let end = timekeeper.now.addingSaturated(Self.patience)
        state.withLock { $0.endOfWatching = end }
        timekeeper.wake(at: end)
    }

    /// Tells the observers of new events: on this thread, so that an announced step begins after its announcement; elsewhere if this is the
    /// main thread.
    ///
    /// - Parameter defersAppCode: as for ``input(defersAppCode:_:)``.
    func tell(defersAppCode: Bool) {
        tellStreams()
        if defersAppCode || MainThreadCheck.isCurrent { callApp { self.deliverEvents() } } else { deliverEvents() }
    }

    /// Fills the streams, unless another thread is doing so and will add these events too. It never waits, but it gives jobs to readers'
    /// executors.
    func tellStreams() {
        var isContinuing = false
        while true {
            let batches = state.withLock { state in
                noteEvents(&state)
                return state.streams.next(continuing: isContinuing)
            }
            guard let batches else { return }
            isContinuing = true
            var ended: [EventFeed] = []
            for batch in batches {
                for feed in batch.feeds where !batch.events.allSatisfy(feed.add) { ended.append(feed) }
            }
            if !ended.isEmpty { state.withLock { $0.streams.remove(ended) } }
        }
    }

    /// Gives the streams their last event. The launch has given back all that it held.
    ///
    /// - Returns: whether there are streams; the caller then tells them.
    func endStreams(_ state: inout State) -> Bool {
        if state.streams.isEmpty { return false }
        // First the events before it: an observer that blocks may hold the thread that was to note them.
        noteEvents(&state)
        let last = LaunchStateMachine.RawEvent(kind: .launchEnded, node: -1, attempt: 0, time: state.machine.endOfLaunch)
        state.streams.end(with: dressed([last], state.machine))
        return true
    }

    /// Begins steps of the main thread whose starts have been told, but for those that have begun.
    func begin(_ mainStarts: [EventDeliveries.MainStart]) {
        for start in state.withLock({ $0.deliveries.take(mainStarts) }) {
            OperationQueue.main.addOperation {
                self.withCallersValues { self.onThisThread(start.assignment) { self.performOnMain(start.assignment) } }
            }
        }
    }

    /// Begins steps of the main thread whose starts have not been told in time, because an observer blocks. If starts are recorded, the
    /// recorder is told first, apart from the observers, and gets the same time again: a slow disk does not hold up the main thread either.
    func beginUntoldMainSteps() {
        guard state.withLock({ !$0.deliveries.mainStarts.isEmpty }) else { return }
        let now = timekeeper.now
        let (late, next) = state.withLock { state in
            (state.deliveries.takeLate(at: now, areRecorded: recordsStart != nil), state.deliveries.nextLimit(after: now))
        }
        begin(late.begin)
        if let recordsStart, !late.record.isEmpty {
            // A queue of its own: that of the launch may be behind the observer that blocks.
            AppCodeQueue().add { [self] in
                for start in late.record { recordsStart(graph.id(start.assignment.node), start.assignment.attempt) }
                begin(late.record)
            }
        }
        if let next { timekeeper.wake(at: next) }
    }

    /// Gives the report of a launch that is over to those who wait for it, if the observers have had time enough.
    func endWatching() {
        guard let end = state.withLock({ $0.endOfWatching }) else { return }
        // This may be an earlier alarm, of a timeout that no longer counts.
        if timekeeper.now >= end { finish(defersAppCode: true) } else { timekeeper.wake(at: end) }
    }

    /// Reports a stall, as things were when it was noticed. Closures that tell of a wait are asked there too.
    func reportStall(_ snapshot: StatusSnapshot) {
        guard let stallWatch else { return }
        callApp { [self] in stallWatch.report(status(snapshot)) }
    }
}

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
    private var pending: [Batch] = []
    private var isDelivering = false

    init(observers: [Observer] = []) {
        self.observers = observers
    }

    var isEmpty: Bool { observers.isEmpty }

    mutating func add(_ events: [LaunchEvent]) {
        // For the observers of this moment: one that is added later has these events in its past.
        if !events.isEmpty { pending.append(Batch(events: events, observers: observers)) }
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
    private var pending: [Batch] = []
    private var isDelivering = false

    var isEmpty: Bool { feeds.isEmpty }

    /// Adds events, without the end of the launch.
    mutating func add(_ events: [LaunchEvent]) {
        if events.isEmpty || feeds.isEmpty { return }
        let events = events.last?.kind == .launchEnded ? events.dropLast() : events[...]
        if !events.isEmpty { pending.append(Batch(events: events, feeds: feeds)) }
    }

    mutating func add(_ feed: EventFeed) { feeds.append(feed) }

    /// Adds the end of the launch.
    mutating func end(with last: [LaunchEvent]) { pending.append(Batch(events: last[...], feeds: feeds)) }

    mutating func remove(_ ended: [EventFeed]) {
        feeds.removeAll { feed in ended.contains { $0 === feed } }
    }

    /// The events to tell now; nil if all have been told, or if another thread is telling.
    mutating func next(continuing: Bool) -> [Batch]? {
        if isDelivering && !continuing { return nil }
        // As in `EventDeliveries`.
        isDelivering = !pending.isEmpty
        guard isDelivering else { return nil }
        defer { pending.removeAll() }
        return pending
    }
}

extension LaunchStorage.State {
    /// Notes a step of the main thread, whose start is about to be told; nil for a condition and a fallback, which no event announces.
    mutating func willBeginOnMain(_ assignment: LaunchStorage.Assignment, at now: Nanoseconds) -> EventDeliveries.MainStart? {
        guard assignment.kind == .run else { return nil }
        let start = EventDeliveries.MainStart(assignment: assignment, limit: now.addingSaturated(AppCodeQueue.patience))
        deliveries.add(start)
        return start
    }
}

extension LaunchStorage {
    /// Tells the observers of the events, unless another thread is doing so and will tell these too. The thread that tells the launch's end gives the report.
    func deliverEvents() {
        var isContinuing = false
        while true {
            let (batches, mainStarts) = state.withLock { state in
                noteEvents(&state)
                // Under one lock: these starts are among the events that are told below.
                return (state.deliveries.next(continuing: isContinuing), state.deliveries.mainStarts)
            }
            guard let batches else { return }
            isContinuing = true
            // A launch that an observer starts does not belong to the step that this thread has run.
            LaunchWithin.none {
                for batch in batches {
                    for event in batch.events {
                        for observer in batch.observers { observer(event) }
                    }
                }
            }
            begin(mainStarts)
            if case .launchEnded? = batches.last?.events.last?.kind { finish() }
        }
    }

    /// Moves the state machine's events to where they are told from.
    func noteEvents(_ state: inout State) {
        let events = dressed(state.machine.takeEvents(), state.machine)
        state.deliveries.add(events)
        state.streams.add(events)
    }

    func dressed(_ events: [LaunchStateMachine.RawEvent], _ machine: LaunchStateMachine) -> [LaunchEvent] {
        // An event of the launch itself has no operation whose outcome it could tell.
        events.map { LaunchEvent($0, in: graph, outcome: $0.node >= 0 ? machine.nodes[$0.node].outcome : .succeeded, scope: scope) }
    }
}

extension LaunchStateMachine {
    /// The events up to now, as far as the states of the operations tell: of attempts that were repeated, only the start of the first.
    ///
    /// - Complexity: O(operations · log operations).
    var eventsSoFar: [RawEvent] {
        guard hasBegun else { return [] }
        // At one moment, the events of an operation come after those of its dependencies, and ends by a stop come after the stop.
        var ordered: [(key: (Nanoseconds, Int, Int), event: RawEvent)] = []
        func add(_ kind: RawEvent.Kind, _ node: Int = -1, attempt: Int = 0, at time: Nanoseconds, rank: Int) {
            ordered.append(((time, rank, ordered.count), RawEvent(kind: kind, node: node, attempt: attempt, time: time)))
        }
        add(.launchStarted, at: 0, rank: -1)
        for index in graph.order {
            let node = nodes[index]
            if node.ready >= 0, node.state != .waiting { add(.ready, index, at: node.ready, rank: 0) }
            // A join never starts, nor does an operation whose condition was being asked, though both have a time for it.
            if node.start >= 0, node.attempts > 0, !traits[index].contains(.isJoin) {
                add(.started, index, attempt: 1, at: node.start, rank: 0)
            }
            guard node.state == .ended else { continue }
            let isStopped =
                stop != nil && node.end >= stopTime && (node.outcome == .cancelled || node.isStraggler || attemptsNotMade[index] != nil)
            add(.ended, index, attempt: Int(node.attempts), at: node.end, rank: isStopped ? 2 : 0)
        }
        if stop != nil { add(.stopped, at: stopTime, rank: 1) }
        if phase == .over { add(.launchEnded, at: endOfLaunch, rank: 3) }
        return ordered.sorted { $0.key < $1.key }.map(\.event)
    }
}
