import Sequencer

/// How often, and after which pauses, a request is sent again.
///
/// Only requests that do the same when sent twice are sent again, and only after errors that may pass: no connection,
/// no answer, or one of the statuses 408, 425, 429 and 500 and above. Pauses double, and are cut by chance to between
/// half and all of that, so that clients that failed together do not come back together.
package struct HTTPRetryPolicy: Sendable, Hashable {
    /// How often a request is sent at the most; 1 is never again.
    var maximumAttempts = 3
    /// The pause before the second attempt.
    var initialDelay = Duration.milliseconds(200)
    /// The longest pause. A server that asks for a longer one gets it, if the deadline allows.
    var maximumDelay = Duration.seconds(5)

    /// Each request is sent once.
    package static let never = HTTPRetryPolicy(maximumAttempts: 1)

    /// The pause before an attempt, from the second one on.
    ///
    /// - Parameter chance: from 0 to 1.
    func delay(beforeAttempt attempt: Int, chance: Double) -> Duration {
        // Doubled twenty times it is above every maximum.
        let half = min(initialDelay * (1 << min(attempt - 2, 20)), maximumDelay).nanoseconds / 2
        return .nanoseconds(half + Int64(Double(half) * chance))
    }
}
