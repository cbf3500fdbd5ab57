import Foundation

/// A launch that runs: takes the lock, asks the state machine, releases the lock, then acts.
///
/// ```
/// worker      ┐                    ┌────────── under the lock ───────────┐            ┌───────── without it ──────────┐
/// main thread ├─ "this has ended, ─▶ LaunchStateMachine decides            ─▶ act: ───▶ threads, turns, the next alarm, │
/// timer       │   what is next?"   │ values, errors and handles are kept   │          │ screens, scopes, the report;     │
/// app         ┘                    └─────────────────────────────────────┘          │ then code of the app, elsewhere  │
/// ```
/// All that changes is in `state`, under its lock. Nothing that can call back is called under the lock, and objects of
/// the app come out of it to be released. Steps run on workers and on the main thread (`LaunchStorage+Steps.swift`),
/// code of the app for which nobody waits in an ``AppCodeQueue``, and time comes from the queue of ``Alarms``, or from
/// the virtual clock.
final class LaunchStorage: Sendable {
    struct State: ~Copyable {
        var machine: LaunchStateMachine
        /// The work to cancel when an operation that runs is told to cancel.
        var handles: [Int: any Cancellable] = [:]
        /// The threads of workers.
        var threads = WorkerThreads()
        /// Why operations did not succeed, by operation.
        var errors: [Int: any Error] = [:]
        /// The values that operations have left.
        var values: [Int: any Sendable] = [:]
        /// The same for people, as the errors said when they were thrown, on the threads of their operations.
        var messages: [Int: String] = [:]
        /// The waits that running operations tell of.
        var waits: [Int: ToldWait] = [:]
        /// The notes of operations about themselves, by operation.
        var notes: [Int: [String]] = [:]
        var processorTimes = ProcessorTimes()
        var anomalies: [Anomaly] = []
        var eventWaits = EventWaits()
        var observers: Outbox<@Sendable (LaunchEvent) -> Void>
        /// Apart from the observers, so that an observer that blocks holds up only the last event of a stream. That
        /// event comes when the launch has given back its operations and its admission: a reader may then start the
        /// next launch at once.
        var streams = Outbox<EventFeed>()
        var mainStarts: [MainStart] = []
        /// Told when an operation begins to ask the user, and when it no longer does. They never block.
        var questionWatchers: [@Sendable (_ operation: String) -> Void] = []
        /// The launch's operations in the app's queue, if it has given one.
        var queued = QueuedSteps()
        /// Code of the engine that waits for the end. It never blocks.
        var waiters: [@Sendable (FinishedLaunch) -> Void] = []
        /// Code that waits for the end of the launch proper. It never blocks.
        var milestoneWaiters: [@Sendable (RunRecord) -> Void] = []
        /// Code of the app that waits for the end.
        var completion: (@Sendable (FinishedLaunch) -> Void)?
        /// The takeover, between the abort and its start.
        var takeover: Takeover?
        var scopes = LaunchScopes()
        /// The screens of slow steps that have not been told to end.
        var screens: [Int: EventStorage] = [:]
        /// The record at the milestone; nil until then, and for a launch whose operations have all ended by then.
        var milestoneRecord: RunRecord?
        /// Whether the record is made. It is given out only after the launch has given back all that it held.
        var isEnding = false
        /// The record of the launch; nil until it is over.
        var record: RunRecord?
    }

    /// The consequences of an input.
    struct Consequences {
        var actions: LaunchStateMachine.Actions
        var takeover: Takeover?
        var cancelled: [AppCodeQueue.Call]
        var wake: Nanoseconds?
        var hasEvents: Bool
        /// Screens to show, each with the event that ends it; then screens that must end.
        var shownScreens: [(node: Int, end: EventStorage)]
        var endedScreens: [EventStorage]
        /// Of any launch.
        var granted: [ProcessResources.Claim]
        /// Operations of the app's queue whose steps have ended.
        var ended: [QueuedStep]
        /// Others for it, for steps that are ready.
        var turns: [QueuedStep]
    }

    typealias Assignment = LaunchStateMachine.Assignment
    typealias Takeover = @MainActor @Sendable () async -> Void

