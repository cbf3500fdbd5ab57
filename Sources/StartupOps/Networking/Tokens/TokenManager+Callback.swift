import Sequencer

extension TokenManager {
    /// A refresh for services that call back: whoever calls back first is heard.
    ///
    /// A second call changes nothing. Where nobody calls by the deadline, the refresh fails as one of the moment. The callback may be called from any
    /// thread, the main one included, and before `start` returns.
    public static func refresh(
        callingBack start: @escaping @Sendable (Session, @escaping @Sendable (Result<Session?, any Error>) -> Void) -> Void
    ) -> Refresh {
        { session, deadline in
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Session?, any Error>) in
                let pending = Locked<CheckedContinuation<Session?, any Error>?>(continuation)
                let resume: @Sendable (Result<Session?, any Error>) -> Void = { result in
                    let continuation = pending.withLock { pending in
                        defer { pending = nil }
                        return pending
                    }
                    continuation?.resume(with: result)
                }
                let timer = DeadlineTimer(deadline) { resume(.failure(NetworkError.tokenTimedOut)) }
                start(session) { result in
                    timer?.cancel()
                    resume(result)
                }
            }
        }
    }
}
