extension ValidatedGraph {
    /// The same launch with steps that do nothing but take their time: run in virtual time, it is the launch's plan.
    ///
    /// Dependencies, threads, resources, questions to the user and displays stay, and so do failure policies, cuts and
    /// deferrals to keep a budget. Conditions hold, but those of steps that are switched off, and nothing is tried
    /// again, or fails, but for a step that takes longer than its timeout. A step that waits for an event ends with a
    /// fallback when its time is over.
    ///
    /// - Parameters:
    ///   - durations: the time that each step takes, but for steps without work.
    ///   - expected: the time that the launch expects of each step.
    ///   - processors: the processors that the steps share; nil for as many as it takes.
    package func rehearsal(
        _ durations: [Duration],
        expected: [Duration?],
        on processors: SharedProcessors? = nil
    ) -> OperationGraph {
        var rehearsal = OperationGraph(name)
        for (resource, limit) in graph.resourceLimits { rehearsal.limit(resource, to: limit) }
        for node in nodes.indices {
            let work = rehearsedWork(of: node, durations[node], on: processors)
            var step = GraphNode(id: id(node), work: work, valueType: Void.self)
            step.set(rehearsedPolicy(of: node, durations[node], expected: expected[node]))
            rehearsal.append(step)
            rehearsal.dependencies.node = node
            for predecessor in predecessors[node] {
                rehearsal.dependencies.add(NamedDependency(id: id(predecessor.index), needsValue: predecessor.needsValue))
            }
        }
        return rehearsal
    }

    private func rehearsedWork(of node: Int, _ duration: Duration, on processors: SharedProcessors?) -> StepWork {
        let keepsThread = keepsThread(node)
        let work: nonisolated(nonsending) @Sendable (StepContext) async throws -> Void = { step in
            if let processors { return try await processors.run(step, for: duration, keepsThread: keepsThread) }
            try await step.host.sleep(for: duration, by: step.assignment, keepsThread: keepsThread)
        }
        return switch nodes[node].work {
        case .nothing: .nothing
        // Nobody brings it about: its timeout is its time.
        case .event: duration > .zero ? .event(EventStorage(id(node))) : .nothing
        case _ where nodes[node].isMain:
            .main { step in try await work(step) }
        default: .asynchronous { step in try await work(step) }
        }
    }

    private func rehearsedPolicy(of node: Int, _ duration: Duration, expected: Duration?) -> StepPolicy {
        let original = policy(node)
        var policy = StepPolicy()
        (policy.title, policy.notes) = (original.title, original.notes)
        (policy.expected, policy.delay) = (expected, original.delay)
        (policy.exclusive, policy.holds, policy.taking) = (original.exclusive, original.holds, original.taking)
        (policy.isMilestone, policy.isInitialDisplay) = (original.isMilestone, original.isInitialDisplay)
        (policy.isInPrologue, policy.isAlways) = (original.isInPrologue, original.isAlways)
        (policy.isInteractive, policy.racers) = (original.isInteractive, original.racers)
        // All of its time is the user's, unless it is known without the user.
        policy.saysWhenItAsks = original.expectsOwnTime
        policy.isSaidToSuspend = !keepsThread(node)
        // It takes a lane to be asked.
        let isOn = !original.isSwitchedOff
        if original.isConditional { policy.conditions = [StepCondition { _ in isOn }] }
        if case .event = nodes[node].work, duration > .zero { (policy.timeout, policy.fallback) = (duration, .value(())) }
        let isLate = timesOut(node, after: duration)
        if isLate { (policy.timeout, policy.retry) = (original.timeout, original.retry) }
        (policy.onFailure, policy.isDeferrable, policy.isCuttable) = (original.onFailure, original.isDeferrable, original.isCuttable)
        if isLate || original.isCuttable { policy.fallback = original.fallback.map { _ in .value(()) } }
        return policy
    }

    /// Whether a step that takes that long is ended by its timeout, or that of each attempt, in which the user's time
    /// does not count.
    package func timesOut(_ node: Int, after duration: Duration) -> Bool {
        let policy = policy(node)
        return !policy.isSwitchedOff && !policy.isExpectedOfPerson && policy.shortestTimeout.map { duration > $0 } ?? false
    }
}
