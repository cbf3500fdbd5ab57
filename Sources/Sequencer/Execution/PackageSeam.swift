import Foundation

// All that StartupOps needs of launches and that is not public. `ArchitectureTests` checks that; the contributor guide says why.

// MARK: - Recovery, and the update policy

extension OperationGraph {
    /// The steps that ``skip(_:because:)`` can leave out, with the milestone reached all the same, but those that are ``StepOption/essential``, and those that such a step
    /// reads or waits for, however far back; the milestone itself never is.
    ///
    /// - Complexity: linear in operations and dependencies.
    package var skippable: Set<String> {
        // Only the launch validates the graph: a graph with a mistake is refused there.
        let edges = knownEdges
        let successors = AdjacencyList(count: count, edges: edges, .successors)
        let milestone = nodes.firstIndex { $0.policy?.value.isMilestone == true }
        let predecessors = AdjacencyList(count: count, edges: edges, .predecessors)
        let essential = essential(predecessors)
        // Skipping goes all the way down: one of these that is skipped takes the milestone, or an essential step, with it.
        let needed = predecessors.reachable(from: essential.union([milestone].compactMap(\.self)))
        var result: Set<String> = []
        for (index, node) in nodes.enumerated() where index != milestone {
            let policy = node.policy?.value ?? .standard
            let isSkippable =
                if essential.contains(index) {
                    false
                } else if policy.fallback != nil || node.substitute != nil {
                    true
                } else {
                    switch policy.onFailure {
                    case .required: false
                    case .skipDependents: !needed.contains(index)
                    case .continue:
                        !successors[index].contains { $0.needsValue && needed.contains($0.index) }
                    }
                }
            if isSkippable { result.insert(node.id) }
        }
        return result
    }

    /// The steps that essential ones read or wait for, however far back, and whether each is left out.
    package var essentialInputs: [(id: String, isLeftOut: Bool)] {
        essential(AdjacencyList(count: count, edges: knownEdges, .predecessors)).sorted().compactMap { index in
            let policy = nodes[index].policy?.value
            return policy?.isEssential == true ? nil : (nodes[index].id, policy?.skipReason != nil)
        }
    }

    /// The essential steps, and those that they read or wait for: without its inputs such a step would run, and judge by what took their
    /// place. The prologue comes before everything, and is an input where its value is read.
    private func essential(_ predecessors: AdjacencyList) -> Set<Int> {
        predecessors.reachable(from: Set(nodes.indices.filter { nodes[$0].policy?.value.isEssential == true })) { node, needsValue in
            needsValue || !nodes[node].isInPrologue
        }
    }

    /// The steps that only wait for an event from outside: they have no code that could end the process.
    package var eventSteps: Set<String> {
        nodes.reduce(into: []) { steps, node in
            if case .event = node.work { steps.insert(node.id) }
        }
    }

    /// The steps that are a person's time from start to end: ``StepOption/interactive`` ones that do not say when they ask.
    package var personSteps: Set<String> {
        nodes.reduce(into: []) { steps, node in
            if node.policy?.value.isPersonsTime == true { steps.insert(node.id) }
        }
    }

    /// The step whose end stops the budget's clock, if one was marked.
    package var milestone: String? { nodes.first { $0.policy?.value.isMilestone == true }?.id }

    /// Moves a step behind the milestone, so that nothing waits for it: its dependents take over its dependencies.
    ///
    /// - Returns: whether it was moved: false without a milestone, and when a step reads its value.
    @discardableResult
    package mutating func moveBehindMilestone(_ id: String) -> Bool {
        attachStrays()
        guard let milestone, milestone != id, let moved = positions[id] else { return false }
        let edges = dependencies.edges
        if edges.contains(where: { target(of: $0.dependency) == moved && reads($0) }) { return false }
        let inherited = edges.filter { $0.node == moved }
        dependencies.edges = edges.flatMap { edge in
            if target(of: edge.dependency) != moved { return [edge] }
            return inherited.map { NamedEdge(node: edge.node, dependency: $0.dependency.awaited) }
        }
        addDependency(milestone, to: id)
        return true
    }

