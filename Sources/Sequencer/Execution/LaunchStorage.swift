import Foundation
import Synchronization

/// A launch that runs: takes the lock, asks the state machine, lets go, then acts.
///
/// Mutable state, and what guards it:
/// - `state`: the state machine and everything that changes with it, by its own lock;
/// - `values`: a slot per operation, written once, under that lock, when its operation ends with a value. Dependents start only after that,
///   on a thread that has held the lock since, so they read without it. The slot of an operation that was put off stays empty: its dependents
///   do not wait for it, and its value is in `state`.
final class LaunchStorage: StepHost {
    /// The work to cancel when a running operation is told to cancel.
    enum Handle: Sendable {
        case task(StepTask)
        case operation(Operation)
        case event(EventWait)

        func cancel() {
            switch self {
            case .task(let task): task.cancel()
            case .operation(let operation): operation.cancel()
            case .event(let wait): wait.cancel()
            }
        }
    }

    struct State {
        var machine: LaunchStateMachine
        /// The actions that the state machine asks for; empty whenever the lock is free.
        var actions = LaunchStateMachine.Actions()
        /// Of operations that run, on any thread.
        var handles: [Int: Handle] = [:]
        /// Tasks on workers' threads that have not suspended; ``StepTask/current`` says what each runs.
        var inlineTasks: [StepTask] = []
        /// The threads of workers.
        var threads = WorkerThreads()
        /// Why operations did not succeed, by operation.
        var errors: [Int: any Error] = [:]
        /// The values of operations that were put off, by operation: for callers that ask the launch, not for dependents.
        var lateValues: [Int: any Sendable] = [:]
        /// The same for people, as the errors said when they were thrown, on the threads of their operations.
        var messages: [Int: String] = [:]
        /// The waits that running operations tell of.
        var waits: [Int: ToldWait] = [:]
        /// The notes of operations about themselves, by operation.
        var notes: [Int: [String]] = [:]
        var anomalies: [Anomaly] = []
        var eventWaits = EventWaits()
        var deliveries = EventDeliveries()
        var streams = EventStreams()
        /// Told when an operation begins to ask a person, and when it no longer does. They never block.
        var questionWatchers: [@Sendable (_ operation: String) -> Void] = []
        /// Until when the end of the launch waits for its observers; nil before and after.
        var endOfWatching: Nanoseconds?
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
        var scopes = LaunchScopes<LaunchStorage, RunRecord>()
        /// The screens of slow steps that have not been told to end.
        var screens: [Int: SlowScreenSignal] = [:]
        /// Both made when they are first needed.
        var appCode: AppCodeQueue?
        var cancels: AppCodeQueue?
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
        var cancelled: CancelledOperations?
        var wake: Nanoseconds?
        var hasEvents: Bool
        /// Operations of the app's queue whose steps have ended.
        var ended: [QueuedStep] = []
    }

    typealias Assignment = LaunchStateMachine.Assignment
    typealias Takeover = @MainActor @Sendable () async -> Void

