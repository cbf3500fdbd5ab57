import Foundation

/// A launch that runs: takes the lock, asks the state machine, lets go, then acts.
///
/// Mutable state, and what guards it:
/// - `state`: the state machine and everything that changes with it, by its own lock;
/// - `values`: a slot per operation, written once, under that lock, when its operation ends with a value. Dependents start only after that,
///   on a thread that has held the lock since, so they read without it.
final class LaunchStorage: Sendable {
    /// What must be cancelled when a running operation is told to.
    enum Handle: Sendable {
        case task(Task<Void, Never>)
        case operation(Operation)

        func cancel() {
            switch self {
            case .task(let task): task.cancel()
            case .operation(let operation): operation.cancel()
            }
        }
    }

    struct State {
        var machine: LaunchStateMachine
        /// What the state machine wants done; empty whenever the lock is free.
        var actions = LaunchStateMachine.Actions()
        /// Of operations that run, on whatever thread.
        var handles: [Int: Handle] = [:]
        /// Why operations did not succeed, by operation.
        var errors: [Int: any Error] = [:]
        /// What operations that run say they wait for.
        var waits: [Int: ToldWait] = [:]
        /// What operations have noted about themselves, by operation.
        var notes: [Int: [String]] = [:]
        var anomalies: [Anomaly] = []
        var deliveries = EventDeliveries()
        /// Until when the end of the launch waits for who watches it; nil before and after.
        var endOfWatching: Nanoseconds?
        var waiters: [@Sendable (LaunchReport) -> Void] = []
        var report: LaunchReport?
    }

    /// What follows from an input.
    struct Consequences {
        var actions: LaunchStateMachine.Actions
        var cancelled: [Handle]
        var wake: Nanoseconds?
        var hasEvents: Bool
    }

    typealias Assignment = LaunchStateMachine.Assignment

    let graph: ValidatedGraph
    let budget: Budget
    let timekeeper: any Timekeeper
    let values: ValueTable
    let state: Locked<State>
    let runner = OperationRunner()
    private let pool: WorkerPool
    let virtualTime: VirtualTimekeeper?
    let qualityOfService: QualityOfService
    private let startOffset: Duration
    let stallWatch: StallWatch?
    private let version: String?
    /// By the wall clock; nil in virtual time.
    private let startedAt: Date?

    init(graph: ValidatedGraph, budget: Budget, options: LaunchOptions, observers: EventDeliveries) {
        self.graph = graph
        self.budget = budget
        startOffset = budget.origin == .processStart ? timeSinceProcessStart() ?? .zero : .zero
        let traits = LaunchStateMachine.NodeTraits(graph, plan: options.plan)
        timekeeper = options.makeTimekeeper(hasMainSteps: traits.all.contains(.isMain))
        virtualTime = timekeeper as? VirtualTimekeeper
        qualityOfService = options.qualityOfService ?? QualityOfService(Task.currentPriority)
        stallWatch = options.stallWatch
        version = options.version
        startedAt = virtualTime == nil ? Date() : nil
        values = ValueTable(count: traits.all.contains(.hasValue) ? graph.count : 0)
        pool = WorkerPool(qualityOfService: qualityOfService, virtualTime: virtualTime)
        var settings = options.settings
        settings.recordsEvents = !observers.isEmpty
        if virtualTime != nil { settings.workers = 1 }
        if budget.isEnforced { settings.budget = (budget.limit - startOffset).nanoseconds }
        state = Locked(State(machine: LaunchStateMachine(graph: graph, traits: traits, settings: settings), deliveries: observers))
    }

    func begin() {
        // The timekeeper lets go of its handlers when the launch ends. Not weakly held: that would make every retain of the launch a slow one.
        // Until the first operations have been handed out there is nothing to show that time must not move.
        virtualTime?.jobBegins()
        defer { virtualTime?.jobEnds() }
        if let virtualTime {
            virtualTime.begin({ [self] in timePassed() }, runningOperations: { [self] in runningOperations })
        } else {
            timekeeper.begin { [self] in timePassed() }
        }
        input { state, _ in state.machine.begin(&state.actions) }
    }

    // MARK: The one way in

    /// Asks the state machine under the lock, then acts without it.
    ///
    /// - Parameter onTimer: whether this is the thread that later timeouts need.
    @discardableResult
    @inline(__always)
    func input<Result>(onTimer: Bool = false, _ body: (inout State, Nanoseconds) -> Result) -> Result {
        // In virtual time nothing may move between a decision and what follows from it.
        virtualTime?.jobBegins()
        defer { virtualTime?.jobEnds() }
        let now = timekeeper.now
        var consequences: Consequences?
        let result = state.withLock { state in
            let result = body(&state, now)
            consequences = state.takeConsequences(graph, values)
            return result
        }
        if let consequences { act(on: consequences, onTimer: onTimer) }
        return result
    }

    private func act(on consequences: Consequences, onTimer: Bool) {
        let actions = consequences.actions
        for handle in consequences.cancelled { handle.cancel() }
        if let wake = consequences.wake { timekeeper.wake(at: wake) }
        // Before a worker that is added now can change what the stall is about.
        if actions.reportsStall { reportStall(onTimer: onTimer) }
        for _ in 0..<actions.workers { pool.addWorker { self.work() } }
        for _ in 0..<actions.mainTurns { requestMainTurn() }
        if consequences.hasEvents { tell(isOver: actions.isOver, onTimer: onTimer) } else if actions.isOver { finish() }
    }

