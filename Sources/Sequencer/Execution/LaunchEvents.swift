/// The events of one launch: a stream of ``RunningLaunch/events``.
struct LaunchEvents: AsyncSequence, Sendable {
    /// Takes events out of the stream.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: EventFeed.Reading

        /// The next event, as soon as there is one; nil after the last.
        mutating func next() async -> LaunchEvent? { await next(isolation: nil) }

        /// The next event, as soon as there is one; nil after the last.
        mutating func next(isolation actor: isolated (any Actor)?) async -> LaunchEvent? {
            await reading.feed.next(isolation: actor)
        }
    }

    /// The most events that are kept for a reader.
    static let maximumUnread = 65_536

    private let reading: EventFeed.Reading

    /// A stream of the events that `feed` gets, and of those before them.
    init(_ feed: EventFeed, past: [LaunchEvent] = []) {
        feed.begin(with: past)
        reading = EventFeed.Reading(feed)
    }

    /// Begins to read.
    func makeAsyncIterator() -> Iterator { Iterator(reading: reading) }
}

/// The events that a stream keeps for its readers, and the readers that wait for one.
final class EventFeed: Sendable {
    /// Held by a stream and those who read it. When they have let go of it, the feed is closed.
    fileprivate final class Reading: Sendable {
        let feed: EventFeed

        init(_ feed: EventFeed) { self.feed = feed }

        deinit { feed.close() }
    }

    typealias Waiter = CheckedContinuation<LaunchEvent?, Never>

    private struct State {
        var events = FirstInFirstOut<LaunchEvent>()
        /// How many were dropped since the reader was told of that.
        var dropped = 0
        /// The readers that wait for an event; empty while events are kept.
        var waiters = FirstInFirstOut<Waiter>()
        /// Whether no more events are taken.
        var isOver = false

        mutating func keep(_ event: LaunchEvent) {
            events.append(event)
            // Bounded, since nobody may ever read (L43). The oldest go: the newest say how far the launch is, and its
            // end must always come.
            guard events.count > LaunchEvents.maximumUnread else { return }
            _ = events.popFirst()
            dropped += 1
        }

        mutating func takeNext() -> LaunchEvent? {
            // Told before the first event that is left, and at its time: that is where the others are missing.
            guard dropped > 0, let next = events.next else { return events.popFirst() }
            defer { dropped = 0 }
            return LaunchEvent(kind: .dropped(dropped), time: next.time, scope: next.scope)
        }

        mutating func end() -> FirstInFirstOut<Waiter> {
            isOver = true
            defer { waiters = FirstInFirstOut() }
            return waiters
        }
    }

    // A reader is resumed without the lock: its executor may be the app's.
    private let state = Locked(State())

    /// - Returns: whether there may be a reader for more.
    func add(_ event: LaunchEvent) -> Bool {
        let (isOpen, reader, others) = state.withLock { state -> (Bool, Waiter?, FirstInFirstOut<Waiter>?) in
            if state.isOver { return (false, nil, nil) }
            let reader = state.waiters.popFirst()
            if reader == nil { state.keep(event) }
            // The last event goes to one reader: the others would wait for ever.
            let others = event.kind == .launchEnded ? state.end() : nil
            return (!state.isOver, reader, others)
        }
        reader?.resume(returning: event)
        if let others { Self.release(others) }
        return isOpen
    }

    /// Puts events before those that have come already.
    fileprivate func begin(with past: [LaunchEvent]) {
        if past.isEmpty { return }
        state.withLock { state in
            // The feed was added before the past was put together, so that no event is missed between the two: some may
            // have come meanwhile.
            var later = state.events
            state.events = FirstInFirstOut()
            for event in past { state.keep(event) }
            while let event = later.popFirst() { state.keep(event) }
            // A launch that is over sends no other event: a reader would wait for ever.
            if past.last?.kind == .launchEnded { state.isOver = true }
        }
    }