    /// Lets every step wait for this one, but the prologue and those whose values it reads: it waits for nothing else. A graph that is not valid, or has no such step, stays as it is.
    ///
    /// - Complexity: linear in operations and dependencies.
    package mutating func begin(with id: String) {
        guard let first = try? validated().position(of: id) else { return }
        attachStrays()
        dependencies.edges = dependencies.edges.filter { $0.node != first || reads($0) }
        // Validated once more: its dependencies have changed.
        guard let validated = try? validated() else { return }
        let ancestors = validated.predecessors.reachable(from: first)
        for (position, operation) in identifiers.enumerated() where position != first && !ancestors.contains(position) {
            addDependency(id, to: operation)
        }
    }

    /// Calls `body` at the start of every attempt of a step, on the step's own thread, before anything of its work.
    ///
    /// An observer of events may hear of a start while the step runs already: events are told by one thread at a time. Steps of the main thread but
    /// for those of the prologue, steps without work and Foundation operations that exist already are not changed. `LaunchOptions.recordsStart` is told when one of them begins before the observers have heard of it.
    package mutating func beforeEachAttempt(_ body: @escaping @Sendable (StepContext) -> Void) {
        for index in nodes.indices where !nodes[index].isMain || nodes[index].isInPrologue {
            nodes[index].work = nodes[index].work.preceded(by: body)
        }
    }

