import Sequencer
import StartupStorage

/// Asks a service for something. It may outlive the step that asks, and its launch, so it is a separate launch: a task
/// of the step would have to be waited for.
final class BackgroundRequest<Value: Sendable>: Sendable {
    typealias Answer = Result<Value, any Error>
    typealias LateAnswer = @Sendable (Answer) async -> Void

    private struct State {
        var answer: Answer?
        /// Told of an answer that nobody waits for any more; nil when the request is over.
        var late: LateAnswer?
        var isLate: Bool
        /// Nil when the request is over.
        var launch: RunningLaunch?
    }

    /// The number of an update check: of several, the one that began last counts.
    let number: Int
    private let state: Locked<State>
    /// Ends when the answer is there.
    private let arrival = AsyncStream.makeStream(of: Never.self)

    /// - Parameters:
    ///   - isAwaited: false for a request whose answer is late whenever it comes.
    ///   - late: told of an answer that comes when nobody waits for it any more.
    init(_ number: Int = 0, isAwaited: Bool = true, late: @escaping LateAnswer = { _ in }) {
        self.number = number
        state = Locked(State(late: late, isLate: !isAwaited))
    }

    /// Asks, in the background of the launch, for so long at most.
    func begin(
        _ name: String,
        in step: StepContext,
        deadline: Duration,
        _ ask: @escaping @Sendable () async throws -> Value
    ) throws {
        var graph = OperationGraph(name)
        graph.add("ask") { [self] background in
            let answer: Answer
            do { answer = .success(try await ask()) } catch { answer = .failure(error) }
            // A request that was given up has no effect, answered or not.
            if background.isCancelled { return }
            let late = state.withLock { state in
                state.answer = answer
                return state.isLate ? state.late : nil
            }
            // Before the late effects: those who wait need not wait for them.
            arrival.continuation.finish()
            await late?(answer)
        }
        let launch = try step.startInBackground(graph, deadline: deadline) { [self] _ in end() }
        // It may have ended by now.
        state.withLock { if $0.late != nil { $0.launch = launch } }
    }

    /// Waits for the answer. An answer after that is late.
    func answer(within allowance: Duration, in step: StepContext) async -> Answer? {
        await step.wait(atMost: allowance, for: arrival.stream)
        // Decided in one step: an answer that comes now is late, and told as such.
        return state.withLock { state in
            state.isLate = state.answer == nil
            return state.answer
        }
    }

    /// Lets go of everything, outside of the lock: that may be all that is left of a launch.
    private func end() {
        _ = state.withLock { state in
            defer { (state.late, state.launch) = (nil, nil) }
            return (state.late, state.launch)
        }
    }

    /// Whether the service still has to answer.
    var isPending: Bool { state.withLock { $0.launch != nil } }

    /// The events of its launch, until its end and the effects of a late answer; nil when it is over.
    var events: LaunchEvents? { state.withLock { $0.launch }?.events }

    /// Waits for the end, and for the effects of a late answer.
    func waitForEnd() async {
        guard let launch = state.withLock({ $0.launch }) else { return }
        _ = await launch.end()
        // The launch tells of its end a little later.
        end()
    }

    /// Gives it up: a later answer has no effect. A request that was answered already is not interrupted.
    func cancel() {
        state.withLock { $0.answer == nil ? $0.launch : nil }?.cancel()
    }
}

typealias UpdateCheck = BackgroundRequest<UpdatePolicy>

/// Keeps the checks that continue though no launch waits for them any more, and knows which of several answers counts:
/// that to the check which began last.
package final class LateUpdateCheck: Sendable {
    private struct State {
        var kept: [UpdateCheck] = []
        var begun = 0
        /// The number of the check that began last, of those that were answered.
        var answered = 0
        /// The decision that was shown last, and how many checks had begun by then.
        var shown: (decision: UpdateDecision, begun: Int)?

        /// - Returns: the checks that were kept. Release them without the lock: they may hold objects of the app.
        mutating func remove(where isOver: (UpdateCheck) -> Bool) -> [UpdateCheck] {
            let over = kept.filter(isOver)
            kept.removeAll(where: isOver)
            return over
        }
    }

    /// Each asks for half a minute at the most: these are as many launches as the user can make of an app in that time.
    private static let maximumKept = 8
    /// How long the service has to answer.
    static let limit = Duration.seconds(30)

    private let state = Locked(State())
    /// Held while a policy is recorded.
    private let recording = Locked(())

    /// A check begins.
    ///
    /// - Returns: its number.
    func begin() -> Int {
        state.withLock { state in
            state.begun += 1
            return state.begun
        }
    }

    /// A check was answered: those that began before it are given up, and its policy is recorded.
    ///
    /// - Parameter record: not called where a check that began later has been answered.
    func settle<Result>(_ number: Int, _ record: () -> Result?) -> Result? {
        let former = state.withLock { state in
            state.answered = max(number, state.answered)
            return state.remove { [answered = state.answered] in $0.number < answered }
        }
        // Outside the lock: ending a launch may run code of the app.
        for check in former { check.cancel() }
        // Recorded one at a time, and the number is looked at within: a later answer cannot slip in between.
        return recording.withLock { _ in state.withLock { number >= $0.answered } ? record() : nil }
    }

    /// Whether a decision must be shown: not if it shows, and no check has begun since.
    func isNew(_ decision: UpdateDecision) -> Bool {
        state.withLock { state in
            if let shown = state.shown, shown.decision == decision, shown.begun == state.begun { return false }
            state.shown = (decision, state.begun)
            return true
        }
    }

    /// Keeps a check, which may outlast its launch.
    func keep(_ check: UpdateCheck) {
        let (ended, former) = state.withLock { state in
            // Release finished checks on this occasion.
            let ended = state.remove { !$0.isPending }
            guard check.number >= state.answered else { return (ended, check as UpdateCheck?) }
            state.kept.append(check)
            return (ended, state.kept.count > Self.maximumKept ? state.kept.removeFirst() : nil)
        }
        former?.cancel()
        withExtendedLifetime(ended) {}
    }

    /// Whether a check continues: not if one that began later was answered before.
    func isKept(_ number: Int) -> Bool { checks.contains { $0.number == number } }

    /// Whether there is such a check.
    package var isPending: Bool { checks.contains { $0.isPending } }

    private var checks: [UpdateCheck] { state.withLock { $0.kept } }

    /// Waits for the end of all checks, and for the effects of their answers.
    package func end() async {
        for check in checks { await check.waitForEnd() }
    }

    /// Waits for the end of the check that began last, and for the effects of its answer, at most that long.
    func end(within limit: Duration, in step: StepContext) async {
        guard let events = checks.last?.events else { return }
        await step.wait(atMost: limit, for: events)
    }

    /// Gives all of them up.
    package func cancel() {
        for check in checks { check.cancel() }
    }
}
