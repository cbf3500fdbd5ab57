import Sequencer

/// Gives events to any number of streams, to each in the order in which they were noted.
///
/// Noting an event calls nobody: a stream only keeps it for its reader. So it may be done while holding its subject's
/// lock.
package final class EventBroadcaster<Event: Sendable>: Sendable {
    /// Takes each event, and nil at the end.
    private typealias Subscriber = @Sendable (Event?) -> Void

    private struct State {
        var subscribers: [UInt64: Subscriber] = [:]
        var nextID: UInt64 = 0
        /// The first event of a new stream, where it has one.
        var latest: Event?
    }

    private let state: Locked<State>

    /// - Parameter initial: what a new stream begins with until the first event, after which it begins with the latest;
    ///     nil: with nothing.
    package init(replaying initial: Event? = nil) { state = Locked(State(latest: initial)) }

    deinit {
        for subscriber in state.withLock({ $0.subscribers.values }) { subscriber(nil) }
    }

    /// The latest event, where they are replayed.
    package var latest: Event? { state.withLock { $0.latest } }

    /// A stream of the events from now on.
    package func stream() -> AsyncStream<Event> { stream { $0 } }

    /// A stream of the events from now on, each as something else, but for those that are nothing.
    ///
    /// - Parameter transform: called where an event is noted.
    package func stream<Told: Sendable>(_ transform: @escaping @Sendable (Event) -> Told?) -> AsyncStream<Told> {
        let (stream, continuation) = AsyncStream.makeStream(of: Told.self)
        let subscriber: Subscriber = { event in
            guard let event else { return continuation.finish() }
            if let told = transform(event) { continuation.yield(told) }
        }
        let id = state.withLock { state in
            // Under the lock: an event that is noted meanwhile comes after the first one.
            state.nextID += 1
            state.subscribers[state.nextID] = subscriber
            if let latest = state.latest { subscriber(latest) }
            return state.nextID
        }
        // Weak: a stream that is kept must not keep the broadcaster.
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.subscribers[id] = nil } }
        return stream
    }

    /// Gives an event to all streams.
    package func note(_ event: Event) {
        state.withLock { state in
            if state.latest != nil { state.latest = event }
            for subscriber in state.subscribers.values { subscriber(event) }
        }
    }
}