    /// Puts the work of a step into `wrapper`, which gets the step's context and the work, and runs it or does not. Dependencies and options stay.
    ///
    /// Where that is a step of the prologue, all of the prologue runs as other steps of the main thread do, in the same order: the wrapper may suspend.
    ///
    /// The work of an interactive step stays a person's time; the rest of the wrapper's time is not.
    ///
    /// - Throws: a ``GraphError`` when the graph has no such step.
    package mutating func wrapWork(of id: String, in wrapper: @escaping WorkWrapper) throws(GraphError) {
        let index = try position(of: id)
        var policy = nodes[index].policy?.value ?? .standard
        // It runs inside a closure from now on. Dependencies between it and other operations count as before.
        if let operation = nodes[index].operation { policy.operation = operation }
        let wait: PersonWait? = policy.isPersonsTime ? .work : nil
        // An interactive step shows no screen while it takes long, nor does its replacement.
        if policy.isPersonsTime { policy.slowScreen = nil }
        policy.saysWhenItAsks = true
        nodes[index].set(policy)
        let work = nodes[index].work
        if nodes[index].isMain {
            nodes[index].work = .main { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        } else {
            nodes[index].work = .asynchronous { context in
                try await wrapper(context) { try await context.wait(wait) { try await work.run(context) } }
            }
        }
    }

    /// Has the report of a launch that does not complete say more: each sentence is a note of the operation that has ended it, or of the milestone when the
    /// launch was cancelled.
    ///
    /// - Parameter sentences: few, and without secrets. Asked at the end of such a launch, under its lock: they must wait for nothing but a lock of their own.
    package mutating func noteEarlyEnd(_ sentences: @escaping @Sendable () -> [String]) { earlyEndNotes = sentences }

    /// Has a launch that fails before its milestone ask `body` before the app's ``LaunchOptions/failureTakeover``, which is called only
    /// where it returns false: that the screen is not taken. It gets the context of the operation that has ended the launch, which waits
    /// for it up to `limit`, but not past its deadline.
    package mutating func takeOverFailures(within limit: Duration, _ body: @escaping @Sendable (StepContext) async -> Bool) {
        failureTakeover = (limit, body)
    }

    /// Has one launch at a time run over the stored state at `place`, of this graph and others, and one complete in a process, unless
    /// ``LaunchOptions/admission`` says otherwise.
    package mutating func sharesState(at place: String) { self.place = place }

    /// Runs a step's work, as part of the step, and returns its value.
    package typealias WorkWrapper =
        nonisolated(nonsending) @Sendable (
            StepContext, _ work: nonisolated(nonsending) () async throws -> any Sendable
        ) async throws -> any Sendable
}

extension LaunchOptions {
    /// Told of the start of an attempt that observers may not have heard of when it begins, because one of them blocks: a step of the main thread, and a
    /// Foundation operation that exists already. Called before it begins, never on the main thread; for the journal, which has to know where a process died.
    package var recordsStart: (@Sendable (_ operation: String, _ attempt: Int) -> Void)? {
        get { startRecorder }
        set { startRecorder = newValue }
    }
}

extension LaunchOptions {
    /// Told of each question of ``StepContext/waitForPerson(_:)``, before it is asked and when it has been answered, on the operation's own thread. Of an operation that is a person's
    /// time from its start to its end, it is told only when that time ends before the operation does, because a fallback is computed.
    package var recordsQuestion: (@Sendable (_ operation: String, _ isAnswered: Bool) -> Void)? {
        get { questionRecorder }
        set { questionRecorder = newValue }
    }
}

extension LaunchOptions {
    /// Asked before the launch starts: it may be refused because another one runs, or has completed.
    package var isPermitted: LaunchPermit? {
        get { permit }
        set { permit = newValue }
    }
}

/// The right to run with a journal, for one launch at a time: taken at its start, and given back when it is over.
package struct LaunchPermit: Sendable {
    /// Takes it, for a launch of the graph of that name.
    ///
    /// Returns why the launch must not start; nil when it may.
    let take: @Sendable (_ graph: String, _ admission: LaunchAdmission) -> GraphProblem?
    /// Called once after each time that it was taken. It must not block.
    let giveBack: @Sendable (_ hasCompleted: Bool) -> Void
    /// The launch does not start, and it was not asked for.
    let withdraw: @Sendable () -> Void
    /// Makes the observer of the launch that has just taken it, which is told before all others; nil for none.
    ///
    /// Each launch has one of its own, which tells its events from those of the next launch: an observer that blocks may keep them until that runs.
    let makeObserver: @Sendable () -> (@Sendable (LaunchEvent) -> Void)?

    package init(
        take: @escaping @Sendable (_ graph: String, _ admission: LaunchAdmission) -> GraphProblem?,
        giveBack: @escaping @Sendable (_ hasCompleted: Bool) -> Void,
        withdraw: @escaping @Sendable () -> Void,
        makeObserver: @escaping @Sendable () -> (@Sendable (LaunchEvent) -> Void)?
    ) {
        self.take = take
        self.giveBack = giveBack
        self.withdraw = withdraw
        self.makeObserver = makeObserver
    }
}

extension StallWatch {
    /// A watch that calls `body` before it reports.
    package func preceded(by body: @escaping @Sendable (LaunchStatus) -> Void) -> StallWatch {
        StallWatch(after: limit) { [report] status in
            body(status)
            report(status)
        }
    }
}

// MARK: - Steps that ask a person

extension StepOption {
    /// Of an interactive operation, only the time in ``StepContext/waitForPerson(_:)`` is the person's: a server that is slow before or after the question
    /// counts. Drawings stay as they are; the expected duration is the person's, until past launches tell the operation's own.
    package static let saysWhenItAsks = StepOption { $0.saysWhenItAsks = true }

    /// Whether a step on the main thread spends its time suspended, so that others have the main thread meanwhile. A plan has to be told, for nobody sees
    /// in a closure whether it suspends. Unless said, a step that waits for a person does, since the answer comes on the main thread, and no other does.
    package static func suspends(_ suspends: Bool) -> StepOption {
        StepOption { $0.isSaidToSuspend = suspends }
    }
}

extension StepContext {
    /// Whether the step is marked ``StepOption/interactive``.
    package var mayAsk: Bool { host.mayAsk(assignment) }

    /// Waits for a turn to ask a person, or for something that has a limit of its own: while `body` runs, the operation's timeout stands
    /// still, since others decide how long that takes. The time counts against the budget, unless a person is asked meanwhile.
    nonisolated(nonsending) package func waitForTurn<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await wait(.turn, body)
    }
}

// MARK: - Work that goes on when its operation has ended

