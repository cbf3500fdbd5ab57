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

    private struct Times: Sendable {
        /// When the app has left the screen; nil while it can be seen.
        var left: Duration?
        /// For how long it was away the last time.
        var away: Duration?
    }

    private let broadcaster = EventBroadcaster<Event>()
    private let times = Locked(Times())
    private let now: @Sendable () -> Duration

    /// A lifecycle that nobody reads yet.
    ///
    /// - Parameter now: tells the time, from any moment on; the default goes on while the machine is suspended.
    init(now: (@Sendable () -> Duration)? = nil) {
        let start = ContinuousClock.now
        self.now = now ?? { start.duration(to: .now) }
    }

    /// Tells every reader.
    public func send(_ event: Event) {
        let time = now()
        times.withLock { times in
            switch event {
            // Told twice, it has been away since the first time.
            case .didEnterBackground: times.left = times.left ?? time
            case .didBecomeActive:
                if let left = times.left { times.away = time - left }
                times.left = nil
            }
        }
        broadcaster.note(event)
    }

    /// For how long the app has been away from the screen; where it can be seen, for how long it was the last time. Nil
    /// when it has never left.
    ///
    /// A launch that brings the app back can go by it: after a moment nothing need be asked anew, after a day nearly
    /// everything. The time in which the machine is suspended counts.
    public var timeAway: Duration? {
        let time = now()
        return times.withLock { times -> Duration? in times.left.map { time - $0 } ?? times.away }
    }

    /// Whether the app has left the screen, as far as it has reported.
    var isAway: Bool { times.withLock { $0.left != nil } }

    /// The events from now on.
    func events() -> AsyncStream<Event> { broadcaster.stream() }
}
