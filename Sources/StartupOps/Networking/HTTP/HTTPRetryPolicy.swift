import Sequencer

/// How often, and after which pauses, a request is sent again.
///
/// Only requests that do the same when sent twice are sent again, and only after errors that may pass: no connection, no answer, or one of the
/// statuses 408, 425, 429 and 500 and above. Pauses double, and are cut by chance to between half and all of that, so that clients that failed
/// together do not come back together.
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
        // Within a day, so that nothing overflows; 2^30 times the first pause is above every maximum.
        let day = Duration.seconds(86_400)
        let first = min(max(initialDelay, .zero), day)
        let half = min(first * (1 << min(max(attempt - 2, 0), 30)), max(maximumDelay, .zero), day).nanoseconds / 2
        // Written so that NaN counts as zero.
        return .nanoseconds(half + Int64(Double(half) * (chance > 0 ? min(chance, 1) : 0)))
    }
}

/// The decision after an attempt: decides, and does nothing.
struct RetryState {
    /// The decisions.
    enum Decision: Equatable {
        /// This was the last attempt.
        case stop
        /// Another one would follow, but could not begin before the deadline.
        case stopForLackOfTime
        /// Send it again after a pause.
        case retry(after: Duration)
    }

    private let policy: HTTPRetryPolicy
    private let isIdempotent: Bool
    /// The number of the attempt that runs, from 1.
    private(set) var attempt = 1

    init(_ policy: HTTPRetryPolicy, isIdempotent: Bool) {
        self.policy = policy
        self.isIdempotent = isIdempotent
    }

    /// An attempt has ended.
    ///
    /// - Parameters:
    ///   - isTransient: whether another one may do better.
    ///   - retryAfter: the pause the server asked for.
    ///   - remaining: the time until the deadline.
    ///   - chance: from 0 to 1.
    mutating func end(isTransient: Bool, retryAfter: Duration?, remaining: Duration?, chance: Double) -> Decision {
        // A request that was lost may have been done: only one that may be done twice is sent again.
        guard isTransient, isIdempotent, attempt < policy.maximumAttempts else { return .stop }
        // The longer of the two: a server's wish is kept, and a client never comes back too soon.
        let pause = max(policy.delay(beforeAttempt: attempt + 1, chance: chance), retryAfter ?? .zero)
        // Equal is too late: the attempt would have no time.
        if let remaining, pause >= remaining { return .stopForLackOfTime }
        attempt += 1
        return .retry(after: pause)
    }
}

/// Which hosts asked to be left alone, and until when: decides, and does nothing.
struct ThrottledHosts {
    /// A host's request for a pause.
    struct Entry: Equatable {
        var until: ContinuousClock.Instant
        var status: Int
    }

    /// More hosts than an app talks to; of more, those that end first are forgotten.
    static let capacity = 64

    private var entries: [HTTPOrigin: Entry] = [:]

    /// The host asked for a pause. A later end replaces an earlier one.
    mutating func throttle(_ origin: HTTPOrigin, until: ContinuousClock.Instant, status: Int) {
        if let entry = entries[origin], entry.until >= until { return }
        if entries.count >= Self.capacity, entries[origin] == nil, let first = entries.min(by: { $0.value.until < $1.value.until })?.key {
            entries[first] = nil
        }
        entries[origin] = Entry(until: until, status: status)
    }

    /// The host's request for a pause, if that is not over.
    mutating func entry(for origin: HTTPOrigin, now: ContinuousClock.Instant) -> Entry? {
        guard let entry = entries[origin] else { return nil }
        if entry.until > now { return entry }
        entries[origin] = nil
        return nil
    }
}