    let graph: ValidatedGraph
    let claim: OperationClaim
    let admission: AdmittedLaunch
    let facts: LaunchFacts
    let options: LaunchOptions
    let timekeeper: any Timekeeper
    let state: Locked<State>
    /// This launch until it is over, for its steps' tasks and its virtual time: what a step has begun may keep them for
    /// longer.
    let link: Locked<LaunchStorage?>
    let runner = OperationRunner()
    /// Where code of the app is called, for which the launch does not wait.
    let appCode = AppCodeQueue()
    /// Apart from the other code: an end, or an event, waits for no cancel handler.
    let cancels = AppCodeQueue(isOrdered: false)
    /// The context of the caller that made the launch.
    let caller: CallerContext
    /// The app's, if it has given one. In virtual time the clock runs everything.
    let queue: OperationQueue?
    let virtualTime: VirtualTimekeeper?
    /// Nobody knows of another clock whether the process stood still, or the machine slept.
    var systemTime: SystemTimekeeper? { timekeeper as? SystemTimekeeper }
    /// What is measured of steps: in real time alone.
    let measurements: LaunchOptions.Measurements
    /// The processor time that the process had used before; nil where it is not measured. The process is no scope's.
    let processorTimeBefore: Nanoseconds?
    let qualityOfService: QualityOfService
    /// Whether each operation runs at utility quality of service, unless it says otherwise; none where all run at the
    /// launch's.
    let isLowered: [Bool]
    /// The name of the scope that this launch is, as in events; nil if it is not a scope.
    let scope: String?
    /// The number of scopes that it is in, itself included.
    let scopeDepth: Int

    init(
        graph: ValidatedGraph,
        claim: OperationClaim,
        admission: AdmittedLaunch,
        budget: Budget?,
        options: LaunchOptions,
        scope: String? = nil,
        scopeDepth: Int = 0
    ) {
        self.graph = graph
        facts = LaunchFacts(budget, options)
        self.scope = scope
        self.scopeDepth = scopeDepth
        self.options = options
        self.claim = claim
        self.admission = admission
        var settings = options.settings(for: budget)
        (settings.recordsEvents, settings.scope) = (!options.observers.isEmpty, scope)
        if let limit = graph.graph.failureTakeover?.limit {
            (settings.hasFailureTakeover, settings.takeoverLimit) = (true, limit.nanoseconds)
        }
        // The time before the launch is spent: only the rest of the budget can be kept.
        if let budget, budget.isEnforced { settings.budget = (budget.limit - facts.startOffset).nanoseconds }
        let machine = LaunchStateMachine(graph: graph, settings: settings)
        let traits = machine.traits
        link = Locked(nil)
        let hasMainSteps = !traits.all.isDisjoint(with: [.isMain, .showsIfSlow])
        timekeeper = options.makeTimekeeper(for: link, hasMainSteps: hasMainSteps)
        virtualTime = timekeeper as? VirtualTimekeeper
        queue = virtualTime == nil ? options.queue : nil
        measurements = timekeeper is SystemTimekeeper ? options.measurements : []
        processorTimeBefore = measurements.isEmpty || scope != nil ? nil : ProcessorTime.ofProcess
        qualityOfService = queue?.qualityOfService ?? options.qualityOfService ?? QualityOfService(Task.currentPriority)
        // Utility is more than background, and a queue of the app's decides for itself.
        let mayLower = options.lowersLaterSteps && queue == nil && qualityOfService != .background
        isLowered = mayLower ? graph.forLater(traits.levels) : []
        // The steps do not inherit that a step of another launch sleeps on a virtual clock.
        caller = virtualTime == nil ? CallerContext() : TimeHolder.$current.withValue(nil) { CallerContext() }
        state = Locked(State(machine: machine, observers: Outbox(options.observers)))
    }

    /// - Parameter completion: called last, elsewhere.
    func begin(_ completion: (@Sendable (FinishedLaunch) -> Void)? = nil) {
        link.withLock { $0 = self }
        // Before the first input: a graph without operations is over within the begin (G8).
        if let completion { state.withLock { $0.completion = completion } }
        // Virtual time must not move on before all that is ready at the start has been asked for.
        defer { virtualTime?.inputEnds() }
        // The timekeeper releases its handler when the launch ends. It does not hold the launch weakly: that would make
        // every retain of the launch a slow one.
        timekeeper.begin { [self] in timePassed(standstill: $0) }
        // A prologue runs here, one step after the other, before the operations that wait for nothing.
        let hasPrologue = graph.firstOfPrologue != nil
        if hasPrologue { virtualTime?.setInPrologue(true) }
        // The caller of a start does not wait for observers.
        input(defersAppCode: true) { state in
            state.machine.isInPrologue = hasPrologue
            state.machine.begin()
        }
        guard hasPrologue else { return }
        run(for: .prologue)
        virtualTime?.setInPrologue(false)
    }

    // MARK: The one way in

