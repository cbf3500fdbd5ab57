import Sequencer

extension Launch {
    /// Asks a service for something, and says so to whoever wants to know what the launch waits for.
    ///
    /// - Parameters:
    ///   - what: completes "it waits for ...", and holds no secret.
    ///   - body: is given ``requestDeadline``.
    nonisolated(nonsending) public func request<Answer>(
        _ what: String,
        _ body: nonisolated(nonsending) (Deadline) async throws -> Answer
    ) async rethrows -> Answer {
        let deadline = requestDeadline
        return try await waiting(for: what) { try await body(deadline) }
    }

    /// When a request of this operation has to have ended: in three seconds, and so long before the operation's own end that there is time
    /// left to make something of a failure, namely a tenth of the remaining time, 200 ms at most.
    public var requestDeadline: Deadline {
        let longest = Deadline.after(.seconds(3))
        return remainingTime.map { longest.limited(to: $0 - min($0 / 10, .milliseconds(200))) } ?? longest
    }
}