    private func timePassed() {
        input(onTimer: true) { state, now in state.machine.timePassed(to: now, &state.actions) }
        endWatching()
    }

    private var runningOperations: Int {
        state.withLock { $0.machine.runningCount + ($0.machine.isTakeoverRunning ? 1 : 0) }
    }

    // MARK: Workers and the main thread

    /// What a worker does: takes operations until there are none.
    private func work() {
        let first = input { state, now in state.machine.takeForWorker(at: now, &state.actions) }
        if let first { work(beginningWith: first) }
    }

    private func work(beginningWith first: Assignment) {
        var next = perform(first)
        while let assignment = next { next = perform(assignment) }
    }

    /// Adds a worker that the state machine knows already, with its first operation.
    func addWorker(beginningWith first: Assignment) {
        pool.addWorker { self.work(beginningWith: first) }
    }

    private func requestMainTurn() {
        let turn: @Sendable () -> Void = { [self] in
            let assignment = input { state, now in state.machine.takeForMain(at: now, &state.actions) }
            if let assignment { performOnMain(assignment) }
        }
        if let virtualTime {
            virtualTime.requestMainTurn(turn)
        } else {
            OperationQueue.main.addOperation(turn)
        }
    }

    // MARK: The end of the launch

    /// Makes the report, and gives it to those who wait for it; once, whoever comes first.
    func finish() {
        let anomalies = runner.anomalies
        let (report, waiters) = state.withLock { state -> (LaunchReport?, [@Sendable (LaunchReport) -> Void]) in
            if state.report != nil { return (nil, []) }
            let report = LaunchReport(
                RunRecord(
                    &state,
                    graph: graph,
                    budget: budget,
                    startOffset: startOffset,
                    startedAt: startedAt,
                    version: version,
                    anomalies: anomalies
                )
            )
            state.report = report
            state.endOfWatching = nil
            state.handles = [:]
            state.waits = [:]
            defer { state.waiters = [] }
            return (report, state.waiters)
        }
        guard let report else { return }
        timekeeper.end()
        pool.retire()
        // The completion handler, which came first, is the last: it is an app's code, and may block.
        for waiter in waiters.reversed() { waiter(report) }
    }

    /// Calls `waiter` with the report, once there is one.
    func whenOver(_ waiter: @escaping @Sendable (LaunchReport) -> Void) {
        let report = state.withLock { state in
            if state.report == nil { state.waiters.append(waiter) }
            return state.report
        }
        if let report { waiter(report) }
    }

    // MARK: What operations and callers ask

    func abort(by node: Int, _ reason: AbortReason, takeover: (@MainActor @Sendable () async -> Void)?) -> Bool {
        let isAccepted = input { state, now in
            state.machine.abort(by: node, reason, hasTakeover: takeover != nil, at: now, &state.actions)
        }
        if isAccepted, let takeover {
            Task { @MainActor [self] in
                await takeover()
                input { state, now in state.machine.takeoverEnded(at: now, &state.actions) }
            }
        }
        return isAccepted
    }

    /// What operations have done that they should not have done, up to now.
    var anomalies: [Anomaly] { state.withLock { $0.anomalies } + runner.anomalies }

    func personWaitBegan(_ assignment: Assignment) {
        input { state, now in state.machine.personWaitBegan(assignment, at: now, &state.actions) }
    }

    func personWaitEnded(_ assignment: Assignment) {
        input { state, now in state.machine.personWaitEnded(assignment, at: now, &state.actions) }
    }

    func note(_ text: String, by node: Int) {
        state.withLock { state in
            guard state.machine.nodes[node].state != .ended else { return }
            var notes = state.notes[node] ?? []
            if notes.count < Launch.mostNotes, !notes.contains(text) { notes.append(text) }
            state.notes[node] = notes
        }
    }

    func cancel() {
        input { state, now in state.machine.cancelLaunch(at: now, &state.actions) }
    }

    func cancelOperation(_ node: Int) {
        input { state, now in state.machine.cancelOperation(node, at: now, &state.actions) }
    }

    func isToldToCancel(_ assignment: Assignment) -> Bool {
        state.withLock { state in
            let node = state.machine.nodes[assignment.node]
            return node.isToldToCancel || node.state == .ended || Int(node.attempts) != assignment.attempt
        }
    }

    func remainingTime(of node: Int) -> Duration? {
        let now = timekeeper.now
        return state.withLock { $0.machine.timeLimit(of: node) }.map { .nanoseconds(max(0, $0 - now)) }
    }

    /// For a dependent: the step has ended, and its slot will not change.
    func value<Value>(of step: Step<Value>) throws -> Value? {
        try values[graph.index(of: step)] as? Value
    }

    /// For anyone else: the step may be about to end.
    func endedValue<Value>(of step: Step<Value>) throws -> Value? {
        let node = try graph.index(of: step)
        let value: (any Sendable)? = state.withLock { state in
            guard state.machine.nodes[node].state == .ended else { return nil }
            return values.isEmpty && state.machine.nodes[node].outcome.isSuccess ? () : values[node]
        }
        return value as? Value
    }
}