extension StepContext {
    /// Starts a launch in the background: on this launch's clock, and with no end but its own deadline. It is cancelled when this launch is.
    ///
    /// In virtual time its operations hold time still as those of any launch do, and time moves on for it when this launch has ended.
    package func startInBackground(
        _ graph: OperationGraph,
        deadline: Duration,
        completion: (@Sendable (FinishedLaunch) -> Void)? = nil
    ) throws(GraphError) -> RunningLaunch {
        let options = LaunchOptions(deadline: deadline, clock: host.clock)
        let launch = try CurrentStep.none { () throws(GraphError) in try graph.start(options: options, completion: completion) }
        host.whenCancelled { launch.cancel() }
        return launch
    }

    /// Whether work that the operation has begun may go on: false once the launch was cancelled, or the operation alone.
    ///
    /// It may when the operation, or the launch, came to any other end.
    package var mayGoOn: Bool { host.mayOutlive(assignment) }

    /// Whether the step is one of a launch that goes on, and not of a scope of it: one that an observer has kept may begin when its launch is over.
    package var isOfRunningLaunch: Bool {
        // Every host is a launch.
        (host as? LaunchStorage).map { $0.scope == nil && !$0.isOver } ?? false
    }

    /// The step's launch, to tell it from others.
    package var launch: any AnyObject & Sendable { host }

    /// Whether the launch proper has ended with its milestone, so that nothing changes how the launch ended any more.
    package var isLaunchProperOver: Bool { host.isLaunchProperOver }

    /// Stops the launch as ``abort(_:takeover:)`` does, in the name of the operation, also when that has ended.
    ///
    /// - Returns: whether this call stopped the launch: false when it was over, or stopped already.
    package func abortLate(_ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)? = nil) -> Bool {
        host.abortLate(by: assignment, reason, takeover: takeover)
    }

    /// The time that the budget leaves to the operation, by the expected durations of those after it; nil when the launch keeps no budget, or its milestone does
    /// not wait for the operation.
    package var timeWithinBudget: Duration? { host.timeWithinBudget(of: assignment) }
}

// MARK: - Steps that the app asks for

extension LaunchOptions {
    /// The deadline of a launch that is given none: 30 seconds. The attosecond tells it from a deadline of 30 seconds that was given. The initialiser's
    /// default says it again, for an app cannot see this.
    package static let defaultDeadline = Duration(secondsComponent: 30, attosecondsComponent: 1)
}

// MARK: - The mistakes that a graph, and a scope of a launch, refuse

extension OperationGraph {
    /// The mistake in an identifier, as the end of a sentence; nil for a good one.
    static func complaint(aboutIdentifier id: String) -> String? {
        if id.isEmpty { return "is empty" }
        if id.utf8.count > maximumIdentifierLength { return "has \(id.utf8.count) bytes; the most is \(maximumIdentifierLength)" }
        if let (scalar, _) = JudgedScalars(id).first(where: { !$0.isShown }) {
            return "holds a character that cannot be printed, \(scalar.escaped(asASCII: true))"
        }
        if id.first?.isWhitespace == true || id.last?.isWhitespace == true { return "begins or ends with white space" }
        return nil
    }

    /// The mistake in a timeout, in one sentence; nil for a good one.
    static func complaint(aboutTimeout timeout: Duration) -> String? {
        if timeout > .zero, timeout <= maximumDuration { return nil }
        return "a timeout must be more than 0 and at most 24 hours, and is \(timeout)"
    }
}

extension AdjacencyList {
    /// These nodes, and all that can be reached from them by edges that are followed.
    fileprivate func reachable(
        from nodes: Set<Int>,
        following isFollowed: (Int, _ needsValue: Bool) -> Bool = { _, _ in true }
    ) -> Set<Int> {
        var (reached, next): (Set<Int>, [Int]) = ([], Array(nodes))
        while let node = next.popLast() {
            guard reached.insert(node).inserted else { continue }
            next += self[node].filter { isFollowed($0.index, $0.needsValue) }.map(\.index)
        }
        return reached
    }
}
