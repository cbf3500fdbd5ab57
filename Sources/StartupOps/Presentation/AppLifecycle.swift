import Sequencer
import StartupNetworking

/// The events of the system while the app launches, as the app tells them.
///
/// Any number of readers hear of every event that comes after they have asked. Every method can be called from any
/// thread.
public final class AppLifecycle: Sendable {
    /// An event of the system.
    public enum Event: Sendable, Hashable {
        /// The app can be seen and touched.
        case didBecomeActive
        /// The app cannot be seen any more.
        case didEnterBackground
    }

    private let broadcaster = EventBroadcaster<Event>()
    private let hasLeft = Locked(false)

    /// A lifecycle that nobody reads yet.
    init() {}

    /// Tells every reader.
    public func send(_ event: Event) {
        hasLeft.withLock { $0 = event == .didEnterBackground }
        broadcaster.note(event)
    }

    /// Whether the app has left the screen, as far as it has reported.
    var isAway: Bool { hasLeft.withLock { $0 } }

    /// The events from now on.
    func events() -> AsyncStream<Event> { broadcaster.stream() }
}
