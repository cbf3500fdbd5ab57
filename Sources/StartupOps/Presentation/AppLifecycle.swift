import Sequencer

/// What the system does with the app while it launches, told by the app.
///
/// Any number of readers hear of every event that comes after they have asked. Every method can be called from any thread.
public final class AppLifecycle: Sendable {
    /// What can happen.
    public enum Event: Sendable, Hashable {
        /// The app can be seen and touched.
        case didBecomeActive
        /// The app cannot be seen any more.
        case didEnterBackground
    }

    private struct State {
        var readers: [Int: AsyncStream<Event>.Continuation] = [:]
        var asked = 0
    }

    private let state = Locked(State())

    /// A lifecycle that nobody reads yet.
    public init() {}

    /// Tells every reader.
    public func send(_ event: Event) {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader.yield(event) }
    }

    /// The events from now on.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let number = state.withLock { state in
            state.asked += 1
            state.readers[state.asked] = continuation
            return state.asked
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }
}
