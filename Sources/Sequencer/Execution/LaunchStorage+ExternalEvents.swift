/// Waiting for events from outside.
extension LaunchStorage {
    /// Operations that are to wait for their events, and whether a thread is seeing to that.
    struct EventWaits {
        private var nodes = FirstInFirstOut<Int>()
        private var isBegun = false

        /// - Returns: whether the caller is to see to them.
        mutating func add(_ more: [Int]) -> Bool {
            for node in more { nodes.append(node) }
            defer { isBegun = true }
            return !isBegun
        }

        mutating func next() -> Int? {
            let node = nodes.popFirst()
            if node == nil { isBegun = false }
            return node
        }
    }

    /// Begins the waits of operations that have become ready.
    ///
    /// One that has come already ends its operation here, which may make others ready, as many as there are in the graph: they are added to those that
    /// this goes through, and so no call is within another.
    func awaitEvents(of nodes: [Int]) {
        guard state.withLock({ $0.eventWaits.add(nodes) }) else { return }
        while let assignment = takeEventWait() {
            if case .event(let event) = graph.graph.nodes[assignment.node].work { awaitEvent(event, for: assignment) }
        }
    }

    private func takeEventWait() -> Assignment? {
        state.withLock { state in
            guard let node = state.eventWaits.next() else { return nil }
            return Assignment(node: node, attempt: Int(state.machine.nodes[node].attempts), kind: .run)
        }
    }

    /// Lets the event end an operation.
    func awaitEvent(_ event: EventStorage, for assignment: Assignment) {
        let wait = EventWait(event, on: virtualTime?.scheduler)
        wait.begin(.launch) { [self] result in eventSettled(result, for: assignment) }
        // Where the operation has been told to cancel meanwhile, this cancels the wait.
        keep(.event(wait), for: assignment)
    }

    /// On the thread of whoever has settled it: code of the app, which asks for something else, runs elsewhere.
    private func eventSettled(_ result: EventResult, for assignment: Assignment) {
        let end: AttemptEnd
        switch result {
        case .success(let value): end = AttemptEnd(value)
        case .failure(let error): end = AttemptEnd(throwing: error)
        }
        _ = input(defersAppCode: true) { state, now in
            // An event that comes after a timeout is not late: it is nobody's work.
            let counted = state.machine.attemptEnded(assignment, end.forMachine, at: now, &state.actions)
            return counted ? state.keep(end, of: assignment, counted: true, at: now, in: values) : nil
        }
    }
}
