import Sequencer
import StartupNetworking

extension StepContext {
    /// Asks a service for something, and records that the launch waits for it.
    ///
    /// - Parameters:
    ///   - what: completes "it waits for ...", and holds no secret.
    ///   - body: is given a deadline: three seconds at most, and before the operation's own end. Until somebody has
    ///     been asked something in this launch, no more than two thirds of the time that the budget leaves.
    nonisolated(nonsending) public func request<Answer>(
        _ what: String,
        _ body: nonisolated(nonsending) (Deadline) async throws -> Answer
    ) async rethrows -> Answer {
        // Taken at the begin: a request that is tried again must not get the whole time again.
        let deadline = Deadline.after(withinBudget(requestTime))
        return try await waiting(for: what) { try await body(deadline) }
    }

    /// How long this operation may wait for something: three seconds, and so long before the operation's own end that
    /// there is time left to handle a failure, namely a tenth of the remaining time, 200 ms at most.
    var requestTime: Duration {
        let longest = Duration.seconds(3)
        // At most a tenth, so that a short timeout keeps most of its time for the request.
        return remainingTime.map { min(longest, $0 - min($0 / 10, .milliseconds(200))) } ?? longest
    }

    /// How much of `time` a request may take that nobody has set off: two thirds of what the budget leaves, so that
    /// there is something left for the next request, however many come one after the other. All of it once somebody has
    /// been asked something in this launch, and where no budget is kept.
    func withinBudget(_ time: Duration) -> Duration {
        guard !hasAsked, let left = timeWithinBudget else { return time }
        return min(time, max(left * 2 / 3, Self.leastTime))
    }

    /// Bounds an optional part of the launch, whose timeout is the most that it has: by two thirds of what the budget
    /// leaves, when half a second of that is kept for the requests that follow. All parts together have 180 ms beyond
    /// that, so that a hung splash and hung services still keep a budget of a second.
    func keepBudget() {
        guard let left = timeWithinBudget else { return }
        limitTime(to: (left - .milliseconds(500)) * 2 / 3, atLeast: .milliseconds(90))
    }

    /// Never so little that nothing could come in time, as where the launch has begun late.
    private static let leastTime = Duration.milliseconds(200)

    /// Asks a service that may take no notice of its deadline for something: a little later it is told to cancel, and
    /// not waited for.
    ///
    /// - Parameters:
    ///   - what: completes "it waits for ...", and holds no secret.
    ///   - time: how long the service has; less where a launch that has asked nobody would not keep its budget.
    ///   - body: is given the deadline. An answer that comes when nobody waits for it any more is dropped.
    /// - Throws: what `body` throws, a `NetworkError` when the service is not waited for, or `CancellationError` when
    ///     the operation is told to cancel.
    func boundedRequest<Answer: Sendable>(
        _ what: String,
        within time: Duration,
        _ body: @escaping @Sendable (Deadline) async throws -> Answer
    ) async throws -> Answer {
        let time = withinBudget(time)
        let deadline = Deadline.after(time)
        // A service that keeps its deadline has reported its own error by then.
        let patience = time + min(time / 20, .milliseconds(100))
        let request = BackgroundRequest<Answer>()
        // A second more than it is waited for: the launch must not end before the wait does.
        try request.begin("request", in: self, deadline: patience + .seconds(1)) { try await body(deadline) }
        let answer = await waiting(for: what) { await request.answer(within: patience, in: self) }
        // One that came in the last moment counts.
        if let answer { return try answer.get() }
        request.cancel()
        try checkCancellation()
        throw NetworkError(.timedOut, request: what, "the service neither answered nor failed by its deadline")
    }

    /// Waits until the sequence ends, which it does when its reader is cancelled, `limit` has passed, or the operation
    /// is told to cancel.
    func wait(atMost limit: Duration, for sequence: some AsyncSequence & Sendable) async {
        // In tasks of the step's own: in virtual time they run in its turns, while a task that it leaves behind would
        // need a thread of the pool.
        await withTaskGroup { group in
            group.addTask {
                let begin = self.elapsed
                _ = try? await self.sleep(for: limit)
                // After a standstill of the process, leave the request time to read an answer that has arrived
                // meanwhile.
                if self.elapsed - begin > limit + .milliseconds(100) { _ = try? await self.sleep(for: .milliseconds(500)) }
            }
            group.addTask {
                var iterator = sequence.makeAsyncIterator()
                while (try? await iterator.next()) != nil {}
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// When this operation must have ended: at its timeout or at the launch's deadline, the earlier of the two.
    public var deadline: Deadline { remainingTime.map { .after($0) } ?? .never }
}
