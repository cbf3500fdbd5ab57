/// The events of one launch: a stream of ``RunningLaunch/events``.
public struct LaunchEvents: AsyncSequence, Sendable {
    /// Takes events out of the stream.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var events: AsyncStream<LaunchEvent>.Iterator
        fileprivate let feed: EventFeed
        /// The event before which some are missing.
        fileprivate var following: LaunchEvent?

        /// The next event, as soon as there is one; nil after the last.
        public mutating func next() async -> LaunchEvent? {
            if let event = following.take() { return event }
            return announcingMissing(before: await events.next())
        }

        /// The next event, as soon as there is one; nil after the last.
        @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LaunchEvent? {
            if let event = following.take() { return event }
            return announcingMissing(before: await events.next(isolation: actor))
        }

        /// The event, or how many are missing before it.
        private mutating func announcingMissing(before event: LaunchEvent?) -> LaunchEvent? {
            guard let event, case let missing = feed.takeMissing(), missing > 0 else { return event }
            // Told before the first event that is left, and at its time: that is where the others are missing.
            following = event
            return LaunchEvent(kind: .dropped(missing), time: event.time, scope: event.scope)
        }
    }

    private let stream: AsyncStream<LaunchEvent>
    private let feed: EventFeed

    /// A stream of the events that `feed` gets, and of those before them.
    init(_ feed: EventFeed, past: [LaunchEvent] = []) { (self.feed, stream) = (feed, feed.begin(with: past)) }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(events: stream.makeAsyncIterator(), feed: feed) }
}

/// Fills a stream of events, which keeps the newest of them, since nobody may ever read (L43): these say how far the
/// launch is, and its end must always come.
final class EventFeed: Sendable {
    private struct State: ~Copyable {
        /// The events that come before the stream begins.
        var early: [LaunchEvent] = []
        /// Nil before that.
        var reader: AsyncStream<LaunchEvent>.Continuation?
    }

    /// The most events that are kept for a reader.
    private static let maximumUnread = 65_536

    private let state = Locked(State())
    /// How many events were dropped since the reader was told of that.
    private let missing = Locked(0)

    /// - Returns: whether there may be a reader for more.
    func add(_ event: LaunchEvent) -> Bool {
        let reader = state.withLock { state in
            if state.reader == nil { state.early.append(event) }
            return state.reader
        }
        // Without the lock: the executor that is given the reader's job may be the app's.
        return reader.map { give(event, to: $0) } ?? true
    }

    /// Begins the stream, with earlier events before those that have arrived already.
    fileprivate func begin(with past: [LaunchEvent]) -> AsyncStream<LaunchEvent> {
        let (stream, reader) = AsyncStream<LaunchEvent>.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumUnread))
        state.withLock { state in
            // The feed was added before the past was put together, so that no event is missed between the two: some may
            // have arrived meanwhile. Nobody reads yet, so this calls nobody.
            for event in past + state.early { _ = give(event, to: reader) }
            state = State(reader: reader)
        }
        return stream
    }

    private func give(_ event: LaunchEvent, to reader: AsyncStream<LaunchEvent>.Continuation) -> Bool {
        let result = reader.yield(event)
        if case .dropped = result { missing.withLock { $0 += 1 } }
        // The last event goes to one reader: the others would wait for ever.
        if event.kind == .launchEnded { reader.finish() }
        if case .terminated = result { return false }
        return event.kind != .launchEnded
    }

    /// How many events were dropped since the last call.
    fileprivate func takeMissing() -> Int { missing.withLock { exchange(&$0, with: 0) } }
}

/// Something that happened in a launch, for a live view.
///
/// Events come in the order in which they took effect: an operation's ready, started, retrying and ended events in that
/// order, the launch's end last. An operation that never starts (cancelled or skipped) only ends.
///
/// Its description is the time and the kind, in one line: `610 ms: login succeeded`; with the scope, if it has one:
/// `610 ms: window-2: login succeeded`.
public struct LaunchEvent: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of event.
    ///
    /// The description of one is a few words: `login is ready`, `login started`, `login started, attempt 2`,
    /// `login failed at attempt 1 and is tried again`, `login succeeded`.
    public enum Kind: Sendable, Hashable, CustomStringConvertible {
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
        /// The number of events that are missing here, because the reader of the stream came too late for them; before
        /// the first one that is there. Observers, which miss nothing, never get it.
        case dropped(Int)

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

    /// The kind of event.
    public let kind: Kind
    /// The time since the launch began; for an event of a scope, since that began.
    public let time: Duration
    /// The scope that it happened in (``RunningLaunch/addScope(_:_:budget:options:)``): its name, after that of the
    /// scope it is in, if any (`window-2/sync`). Nil for an event of the launch itself.
    public internal(set) var scope: String?

    /// The value in words.
    public var description: String { "\(durationText(time)): \(scope.map { "\(printable($0)): " } ?? "")\(kind)" }
}
