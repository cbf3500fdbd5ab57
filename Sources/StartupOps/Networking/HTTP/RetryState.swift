/// What to do after an attempt: decides, and does nothing.
struct RetryState {
    /// What to do.
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
    ///   - remaining: what is left until the deadline.
    ///   - chance: from 0 to 1.
    mutating func end(isTransient: Bool, retryAfter: Duration?, remaining: Duration?, chance: Double) -> Decision {
        guard isTransient, isIdempotent, attempt < policy.maximumAttempts else { return .stop }
        let pause = max(policy.delay(beforeAttempt: attempt + 1, chance: chance), retryAfter ?? .zero)
        if let remaining, pause >= remaining { return .stopForLackOfTime }
        attempt += 1
        return .retry(after: pause)
    }
}