    let graph: ValidatedGraph
    let claim: OperationClaim
    let admission: AdmittedLaunch
    let budget: Budget?
    let clock: any Clock<Duration>
    let timekeeper: any Timekeeper
    let values: ValueTable
    let state: Locked<State>
    /// Whether any operation was told to cancel. Set under the lock, read without it.
    let hasToldToCancel = Atomic(false)
    let runner = OperationRunner()
    /// The context of the caller that made the launch.
    let caller: CallerContext
    let pool: WorkerPool
    /// The app's, if it has given one. In virtual time the clock runs everything.
    let queue: OperationQueue?
    let virtualTime: VirtualTimekeeper?
    let qualityOfService: QualityOfService
    /// Whether each operation runs at utility quality of service, unless it says otherwise; none where all run at the launch's.
    let isLowered: [Bool]
    let startOffset: Duration
    /// How the process began, where the time before the launch is not the launch's.
    let processStart: ProcessStart?
    let stallWatch: StallWatch?
    let startsTasksAtOnce: Bool
    let recordsStart: (@Sendable (_ operation: String, _ attempt: Int) -> Void)?
    let recordsQuestion: (@Sendable (_ operation: String, _ isAnswered: Bool) -> Void)?
    let failureTakeover: (@MainActor @Sendable (OperationError) async -> Void)?
    let version: String?
    let attributes: [String: String]
    /// By the wall clock; nil in virtual time.
    let startedAt: Date?
    /// The name of the scope that this launch is, as in events; nil if it is not a scope.
    let scope: String?
    /// The number of scopes that it is in, itself included.
    let scopeDepth: Int
    /// The options of scopes that are given none.
    let scopeOptions: LaunchOptions

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
        self.scope = scope
        self.scopeDepth = scopeDepth
        scopeOptions = options.ofScopes
        self.claim = claim
        self.admission = admission
        let age = budget?.isFromProcessStart == true ? options.processAge() : nil
        let start = budget?.isFromProcessStart == true ? ProcessStart.judged(options.processStart, age: age) : options.processStart
        processStart = start == .person ? nil : start
        startOffset = start == .person ? age ?? .zero : .zero
        // Where that time is unknown, or not the launch's, the budget counts from the launch, and the report says so.
        self.budget = start == .person ? budget : budget?.fromLaunch
        clock = options.clock
        let traits = LaunchStateMachine.NodeTraits(
            graph,
            order: options.order,
            lanes: options.lanes,
            processors: options.scarceProcessors
        )
        timekeeper = options.makeTimekeeper(hasMainSteps: !traits.all.isDisjoint(with: [.isMain, .showsIfSlow]))
        virtualTime = timekeeper as? VirtualTimekeeper
        queue = virtualTime == nil ? options.queue : nil
        qualityOfService = queue?.qualityOfService ?? options.qualityOfService ?? QualityOfService(Task.currentPriority)
        // Utility is more than background, and a queue of the app's decides for itself.
        let mayLower = options.lowersLaterSteps && queue == nil && qualityOfService != .background
        isLowered = mayLower ? graph.forLater(traits.levels) : []
        stallWatch = options.stallWatch
        startsTasksAtOnce = options.startsTasksAtOnce
        recordsStart = options.startRecorder
        recordsQuestion = options.questionRecorder
        failureTakeover = options.failureTakeover
        version = options.version
        attributes = options.attributes
        // To the millisecond, as it is written: a report that is read again is the same.
        startedAt = virtualTime == nil ? Date().roundedToMilliseconds : nil
        // The steps do not inherit that a step of another launch sleeps on a virtual clock.
        caller = virtualTime == nil ? CallerContext() : TimeHolder.$current.withValue(nil) { CallerContext() }
        values = ValueTable(count: traits.all.contains(.hasValue) ? graph.count : 0)
        pool = WorkerPool(qualityOfService: qualityOfService, virtualTime: virtualTime)
        var settings = options.settings(for: budget)
        settings.recordsEvents = !options.observers.isEmpty
        if let limit = graph.graph.failureTakeover?.limit {
            (settings.hasFailureTakeover, settings.takeoverLimit) = (true, limit.nanoseconds)
        }
        // In virtual time one decision follows the other, so that every run is the same.
        if virtualTime != nil { (settings.workers, settings.maximumWorkers, settings.takesOneAtATime) = (1, nil, true) }
        // A worker of the engine's own would take the steps that the queue is to start.
        if queue != nil { (settings.workers, settings.maximumWorkers, settings.usesQueue) = (0, nil, true) }
        // The time before the launch is spent: only the rest of the budget can be kept.
        if let budget, budget.isEnforced { settings.budget = (budget.limit - startOffset).nanoseconds }
        let machine = LaunchStateMachine(graph: graph, traits: traits, settings: settings)
        state = Locked(State(machine: machine, deliveries: EventDeliveries(observers: options.observers)))
    }

    /// - Parameter completion: called last, elsewhere.
    func begin(_ completion: (@Sendable (FinishedLaunch) -> Void)? = nil) {
        // Before the first input: a graph without operations is over within the begin (G8).
        if let completion { state.withLock { $0.completion = completion } }
        // The timekeeper lets go of its handlers when the launch ends. Not weakly held: that would make every retain of the launch a slow one.
        virtualTime?.begin(for: self)
        // Virtual time must not move on before all that is ready at the start has been asked for.
        defer { virtualTime?.beginEnds() }
        timekeeper.begin { [self] in timePassed(standstill: $0) }
        beginFirstSteps()
    }

    // MARK: The one way in

    /// Asks the state machine under the lock, then acts without it.
    ///
    /// - Parameter defersAppCode: whether code of the app runs on another thread, since this one keeps the time, or belongs to a caller
    ///   that asks for something else.
    @discardableResult
    @inline(__always)
    func input<Result>(defersAppCode: Bool = false, _ body: (inout State, Nanoseconds) -> Result) -> Result {
        // In virtual time nothing may move between a decision and what follows from it.
        virtualTime?.inputBegins()
        defer { virtualTime?.inputEnds() }
        // Before the lock: the clock may be the app's, and ask the launch (L61).
        let now = timekeeper.now
        var consequences: Consequences?
        let result = state.withLock { state in
            let result = body(&state, now)
            consequences = state.takeConsequences(self)
            return result
        }
        if let consequences { act(on: consequences, defersAppCode: defersAppCode) }
        return result
    }

    /// The launch's own needs come first, and code of the app last, elsewhere: the launch goes on even if that code blocks.
    func act(on consequences: Consequences, defersAppCode: Bool) {
        let actions = consequences.actions
        // First: the takeover must have the screen at once.
        if let takeover = consequences.takeover { start(takeover) }
        // As things are before a worker that is added now can change what the stall is about.
        let stall = actions.rare.contains(.reportsStall) ? statusSnapshot : nil
        if let wake = consequences.wake { timekeeper.wake(at: wake) }
        if actions.isOver, consequences.hasEvents { limitWatching() }
        if actions.rare.contains(.computesFallbacks) { for fallback in actions.fallbacks { addThread(for: fallback) } }
        for _ in 0..<actions.workers { addWorker() }
        if actions.rare.contains(.looksAtWorkers) { beginLooking() }
        for _ in 0..<actions.mainTurns { requestMainTurn() }
        if actions.rare.contains(.changesScreens) { changeScreens() }
        if actions.rare.contains(.cancelsScopes) { cancelScopes() }
        if !actions.events.isEmpty { seeToEvents(of: actions.events) }
        if actions.isMilestoneOver { tellMilestoneWaiters() }
        if actions.isOver, !consequences.hasEvents { finish(defersAppCode: defersAppCode) }
        if let stall { reportStall(stall) }
        // The app's queue and observers are told on this thread, and may take their time: in real time, where this only hands them over, cancels are
        // before them.
        if virtualTime == nil, let cancelled = consequences.cancelled { cancel(cancelled) }
        if queue != nil { tellQueue(ended: consequences.ended, turns: actions.queueTurns, defersAppCode: defersAppCode) }
        if consequences.hasEvents { tell(defersAppCode: defersAppCode) }
        if virtualTime != nil, let cancelled = consequences.cancelled { cancel(cancelled) }
    }

    private func timePassed(standstill: Nanoseconds) {
        input(defersAppCode: true) { state, now in state.machine.timePassed(to: now, standstill: standstill, &state.actions) }
        // One alarm serves all: each looks whether its own time has come.
        beginUntoldMainSteps()
        endWatching()
    }

    nonisolated(nonsending) func sleep(for duration: Duration, by assignment: Assignment, keepsThread: Bool) async throws {
        // A negative or an endless time is legal, and would trap in the conversion to nanoseconds.
        let duration = min(max(duration, .zero), VirtualScheduler.never)
        if let virtualTime { return try await virtualTime.sleep(for: duration, by: assignment, keepsThread: keepsThread) }
        try await timekeeper.sleep(for: duration)
    }

    // MARK: Code of the app, for which the launch does not wait

    /// Where it is called.
    var appCode: AppCodeQueue {
        state.withLock { state in
            let queue = state.appCode ?? AppCodeQueue()
            state.appCode = queue
            return queue
        }
    }

    /// Calls code of the app: here in virtual time, whose clock stands still meanwhile, and elsewhere in real time.
    func callApp(_ call: @escaping @Sendable () -> Void) {
        // The code does not belong to the step that this thread has run.
        if virtualTime != nil { LaunchWithin.none(call) } else { appCode.add(call) }
    }

    /// Tells running operations to cancel: `onCancel:` and `didCancel()` run within that, and may block.
    func cancel(_ operations: CancelledOperations) {
        if virtualTime != nil { return operations.cancelAll() }
        // Apart from the other code: an end, or an event, waits for none of them.
        let queue = state.withLock { state in
            let queue = state.cancels ?? AppCodeQueue(isOrdered: false)
            state.cancels = queue
            return queue
        }
        queue.add(
            (0..<operations.count).map { index in
                AppCodeQueue.Call(tag: operations.node(at: index)) { operations.cancel(at: index) }
            }
        )
    }

    /// The operations whose cancel handlers have not returned at once.
    var slowCancels: [Anomaly] {
        let nodes = state.withLock { $0.cancels }?.slow ?? []
        return nodes.map { Anomaly(.cancelHandlerBlocked, of: graph.id($0)) }
    }

    // MARK: Workers and the main thread

    /// Adds a worker, which takes operations until none is left.
    ///
    /// - Parameter first: its first operation, where the state machine knows the worker already.
    func addWorker(beginningWith first: Assignment? = nil) {
        // A fallback is wanted at once, also while blocked code holds every thread of the pool.
        pool.addWorker(mayBePooled: first?.kind != .computeFallback) { self.withCallersValues { self.work(beginningWith: first) } }
    }

    private func work(beginningWith first: Assignment?) {
        StepThread.with(self) { thread in
            var next = first
            if first == nil {
                next = input { state, now in
                    state.add(thread)
                    return state.machine.takeForWorker(at: now, &state.actions)
                }
            } else {
                state.withLock { $0.add(thread) }
            }
            while let assignment = next {
                thread.assignment = assignment
                next = perform(assignment)
            }
        }
    }

    /// Computes a fallback on a thread that is no worker, and goes on as one if one is missing then.
    private func addThread(for fallback: Assignment) {
        guard let virtualTime else { return addWorker(beginningWith: fallback) }
        virtualTime.compute(fallback) { self.withCallersValues { self.work(beginningWith: fallback) } }
    }

    /// Runs `work` here, with the task-local values of the caller that started the launch.
    func withCallersValues(_ work: @escaping @Sendable () -> Void) {
        caller.run(at: qualityOfService.taskPriority, work)
    }

    private func requestMainTurn() {
        let turn: @Sendable () -> Void = { [self] in
            // Observers are told before the start, as on any other thread, but not by the main thread, which comes back to the start.
            let isToldFirst = isToldBeforeMain
            let (assignment, start) = input { state, now in
                let assignment = state.machine.takeForMain(at: now, &state.actions)
                return (assignment, isToldFirst ? assignment.flatMap { state.willBeginOnMain($0, at: now) } : nil)
            }
            guard let assignment else { return }
            if let start { timekeeper.wake(at: start.limit) } else { onThisThread(assignment) { performOnMain(assignment) } }
        }
        if let virtualTime {
            virtualTime.requestMainTurn { self.withCallersValues(turn) }
        } else {
            OperationQueue.main.addOperation { self.withCallersValues(turn) }
        }
    }

    private func start(_ takeover: @escaping Takeover) {
        let holder = virtualTime?.takeoverBegins()
        // A takeover has the task-local values of the caller, as all code of steps has (O54).
        withCallersValues { [self] in
            Task { @MainActor [self] in
                await TimeHolder.$current.withValue(holder) { await takeover() }
                input { state, now in state.machine.takeoverEnded(at: now, &state.actions) }
            }
        }
    }
}