    /// Asks the state machine under the lock, then acts without it.
    ///
    /// - Parameter defersAppCode: whether code of the app runs on another thread, since this one keeps the time, or
    ///   belongs to a caller that asks for something else.
    @discardableResult
    func input<Result>(defersAppCode: Bool = false, _ body: (inout State) -> Result) -> Result {
        inputAndWhetherActed(defersAppCode: defersAppCode, body).result
    }

    /// The same, and whether anything was done without the lock since it was asked, which may have taken its time.
    func inputAndWhetherActed<Result>(
        defersAppCode: Bool,
        _ body: (inout State) -> Result
    ) -> (result: Result, hasActed: Bool) {
        // In virtual time nothing may move between a decision and what follows from it.
        virtualTime?.inputBegins()
        defer { virtualTime?.inputEnds() }
        // Before the lock: the clock may be the app's, and ask the launch (L61).
        let now = timekeeper.now
        var consequences: Consequences?
        let result = state.withLock { state in
            state.machine.advance(to: now)
            let result = body(&state)
            state.machine.settle()
            consequences = state.takeConsequences(self)
            return result
        }
        guard let consequences else { return (result, false) }
        act(on: consequences, defersAppCode: defersAppCode)
        return (result, true)
    }

    /// The launch's own needs come first, and code of the app last, elsewhere: the launch continues even if that code
    /// blocks.
    func act(on consequences: Consequences, defersAppCode: Bool) {
        let actions = consequences.actions
        // First: the takeover must have the screen at once.
        if let takeover = consequences.takeover {
            show(.takeover, "the takeover", takeover) { $0.machine.takeoverEnded() }
        }
        // As things are before a worker that is added now can change what the stall is about.
        let stall = actions.reportsStall ? takeStatus() : nil
        if let wake = consequences.wake { timekeeper.wake(at: wake) }
        // The report is given when those who watch know, or when they have had time enough. In virtual time the clock
        // stands still while an observer is called.
        if actions.isOver, consequences.hasEvents, virtualTime == nil {
            AppCodeQueue.after(Self.patience, self) { $0.finish(defersAppCode: true) }
        }
        for fallback in actions.fallbacks { addThread(for: fallback) }
        for _ in 0..<actions.workers { addThread() }
        if actions.looksAtWorkers { beginLooking() }
        for _ in 0..<actions.mainTurns { requestMainTurn() }
        for (node, end) in consequences.shownScreens { show(node, end) }
        for end in consequences.endedScreens { end.settle(.success(())) }
        if actions.cancelsScopes { cancelScopes() }
        // Of any launch, on this thread.
        for claim in consequences.granted {
            claim.launch.input(defersAppCode: true) { $0.machine.claimGranted(claim.node, claim.number) }
        }
        if !actions.events.isEmpty { processEvents(of: actions.events) }
        if actions.isMilestoneOver { tellMilestoneWaiters() }
        if actions.isOver, !consequences.hasEvents { finish(defersAppCode: defersAppCode) }
        // Closures that tell of a wait are asked there too.
        if let stall, let stallWatch = options.stallWatch { callApp { stallWatch.report(stall()) } }
        // The app's queue and observers are told on this thread, and may take their time: in real time, where this only
        // hands them over, cancels are before them.
        if virtualTime == nil { cancel(consequences.cancelled) }
        if queue != nil { tellQueue(ended: consequences.ended, turns: consequences.turns, defersAppCode: defersAppCode) }
        if consequences.hasEvents { tellWatchers(defersAppCode: defersAppCode) }
        if virtualTime != nil { cancel(consequences.cancelled) }
    }

    func timePassed(standstill: Nanoseconds) {
        input(defersAppCode: true) { $0.machine.timePassed(standstill: standstill) }
    }

    nonisolated(nonsending) func sleep(for duration: Duration, by assignment: Assignment, keepsThread: Bool) async throws {
        // A negative or an endless time is legal, and would trap in the conversion to nanoseconds.
        let duration = min(max(duration, .zero), VirtualScheduler.never)
        guard let virtualTime else { return try await options.clock.sleep(for: duration, tolerance: .zero) }
        try await virtualTime.sleep(for: duration, by: assignment, keepsThread: keepsThread)
    }

    // MARK: Code of the app, for which the launch does not wait

    /// Calls code of the app: here in virtual time, whose clock stands still meanwhile, and elsewhere in real time.
    func callApp(_ call: @escaping @Sendable () -> Void) {
        // The code does not belong to the step that this thread has run.
        if virtualTime != nil { CurrentStep.none(call) } else { appCode.add(call) }
    }

