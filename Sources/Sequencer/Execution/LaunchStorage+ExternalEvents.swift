/// Waiting for events from outside, and settling them.
extension LaunchStorage {
    /// Operations that are to wait for their events, or to settle some, and whether a thread is seeing to that.
    struct EventWaits {
        private var nodes = FirstInFirstOut<Int>()
        private var isBegun = false
        /// They wait for ends of operations, too.
        var ranges = HeldRanges()

        /// - Returns: whether the caller is to see to them.
        mutating func add(_ more: [Int]) -> Bool {
            for node in more { nodes.append(node) }
            defer { isBegun = true }
            return !isBegun
        }

        mutating func next() -> Int? {
            let node = nodes.popFirst()
            // With the look, under one lock: an operation that is added later finds nobody seeing to it.
            if node == nil { isBegun = false }
            return node
        }
    }

    private enum EventTask {
        case wait(Assignment)
        case settle([PromisedEvent], EventResult, [HeldRanges.Release], by: String)
    }

    /// Begins the waits of operations that have become ready, and settles the events of those that have ended.
    ///
    /// One that has come already ends its operation here, which may make others ready, as many as there are in the graph: they are added to those that
    /// this goes through, and so no call is within another. Nor is one within a call for another launch, see ``EventTurns``.
    func seeToEvents(of nodes: [Int]) {
        guard state.withLock({ $0.eventWaits.add(nodes) }) else { return }
        while let task = takeEventTask() {
            switch task {
            case .wait(let assignment):
                if case .event(let event) = graph.nodes[assignment.node].work { awaitEvent(event, for: assignment) }
            case .settle(let events, let result, let releases, let id):
                for event in events { event.settle(result, by: id, callBlocks: callApp) }
                for release in releases { callApp(release) }
            }
        }
    }

    private func takeEventTask() -> EventTask? {
        state.withLock { state -> EventTask? in
            guard let node = state.eventWaits.next() else { return nil }
            guard state.machine.nodes[node].state == .ended else {
                return .wait(Assignment(node: node, attempt: Int(state.machine.nodes[node].attempts), kind: .run))
            }
            let releases = state.eventWaits.ranges.ended(node, in: graph)
            return .settle(graph.policy(node).events, state.eventResult(of: node, graph, values), releases, by: graph.id(node))
        }
    }

    /// Lets the event end an operation.
    func awaitEvent(_ event: EventStorage, for assignment: Assignment) {
        let wait = EventWait(event, on: virtualTime?.scheduler)
        wait.begin(.launch) { [self] result in eventSettled(result, for: assignment) }
        // Where the operation has been told to cancel meanwhile, this cancels the wait.
        keep(.event(wait), for: assignment)
    }

    /// Runs on the thread that has settled the event. That may be code of the app, so other code of the app runs elsewhere.
    private func eventSettled(_ result: EventResult, for assignment: Assignment) {
        // Time must not move before what follows from the event, which may have to wait for its turn.
        virtualTime?.inputBegins()
        EventTurns.launches.run { [self] in
            defer { virtualTime?.inputEnds() }
            let end: AttemptEnd
            switch result {
            case .success(let value): end = AttemptEnd(value)
            case .failure(let error): end = AttemptEnd(throwing: error)
            }
            _ = input(defersAppCode: true) { state, now in
                // An event that comes after a timeout is not reported as late: no operation worked on it.
                let counted = state.machine.attemptEnded(assignment, end.forMachine, at: now, &state.actions)
                return counted ? state.keep(end, of: assignment, counted: true, at: now, in: values) : nil
            }
        }
    }
}

extension LaunchStorage.State {
    /// The result of the events that an operation was to bring about, now that it has ended.
    fileprivate func eventResult(of node: Int, _ graph: ValidatedGraph, _ values: ValueTable) -> EventResult {
        let ending: String
        switch machine.nodes[node].outcome {
        case .succeeded, .fellBack:
            // An operation without a value may have no place in the table.
            guard graph.nodes[node].hasValue else { return .success(()) }
            if let value = values[node] ?? lateValues[node] { return .success(value) }
            ending = "left no value"
        case .failed: ending = messages[node].map { "failed: \($0)" } ?? "failed"
        case .timedOut: ending = "timed out"
        case .cancelled: ending = "was cancelled"
        case .skipped: ending = "was skipped"
        }
        return .failure(PromisedEvent.Broken(ending: ending))
    }
}
