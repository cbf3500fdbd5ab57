/// The processors of a rehearsal (``ValidatedGraph/rehearsal(_:expected:on:)``), which its steps share.
///
/// A step's share is the part of its time in which it computes when it has a processor for itself; the rest of its time
/// it is blocked. Where the shares of the running steps are more than the processors, computing takes longer by as much
/// for all of them, and blocking as long as ever.
package final class SharedProcessors: Sendable {
    private struct Job {
        let node: Int
        let share: Double
        /// In nanoseconds of its own time: what it would take without the others.
        var left: Double
    }

    private struct State {
        /// In the order of their starts, so that every rehearsal adds them up alike.
        var jobs: [Job] = []
        var time: Nanoseconds = 0
    }

    private let count: Double
    private let others: Double
    private let shares: [Double]
    private let state = Locked(State())

    /// - Parameters:
    ///   - count: how many processors there are.
    ///   - others: how many of them other threads use all the time.
    ///   - shares: the share of each step, 0 to 1; more for one that computes on several threads.
    package init(_ count: Int, others: Double, shares: [Double]) {
        (self.count, self.others, self.shares) = (Double(max(count, 1)), others, shares)
    }

    /// Takes the time of a step that would take `duration` without the others.
    nonisolated(nonsending) func run(_ step: StepContext, for duration: Duration, keepsThread: Bool) async throws {
        let (host, node) = (step.host, step.assignment.node)
        var left = Double(duration.nanoseconds)
        change(at: host.now) { $0.append(Job(node: node, share: shares[node], left: left)) }
        defer { change(at: host.now) { $0.removeAll { $0.node == node } } }
        // By the time at which it ends at the soonest; then it knows how much of its work the others have left it.
        repeat {
            let soonest = Duration.nanoseconds(Int64(left.rounded(.up)))
            try await host.sleep(for: soonest, by: step.assignment, keepsThread: keepsThread)
            change(at: host.now) { jobs in left = jobs.first { $0.node == node }?.left ?? 0 }
            // A microsecond more or less is nothing, and each step towards it is smaller than the one before.
        } while left >= 1_000
    }

    /// Counts what the jobs have done since the last change, then changes them.
    private func change(at now: Nanoseconds, _ body: (inout [Job]) -> Void) {
        state.withLock { state in
            let slowness = max(1, state.jobs.reduce(others) { $0 + $1.share } / count)
            for place in state.jobs.indices {
                let share = state.jobs[place].share
                state.jobs[place].left -= Double(now - state.time) / (1 + share * (slowness - 1))
            }
            state.time = now
            body(&state.jobs)
        }
    }
}
