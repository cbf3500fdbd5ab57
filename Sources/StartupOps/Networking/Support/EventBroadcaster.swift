import Sequencer

/// Gives events to any number of streams, to each in the order in which they were noted.
///
/// Noting an event only appends it, so it may be done while holding its subject's lock; handing out happens later, under no lock.
package final class EventBroadcaster<Event: Sendable>: Sendable {
    private struct State {
        var subscribers: [UInt64: AsyncStream<Event>.Continuation] = [:]
        var nextID: UInt64 = 0
        var outbox: [Event] = []
        var isHandingOut = false
        /// The first event of a new stream.
        var latest: Event?
    }

    private let state: Locked<State>
    private let replaysLatest: Bool

    /// - Parameter initial: what a new stream begins with until the first event, after which it begins with the latest; nil: with nothing.
    package init(replaying initial: Event? = nil) {
        state = Locked(State(latest: initial))
        replaysLatest = initial != nil
    }

    deinit {
        for continuation in state.withLock({ $0.subscribers.values }) { continuation.finish() }
    }

    /// The latest event that was noted, where they are replayed.
    package var latest: Event? { state.withLock { $0.latest } }

    /// A stream of the events from now on.
    package func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let id = state.withLock { state in
            // Under the lock: an event that is noted meanwhile comes after the first one.
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            // Nobody waits for this stream yet, so yielding calls nobody. The outbox is still to come, its latest event last.
            if state.outbox.isEmpty, let latest = state.latest { continuation.yield(latest) }
            return state.nextID
        }
        // Weak: a stream that is kept must not keep the broadcaster.
        continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.subscribers[id] = nil } }
        return stream
    }

    /// Notes events; ``handOut()`` has to follow.
    package func note(_ events: [Event]) {
        guard !events.isEmpty else { return }
        state.withLock { state in
            state.outbox += events
            if replaysLatest { state.latest = events.last }
        }
    }

    /// Hands out the noted events.
    package func handOut() {
        let isMine = state.withLock { state in
            // One thread hands out at a time, or two would mix the order.
            if state.isHandingOut || state.outbox.isEmpty { return false }
            state.isHandingOut = true
            return true
        }
        guard isMine else { return }
        while true {
            let (events, subscribers) = state.withLock { state in
                let batch = state.outbox
                state.outbox = []
                // Given up under the same lock that found nothing: an event after it begins anew.
                if batch.isEmpty { state.isHandingOut = false }
                return (batch, Array(state.subscribers.values))
            }
            if events.isEmpty { return }
            for event in events {
                for subscriber in subscribers { subscriber.yield(event) }
            }
        }
    }

    /// Notes an event; ``handOut()`` has to follow.
    package func note(_ event: Event) { note([event]) }

    package func send(_ event: Event) {
        note(event)
        handOut()
    }
}
