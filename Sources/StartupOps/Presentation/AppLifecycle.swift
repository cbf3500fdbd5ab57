import StartupNetworking

/// The events of the system while the app launches, as the app tells them.
///
/// Any number of readers hear of the last event, and of every one that comes after they have asked. Every method can be
/// called from any thread.
public final class AppLifecycle: Sendable {
    /// An event of the system.
    public enum Event: Sendable, Hashable {
        /// The app can be seen and touched.
        case didBecomeActive
        /// The app cannot be seen any more.
        case didEnterBackground
    }

    private let broadcaster = EventBroadcaster(replaying: Event.didBecomeActive)

    /// A lifecycle that nobody reads yet.
    init() {}

    /// Tells every reader.
    public func send(_ event: Event) { broadcaster.note(event) }

    /// Whether the app can be seen and touched, as far as it has told.
    var isActive: Bool { broadcaster.latest != .didEnterBackground }

    /// The last event, and those from now on.
    func events() -> AsyncStream<Event> { broadcaster.stream() }
}