    fileprivate func next(isolation actor: isolated (any Actor)?) async -> LaunchEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { waiter in
                // Twice optional: an event, the end of the stream, or neither yet.
                let event = state.withLock { state -> LaunchEvent?? in
                    if let event = state.takeNext() { return event }
                    if state.isOver { return .some(nil) }
                    state.waiters.append(waiter)
                    return nil
                }
                // Without the lock: the executor that is given the reader's job may be the app's.
                if let event { waiter.resume(returning: event) }
            }
        } onCancel: {
            // All readers: a cancel does not say which of them it is about.
            Self.release(state.withLock { $0.end() })
        }
    }

    /// Ends the stream and frees its events, once no reader is left.
    private func close() {
        let (waiters, events) = state.withLock { state in
            defer { state.events = FirstInFirstOut() }
            return (state.end(), state.events)
        }
        Self.release(waiters)
        // Keeps the events until the lock is free: they are freed here.
        withExtendedLifetime(events) {}
    }

    private static func release(_ waiters: FirstInFirstOut<Waiter>) {
        var waiters = waiters
        while let waiter = waiters.popFirst() { waiter.resume(returning: nil) }
    }
}

/// Something that happened in a launch, for a live view.
///
/// Events come in the order in which they took effect: an operation's ready, started, retrying and ended events in that
/// order, the launch's end last. An operation that never starts (cancelled or skipped) only ends.
///
/// Its description is the time and the kind, in one line: `610 ms: login succeeded`; with the scope, if it has one:
/// `610 ms: window-2: login succeeded`.
public struct LaunchEvent: Sendable, Hashable {
    /// The kinds of event.
    ///
    /// The description of one is a few words: `login is ready`, `login started`, `login started, attempt 2`,
    /// `login failed at attempt 1 and is tried again`, `login succeeded`.
    public enum Kind: Sendable, Hashable {
        /// The launch began.
        case launchStarted
        /// Every dependency of the operation has ended: it starts when there is a lane for it.
        case ready(String)
        /// An attempt of the operation started; the first is 1.
        case started(String, attempt: Int)
        /// An attempt failed, and there will be another after a pause.
        case retrying(String, attempt: Int)
        /// The operation ended.
        case ended(String, Outcome)
        /// Nothing starts any more: the launch failed, was cancelled or aborted, or met its deadline.
        case stopped
        /// The last event: the launch is over. An observer gets it when the operations have ended. A stream gets it
        /// when the scopes have ended, too, and the launch has given back all that it held.
        case launchEnded
        /// So many events are missing here, because the reader of the stream came too late for them; before the first
        /// one that is there. Observers, which miss nothing, never get it.
        case dropped(Int)
    }

    /// The kind of event.
    public let kind: Kind
    /// The time since the launch began; for an event of a scope, since that began.
    public let time: Duration
    /// The scope that it happened in (``RunningLaunch/addScope(_:_:budget:options:)``): its name, after that of the
    /// scope it is in, if any (`window-2/sync`). Nil for an event of the launch itself.
    public let scope: String?

    package init(kind: Kind, time: Duration, scope: String? = nil) {
        self.kind = kind
        self.time = time
        self.scope = scope
    }
}

extension LaunchEvent: CustomStringConvertible {
    /// The value in words.
    public var description: String { "\(durationText(time)): \(scope.map { "\(printable($0)): " } ?? "")\(kind)" }
}

extension LaunchEvent.Kind: CustomStringConvertible {
    /// The value in words.
    public var description: String {
        switch self {
        case .launchStarted: "the launch started"
        case .ready(let id): "\(printable(id)) is ready"
        case .started(let id, attempt: 1): "\(printable(id)) started"
        case .started(let id, let attempt): "\(printable(id)) started, attempt \(attempt)"
        case .retrying(let id, let attempt): "\(printable(id)) failed at attempt \(attempt) and is tried again"
        case .ended(let id, let outcome): "\(printable(id)) \(outcome.words)"
        case .stopped: "the launch starts nothing more"
        case .launchEnded: "the launch ended"
        case .dropped(let count): "\(count) event\(count == 1 ? " is" : "s are") missing"
        }
    }
}
