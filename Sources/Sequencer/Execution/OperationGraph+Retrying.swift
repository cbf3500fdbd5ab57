// A second launch that runs only what the first has not done.

extension OperationGraph {
    /// The same graph for another try after `launch`: what succeeded or fell back there is over, with its value, and
    /// only the rest runs.
    ///
    /// ```swift
    /// var launch = try await graph.run(budget: .seconds(3))
    /// while case .failed = launch.report.outcome, await screen.asksToTryAgain() {
    ///     launch = try await graph.retrying(launch).run()
    /// }
    /// ```
    ///
    /// Steps that failed, were cancelled, or were skipped run again. So do those that run whatever happens
    /// (``StepOption/always``), and those that hold something for others (`hold`), which was released meanwhile. A step
    /// that is taken over succeeds at once, whatever its conditions and its thread; its report has a note. Handles hold
    /// for the new graph. A step is known by its identifier and its type: `launch` may be one of a graph that was made
    /// anew. An `Operation` that the graph holds itself, and that has to run again, cannot: have it made for each run.
    public func retrying(_ launch: FinishedLaunch) -> OperationGraph {
        var graph = self
        var isTaken = [Bool](repeating: false, count: count)
        for index in nodes.indices {
            let policy = nodes[index].policy?.value
            guard policy?.isAlways != true, policy?.taking == nil else { continue }
            guard let value = launch.value(leftBy: nodes[index]) else { continue }
            isTaken[index] = true
            graph.takeOver(value, at: index)
            // Nobody waits for those that have lost a race.
            for loser in policy?.racers?.compactMap(target(of:)) ?? [] where launch.value(leftBy: nodes[loser]) == nil {
                graph.setPolicy(of: loser) { policy in
                    (policy.conditions, policy.delay) = ([.never], nil)
                    policy.skipReason = "another step was the first"
                }
            }
        }
        graph.attachStrays()
        for (place, edge) in graph.dependencies.edges.enumerated() where isTaken[edge.node] {
            graph.dependencies.edges[place].dependency.needsValue = false
        }
        return graph
    }

    private mutating func takeOver(_ value: any Sendable, at index: Int) {
        let original = nodes[index].policy?.value ?? .standard
        var policy = StepPolicy()
        (policy.title, policy.onFailure, policy.expected) = (original.title, original.onFailure, .zero)
        (policy.isMilestone, policy.isInitialDisplay) = (original.isMilestone, original.isInitialDisplay)
        (policy.isEssential, policy.isInPrologue) = (original.isEssential, original.isInPrologue)
        (policy.events, policy.holds) = (original.events, original.holds)
        policy.notes = ["taken over from the launch before"]
        nodes[index].work = policy.isInPrologue ? .prologue { _ in value } : .synchronous { _ in value }
        nodes[index].set(policy)
    }
}
