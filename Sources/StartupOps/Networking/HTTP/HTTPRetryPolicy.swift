import Sequencer

/// How often, and after which pauses, a request is sent again.
///
/// Only requests that do the same when sent twice are sent again, and only after errors that may pass: no connection, no answer, or one of the
/// statuses 408, 425, 429 and 500 and above. Pauses double, and are cut by chance to between half and all of that, so that clients that failed
/// together do not come back together.
public struct HTTPRetryPolicy: Sendable, Hashable {
    /// How often a request is sent at the most; 1 is never again.
    public var maximumAttempts: Int
    /// The pause before the second attempt.
    public var initialDelay: Duration
    /// The longest pause. A server that asks for a longer one gets it, if the deadline allows.
    public var maximumDelay: Duration

    /// A policy.
    public init(maximumAttempts: Int = 3, initialDelay: Duration = .milliseconds(200), maximumDelay: Duration = .seconds(5)) {
        self.maximumAttempts = maximumAttempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
    }

    /// Each request is sent once.
    public static let never = HTTPRetryPolicy(maximumAttempts: 1)

    /// The pause before an attempt, from the second one on.
    ///
    /// - Parameter chance: from 0 to 1.
    func delay(beforeAttempt attempt: Int, chance: Double) -> Duration {
        let doublings = min(max(attempt - 2, 0), 30)
        let whole = min(
            max(initialDelay, .zero).nanoseconds.multipliedSaturated(by: 1 << Int64(doublings)),
            max(maximumDelay, .zero).nanoseconds
        )
        let half = whole / 2
        // Written so that what is no number counts as zero.
        let share = chance > 0 ? min(chance, 1) : 0
        return .nanoseconds(half + (Int64(exactly: (Double(half) * share).rounded()) ?? half))
    }
}

extension Int64 {
    fileprivate func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
