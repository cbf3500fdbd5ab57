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
            if !background.isCancelled { await came(answer) }
        }
        let launch = try step.startInBackground(graph, deadline: Self.limit) { [self] _ in end() }
        state.withLock { if $0.late != nil { $0.launch = launch } }
    }

    /// Waits for the answer. One that has not come by then is late.
    func answer(within allowance: Duration, in step: StepContext) async -> Answer? {
        // In tasks of the step's own: in virtual time they run in its turns, while a task that it leaves behind would need a thread of the pool.
        await withTaskGroup { [arrival] group in
            group.addTask { _ = try? await step.sleep(for: allowance) }
            group.addTask { for await _ in arrival.stream {} }
            await group.next()
            group.cancelAll()
        }
        return state.withLock { state in
            state.isLate = state.answer == nil
            return state.answer
        }
    }

    private func came(_ answer: Answer) async {
        let late = state.withLock { state in
            state.answer = answer
            return state.isLate ? state.late : nil
        }
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

    /// Waits for the end, and for whatever a late answer brings about.
    func waitForEnd() async {
        guard let launch = state.withLock({ $0.launch }) else { return }
        _ = await launch.end()
        // The launch tells of its end a little later.
        end()
    }

    /// Gives the check up: an answer that comes later counts for nothing.
    func cancel() {
        state.withLock { $0.launch }?.cancel()
    }
}

/// Keeps the check that goes on though no launch waits for it any more, until the next launch asks.
package final class LateUpdateCheck: Sendable {
    private let check = Locked<UpdateCheck?>(nil)

    func keep(_ late: UpdateCheck) {
        let former = check.withLock { check in
            defer { check = late }
            return check
        }
        former?.cancel()
    }

    /// Whether there is such a check.
    package var isPending: Bool { check.withLock { $0 }?.isPending ?? false }

    /// Waits for its end, and for whatever its answer brings about.
    package func end() async {
        await check.withLock { $0 }?.waitForEnd()
    }

    /// Gives it up.
    package func cancel() {
        check.withLock { $0 }?.cancel()
    }
}
