/// The events of one launch, as they happen. The stream ends with the launch.
///
/// ```swift
/// let launch = try graph.start()
/// for await event in launch.events { print(event.time, event.kind) }
/// ```
///
/// The stream keeps all events up to the call that made it, and up to 16,384 unread ones after that, those of a launch of some 5,000 operations. A reader
/// who is further behind misses the oldest, counted in ``droppedCount``; the last event, ``LaunchEvent/Kind/launchEnded``, always comes. Read one stream
/// from one task.
public struct LaunchEvents: AsyncSequence, Sendable {
    /// The most events that are kept for a reader, besides those that were over when it came.
    static let maximumUnread = 16_384

    private let stream: AsyncStream<LaunchEvent>
    private let feed: EventFeed

    /// A stream that `feed` fills, with the events before those that it was told of.
    init(_ feed: EventFeed, past: [LaunchEvent] = []) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LaunchEvent.self,
            bufferingPolicy: .bufferingNewest(past.count + Self.maximumUnread)
        )
        self.stream = stream
        self.feed = feed
        feed.open(continuation, past: past)
    }

    /// How many events were dropped, up to now, because nobody had read them.
    public var droppedCount: Int { feed.droppedCount }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncStream<LaunchEvent>.Iterator { stream.makeAsyncIterator() }
}

/// Fills one stream of events. It does not keep the stream: who lets go of that is not told any more.
final class EventFeed: Sendable {
    private struct State {
        var continuation: AsyncStream<LaunchEvent>.Continuation?
        /// The events that came before the stream was there.
        var held: [LaunchEvent] = []
        var dropped = 0
        var isOver = false

        mutating func yield(_ event: LaunchEvent) {
            guard let continuation else { return held.append(event) }
            switch continuation.yield(event) {
            case .dropped: dropped += 1
            case .terminated: isOver = true
            default: break
            }
            if event.kind == .launchEnded {
                continuation.finish()
                isOver = true
            }
        }
    }

    // Resuming a reader under this lock runs no code of the app: a reader goes on elsewhere.
    private let state = Locked(State())

    var droppedCount: Int { state.withLock { $0.dropped } }

    /// - Returns: whether there may be a reader for more.
    func add(_ event: LaunchEvent) -> Bool {
        state.withLock { state in
            if !state.isOver { state.yield(event) }
            return !state.isOver
        }
    }

    func open(_ continuation: AsyncStream<LaunchEvent>.Continuation, past: [LaunchEvent]) {
        state.withLock { state in
            let events = past + state.held
            state.held = []
            state.continuation = continuation
            for event in events { state.yield(event) }
        }
    }
}

/// Something that happened in a launch, for a live view.
///
/// Events come in the order in which they took effect: an operation's ready, started, retrying and ended events in that order, the launch's
/// end last. An operation that never starts (cancelled or skipped) only ends.
public struct LaunchEvent: Sendable, Hashable {
    /// The kinds of event.
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
        /// The launch is over. The last event.
        case launchEnded
    }

    /// The kind of event.
    public let kind: Kind
    /// The time since the launch began.
    public let time: Duration

    package init(kind: Kind, time: Duration) {
        self.kind = kind
        self.time = time
    }
}

extension LaunchEvent {
    init(_ raw: LaunchStateMachine.RawEvent, in graph: ValidatedGraph, outcome: Outcome) {
        time = .nanoseconds(raw.time)
        func id() -> String { graph.id(raw.node) }
        kind =
            switch raw.kind {
            case .launchStarted: .launchStarted
            case .ready: .ready(id())
            case .started: .started(id(), attempt: raw.attempt)
            case .retrying: .retrying(id(), attempt: raw.attempt)
            case .ended: .ended(id(), outcome)
            case .stopped: .stopped
            case .launchEnded: .launchEnded
            }
    }
}
