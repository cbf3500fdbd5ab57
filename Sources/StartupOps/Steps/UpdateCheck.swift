import Sequencer
import StartupNetworking
import StartupStorage

/// The question to the service whether this version may be used. It may outlive the launch that asks, so it is a launch of its own.
final class UpdateCheck: Sendable {
    typealias Answer = Result<UpdatePolicy, any Error>
    typealias LateAnswer = @Sendable (Answer) async -> Void

    private struct State {
        var answer: Answer?
        /// Told of an answer that nobody waits for any more; nil when the check is over.
        var late: LateAnswer?
        var isLate = false
        /// Nil when the check is over.
        var launch: RunningLaunch?
    }

    /// How long the service has to answer.
    static let limit = Duration.seconds(30)

    private let state: Locked<State>
    /// Ends when the answer is there.
    private let arrival = AsyncStream.makeStream(of: Never.self)

    /// - Parameter late: told of an answer that comes when nobody waits for it any more.
    init(late: @escaping LateAnswer) {
        state = Locked(State(late: late))
    }

    /// Asks, in the background of the launch.
    func begin(in step: StepContext, _ ask: @escaping @Sendable (Deadline) async throws -> UpdatePolicy) throws {
        var graph = OperationGraph("update-check")
        graph.add("ask") { [self] background in
            let answer: Answer
            do { answer = .success(try await ask(.after(Self.limit))) } catch { answer = .failure(error) }
            // A check that was given up has no effect, answered or not.
            if !background.isCancelled { await came(answer) }
        }
        let launch = try step.startInBackground(graph, deadline: Self.limit) { [self] _ in end() }
        // It may have ended by now.
        state.withLock { if $0.late != nil { $0.launch = launch } }
    }

    /// Waits for the answer. One that has not come by then is late.
    func answer(within allowance: Duration, in step: StepContext) async -> Answer? {
        await step.wait(atMost: allowance, for: arrival.stream)
        // Decided in one step: an answer that comes now is late, and told as such.
        return state.withLock { state in
            state.isLate = state.answer == nil
            return state.answer
        }
    }

    /// Nobody waits for the answer, which has not come yet: it is late whenever it comes.
    func leaveAlone() { state.withLock { $0.isLate = true } }

    private func came(_ answer: Answer) async {
        let late = state.withLock { state in
            state.answer = answer
            return state.isLate ? state.late : nil
        }
        // Before the late effects: those who wait need not wait for them.
        arrival.continuation.finish()
        await late?(answer)
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
    var events: (any AsyncSequence<LaunchEvent, Never> & Sendable)? { state.withLock { $0.launch }?.events }

    /// Waits for the end, and for the effects of a late answer.
    func waitForEnd() async {
        guard let launch = state.withLock({ $0.launch }) else { return }
        _ = await launch.end()
        // The launch tells of its end a little later.
        end()
    }

    /// Gives the check up: a later answer has no effect. A check that was answered already is not interrupted.
    func cancel() {
        state.withLock { $0.answer == nil ? $0.launch : nil }?.cancel()
    }
}

/// Keeps the checks that go on though no launch waits for them any more, and knows which of several answers counts: that to the check which began last.
package final class LateUpdateCheck: Sendable {
    private struct State {
        var kept: [(number: Int, check: UpdateCheck)] = []
        var begun = 0
        /// The number of the check that began last, of those that were answered.
        var answered = 0
        /// The decision that was shown last, and how many checks had begun by then.
        var shown: (decision: UpdateDecision, begun: Int)?
    }

    /// Each asks for half a minute at the most: these are as many launches as a person can make of an app in that time.
    private static let maximumKept = 8

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

    /// A check was answered: those that began before it are given up.
    ///
    /// - Returns: whether the answer counts: not if one that began later was answered before.
    func counts(_ number: Int) -> Bool {
        let (counts, former) = state.withLock { state in
            // Equal too: a check may be judged again.
            guard number >= state.answered else { return (false, [UpdateCheck]()) }
            state.answered = number
            let former = state.kept.filter { $0.number < number }.map(\.check)
            state.kept.removeAll { $0.number < number }
            return (true, former)
        }
        // Outside the lock: ending a launch may run code of the app.
        for check in former { check.cancel() }
        return counts
    }

    /// Records the policy of an answer, unless one to a check that began later has come meanwhile.
    func record<Result>(_ number: Int, _ body: () -> Result) -> Result? {
        // Recorded one at a time, and the number is looked at within: a later answer cannot slip in between.
        recording.withLock { _ in state.withLock { number >= $0.answered } ? body() : nil }
    }

    /// Whether a decision is to be shown: not if it shows, and no check has begun since.
    func isNew(_ decision: UpdateDecision) -> Bool {
        state.withLock { state in
            if let shown = state.shown, shown.decision == decision, shown.begun == state.begun { return false }
            state.shown = (decision, state.begun)
            return true
        }
    }

    /// Keeps a check, which may outlast its launch.
    func keep(_ check: UpdateCheck, _ number: Int) {
        // Let go of without the lock: they may hold objects of the app.
        let (ended, former) = state.withLock { state in
            // Checks that have ended are let go of on this occasion.
            let ended = state.kept.filter { !$0.check.isPending }
            state.kept.removeAll { !$0.check.isPending }
            guard number >= state.answered else { return (ended, check as UpdateCheck?) }
            state.kept.append((number, check))
            return (ended, state.kept.count > Self.maximumKept ? state.kept.removeFirst().check : nil)
        }
        former?.cancel()
        withExtendedLifetime(ended) {}
    }

    /// Whether a check goes on: not if one that began later was answered before.
    func isKept(_ number: Int) -> Bool { state.withLock { $0.kept.contains { $0.number == number } } }

    /// Whether there is such a check.
    package var isPending: Bool { checks.contains { $0.isPending } }

    private var checks: [UpdateCheck] { state.withLock { $0.kept.map(\.check) } }

    /// Waits for the end of all checks, and for the effects of their answers.
    package func end() async {
        for check in checks { await check.waitForEnd() }
    }

    /// Waits for the end of the check that began last, and for the effects of its answer, at most that long.
    func end(within limit: Duration, in step: StepContext) async {
        guard let events = state.withLock({ $0.kept.last?.check })?.events else { return }
        await step.wait(atMost: limit, for: events)
    }

    /// Gives all of them up.
    package func cancel() {
        for check in checks { check.cancel() }
    }
}

extension StepContext {
    /// Waits for the end of a sequence that ends when its reader is cancelled, at most that long.
    fileprivate func wait(atMost limit: Duration, for sequence: some AsyncSequence<some Any, Never> & Sendable) async {
        // In tasks of the step's own: in virtual time they run in its turns, while a task that it leaves behind would need a thread of the
        // pool.
        await withTaskGroup { group in
            group.addTask { _ = try? await sleep(for: limit) }
            group.addTask { for await _ in sequence {} }
            await group.next()
            group.cancelAll()
        }
    }
}
