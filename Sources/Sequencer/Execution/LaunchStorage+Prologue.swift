// The prologue: steps that run on the thread which starts the launch, before the start returns.

extension LaunchStorage {
    /// Begins the operations that wait for nothing. A prologue runs here before that, one step after the other.
    func beginFirstSteps() {
        let hasPrologue = graph.firstOfPrologue != nil
        if hasPrologue { virtualTime?.prologueBegins() }
        // The caller of a start does not wait for observers.
        input(defersAppCode: true) { state, _ in
            state.machine.isInPrologue = hasPrologue
            state.machine.begin(&state.actions)
        }
        guard hasPrologue else { return }
        runPrologue()
        virtualTime?.prologueEnds()
    }

    private func runPrologue() {
        // Observers are told elsewhere, as of all that the main thread does.
        while let assignment = input(defersAppCode: true, { state, now in state.machine.takeForPrologue(at: now, &state.actions) }) {
            onThisThread(assignment) { performInPrologue(assignment) }
        }
    }

    private func performInPrologue(_ assignment: Assignment) {
        var assignment = assignment
        if assignment.kind == .checkCondition {
            guard checkCondition(assignment).isRunNow else { return }
            assignment = Assignment(node: assignment.node, attempt: assignment.attempt, kind: .run)
        }
        if isTooLate(assignment) { return attemptEnded(assignment, .unbegun) }
        guard case .prologue(let body) = graph.nodes[assignment.node].work else {
            return attemptEnded(assignment, AttemptEnd(throwing: MisplacedStepError(step: graph.id(assignment.node))))
        }
        let context = StepContext(host: self, assignment: assignment)
        let end: AttemptEnd
        do {
            if isTooLate(assignment) { throw CancellationError() }
            // The launch was started on the main thread: otherwise the graph was refused.
            let value = try MainActor.assumeIsolated { try body(context) }
            end = AttemptEnd(value)
        } catch {
            end = AttemptEnd(throwing: error)
        }
        attemptEnded(assignment, end)
    }
}

extension LaunchStateMachine {
    /// The next step of the prologue, for the thread that starts the launch; nil when the prologue is over, and the main thread has its turns again.
    mutating func takeForPrologue(at time: Nanoseconds, _ actions: inout Actions) -> Assignment? {
        advance(to: time)
        // One that was cancelled before its turn has left its entry.
        while let ready = readyForMain.first, nodes[Int(ready.node)].state != .ready { _ = readyForMain.pop() }
        var next: Assignment?
        if phase == .running, let ready = readyForMain.first, graph.isInPrologue(Int(ready.node)) { next = takeNext(forMain: true) }
        // Before the settle, which asks for the main thread's own turns again.
        isInPrologue = next != nil
        settle(&actions)
        return next
    }
}

extension GraphError {
    /// The graph has a prologue, and its launch was started off the main thread.
    static func prologueOffMainThread(_ graph: ValidatedGraph, first: Int) -> GraphError {
        let message =
            "\(printable(graph.id(first))) is a step of the prologue, which runs inside the start, on the main thread; "
            + "call start() or run() there, as in application(_:didFinishLaunchingWithOptions:) or in a function of the main actor"
        return GraphError(graph: graph.name, problems: [GraphProblem(.prologue, positions: [first], message)])
    }
}