    /// Tells running operations to cancel: `onCancel:` and `didCancel()` run within that, and may block.
    func cancel(_ operations: [AppCodeQueue.Call]) {
        if operations.isEmpty { return }
        if virtualTime == nil { cancels.add(operations) } else { for operation in operations { operation.run() } }
    }

    /// The faults that the state does not know: cancel handlers that have not returned at once, and those of the
    /// runner.
    var anomaliesOutside: [Anomaly] { cancels.slow.map { Anomaly(.cancelHandlerBlocked, of: graph.id($0)) } + runner.anomalies }

    /// Runs `work` here, with the task-local values of the caller that started the launch.
    func withCallersValues(_ work: @escaping @Sendable () -> Void) {
        caller.run(at: qualityOfService.taskPriority, work)
    }

    /// Shows something on the main actor, in a task with the task-local values of the caller, as all code of steps has
    /// them (O54).
    ///
    /// - Parameter ended: told when `body` has returned.
    func show(
        _ role: TimeHolder.Role,
        _ name: String,
        _ body: @escaping Takeover,
        _ ended: @escaping @Sendable (inout State) -> Void
    ) {
        let holder = virtualTime?.begins(role, name)
        withCallersValues { [self] in
            Task { @MainActor [self] in
                await TimeHolder.$current.withValue(holder) { await body() }
                input(ended)
            }
        }
    }
}

extension LaunchStorage.State {
    /// The consequences of an input, to be carried out without the lock; nil without any, as after most inputs.
    mutating func takeConsequences(_ launch: LaunchStorage) -> LaunchStorage.Consequences? {
        let wake = machine.takeWake()
        if machine.actions.isEmpty, wake == nil, machine.events.isEmpty { return nil }
        let (graph, actions) = (launch.graph, exchange(&machine.actions, with: LaunchStateMachine.Actions()))
        // As things are at the milestone, for calls that ask for them later.
        if actions.isMilestoneOver, machine.endOfLaunchProper != nil, machine.phase != .over {
            milestoneRecord = launch.makeRecord(&self, [])
        }
        if actions.showsFailure { takeover = failureTakeover(launch) }
        for node in actions.useFallbackValue {
            if case .value(let value)? = graph.policy(node).fallback { values[node] = value }
        }
        let cancelled = actions.cancel.compactMap { node -> AppCodeQueue.Call? in
            // An operation that exists already gets no handle: the graph has it.
            if case .operation(let operation) = graph.nodes[node].work { return AppCodeQueue.Call(cancelling: node, operation) }
            return handles[node].map { AppCodeQueue.Call(cancelling: node, $0) }
        }
        return LaunchStorage.Consequences(
            actions: actions,
            takeover: takeover.take(),
            cancelled: cancelled,
            wake: wake,
            hasEvents: !machine.events.isEmpty,
            shownScreens: actions.shownScreens.map { node in
                let end = EventStorage("the end of \(graph.id(node))")
                screens[node] = end
                return (node, end)
            },
            endedScreens: actions.endedScreens.compactMap { screens.removeValue(forKey: $0) },
            granted: actions.claims.isEmpty ? [] : ProcessResources.change(actions.claims, of: launch),
            ended: actions.endedTurns.compactMap { queued.removeRunning($0) },
            turns: actions.queueTurns.map { queued.add(launch, $0) }
        )
    }

    /// The operation whose failure failed the launch, as far as that is certain, and its error.
    mutating func failure(_ launch: LaunchStorage) -> (node: Int, error: OperationError)? {
        guard case .failed(let operation, let message) = (record ?? launch.makeRecord(&self, [])).outcome(),
            let node = launch.graph.position(of: operation)
        else { return nil }
        // A skipped operation has not failed itself.
        let cause = Int(machine.nodes[node].cause)
        let error = OperationError(
            operation: operation,
            outcome: machine.nodes[node].outcome,
            message: message,
            underlying: errors[cause >= 0 ? cause : node]
        )
        return (node, error)
    }

    /// The graph's takeover and the app's for a launch that has failed; nil without either.
    mutating func failureTakeover(_ launch: LaunchStorage) -> LaunchStorage.Takeover? {
        let (first, show) = (launch.graph.graph.failureTakeover?.body, launch.options.failureTakeover)
        guard first != nil || show != nil, let (node, error) = failure(launch) else { return nil }
        let assignment = LaunchStorage.Assignment(node: node, attempt: Int(machine.nodes[node].attempts), kind: .run)
        let context = StepContext(host: launch, assignment: assignment)
        return {
            if let first {
                if await first(context) { return }
                launch.input { $0.machine.graphGivesWay() }
            }
            await show?(error)
        }
    }
}
