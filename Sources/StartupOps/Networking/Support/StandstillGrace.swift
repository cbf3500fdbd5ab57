import Dispatch
import Sequencer

/// Tells whether a timer rings so late that the process must have stood still. It then waits once more, for a moment.
///
/// An answer that came in time, and could not be read, would otherwise lose to the timer of its deadline: a process that goes on finds both at once. With
/// the answer to a refresh the only good refresh token would be lost.
struct StandstillGrace: Sendable {
    /// Enough to read an answer that has arrived, and less than the extra time of a step after a standstill: the step may have to handle
    /// the failure.
    static var pause: DispatchTimeInterval { .milliseconds(100) }
    /// Timers of a busy machine are late, too, and may wait as well.
    private static let tolerance: Nanoseconds = 100_000_000

    private let due: Nanoseconds
    private let now: @Sendable () -> Nanoseconds

    /// For a timer that is to ring after this time.
    init(after duration: Duration, now: @escaping @Sendable () -> Nanoseconds = { monotonicNanoseconds() }) {
        self.now = now
        // Saturated: a deadline may be as far as a Duration goes.
        due = now().addingSaturated(duration.nanoseconds)
    }

    /// Whether the timer, which rings now, is late.
    var isLate: Bool { now().addingSaturated(-due) > Self.tolerance }
}
