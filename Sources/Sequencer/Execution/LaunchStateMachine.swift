/// Everything a launch decides, and nothing it does: no lock, no thread, no clock.
///
/// Inputs say what happened and when; they change the state and add to ``Actions`` what the caller must do once it has let go of its lock.
/// Times are nanoseconds since the launch began; one that is earlier than the last is taken as the last, for two threads can read the
/// clock in one order and get the lock in the other.
///
/// An operation goes through these states:
///
/// ```
/// waiting ──▶ ready ──▶ (parked ──▶ ready) ──▶ (checking) ──▶ running ──▶ ended
///                ▲                                              │  ▲
///                └───────────── pausing (retry) ◀───────────────┘  └── ready again, to compute its fallback
/// ```
struct LaunchStateMachine {
    /// What the caller must do, once it has let go of its lock.
    struct Actions {
        /// Workers to add: each takes operations with ``LaunchStateMachine/takeForWorker(after:at:_:)`` until there are none.
        var workers = 0
        /// Turns to ask of the main thread: each takes one operation with ``LaunchStateMachine/takeForMain(at:_:)``.
        var mainTurns = 0
        /// Running operations to be told to cancel.
        var cancel: [Int] = []
        /// Operations that ended with their fallback's value.
        var useFallbackValue: [Int] = []
        /// Nothing has ended for too long: say so.
        var reportsStall = false
        /// The launch is over: nothing will happen any more.
        var isOver = false

        var isEmpty: Bool {
            workers == 0 && mainTurns == 0 && !isOver && !reportsStall && cancel.isEmpty && useFallbackValue.isEmpty
        }
    }

    /// An operation to run, handed out exactly once.
    struct Assignment: Equatable {
        enum Kind: Equatable {
            /// Ask the condition first, and report with ``LaunchStateMachine/conditionAnswered(_:_:at:_:)``.
            case checkCondition
            case run
            case computeFallback
        }

        let node: Int
        /// From 1.
        let attempt: Int
        let kind: Kind
    }

    /// What running an operation's code came to.
    enum Result: Equatable {
        case succeeded
        case failed
        /// The operation ended as cancelled by itself, or because it was told to.
        case cancelled
    }

    enum Phase: UInt8 {
        case running
        /// Nothing starts any more; what runs has been told to cancel.
        case stopping
        case over
    }

    /// Why a launch does not run to its end.
    enum Stop: Equatable {
        case failed(Int)
        case deadline
        case aborted(by: Int, AbortReason)
        case cancelled
    }

    struct Settings {
        /// The most operations off the main thread that run at the same time; nil for no limit.
        var lanes: Int?
        /// Whose order decides which ready operation goes first.
        var plan: LaunchPlan?
        /// The most threads that start operations.
        var workers = 2
        var deadline: Nanoseconds?
        var deadlineCountsInteractiveTime = true
        /// How long operations that run get to end after the launch was stopped.
        var grace: Nanoseconds = 250_000_000
        /// Of the random part of retry pauses.
        var seed: UInt64 = 0
        var recordsEvents = false
        /// The time that counts by which the milestone is to end; nil when that is only measured.
        var budget: Nanoseconds?
        /// After how long without an operation's end that is reported.
        var stallLimit: Nanoseconds?

        /// Whether nothing is due at a time of the launch as a whole.
        var isUntimed: Bool { deadline == nil && stallLimit == nil }
    }

    // What every input of a worker writes, side by side: two workers on two processors hand these lines of the cache back and forth.
    private var now: Nanoseconds = 0
    /// When an operation last ended.
    var lastProgress: Nanoseconds = 0
    /// Operations that run now, or whose fallback is being computed.
    var runningCount = 0
    var alive: Int
    var readyForWorkers = Heap<Ready>()
    var lanes: LaneSet
    var isStallReported = false
    var phase = Phase.running
    var activeWorkers = 0
    /// Turns asked of the main thread that have not begun.
    var pendingMainTurns = 0
    var nodes: NodeTable

    // What such an input only looks at.
    let successors: AdjacencyList
    let traits: NodeTraits
    let milestone: Int
    var readyForMain = Heap<Ready>()
    var timers = Heap<Timer>()
    var cuts = Heap<Cut>()
    var pendingEnds: [PendingEnd] = []
    /// What the workers run that were counted out because they may never come back.
    var replacedWorkers: [Assignment] = []
    var events: [RawEvent] = []
    /// Of operations that have waited for a person.
    var personWaits: [Int: PersonWait] = [:]
    /// Operations that wait for the milestone to end.
    var deferred: [Int] = []
    var graceEnd: Nanoseconds?
    var isTakeoverRunning = false
    let settings: Settings
    let graph: ValidatedGraph

    // What few inputs have to do with.
    /// The first stop; later ones change nothing.
    var stop: Stop?
    /// Operations that still ran when the launch stopped waiting for them.
    var stragglers: [Int] = []
    /// Failed operations whose next attempt could not have started in time, each with that attempt's number.
    var retriesWithoutTime: [Int: Int] = [:]
    /// By when operations must end to keep the budget; nil where that changes nothing.
    let latestEnds: LatestEnds?
    var interactive = InteractiveClock()
    /// Interactive time until the milestone ended; nil until then.
    var interactiveUntilMilestone: Nanoseconds?
    var endOfLaunch: Nanoseconds = 0
    var resources: ResourceTable
    var random: SplitMix64
    var timerSequence = 0

    init(graph: ValidatedGraph, traits: NodeTraits? = nil, settings: Settings) {
        self.graph = graph
        self.settings = settings
        let traits = traits ?? NodeTraits(graph, plan: settings.plan)
        self.traits = traits
        milestone = graph.milestoneIndex ?? -1
        latestEnds = traits.canKeepBudgets ? settings.budget.map { LatestEnds(graph, limit: $0) } : nil
        nodes = NodeTable(degrees: graph.degrees)
        successors = graph.successors
        alive = graph.count
        lanes = LaneSet(limit: settings.lanes)
        resources = traits.all.contains(.hasResources) ? ResourceTable(graph) : ResourceTable()
        random = SplitMix64(seed: settings.seed)
    }

    // MARK: Inputs

    /// The launch begins: everything that waits for nothing is ready.
    mutating func begin(_ actions: inout Actions) {
        advance(to: 0)
        record(.launchStarted, at: 0)
        for node in nodes.indices where nodes[node].waiting == 0 && nodes[node].state == .waiting { becomeReady(node) }
        settle(&actions)
    }

    /// A worker asks for an operation, after it has started `started` if it just did; nil tells it to end.
    mutating func takeForWorker(after started: Assignment? = nil, at time: Nanoseconds, _ actions: inout Actions) -> Assignment? {
        advance(to: time)
        let next = nextForWorker(after: started)
        settle(&actions)
        return next
    }

    /// A worker has run an operation through, and asks for the next one: the common case, decided in one step, so that the worker goes on
    /// with an operation that has just become ready instead of a new worker being added for it.
    ///
    /// - Returns: whether the attempt counted, and the next operation; nil tells the worker to end.
    mutating func workerEnded(
        _ ended: Assignment,
        _ result: Result,
        at time: Nanoseconds,
        _ actions: inout Actions
    ) -> (counted: Bool, next: Assignment?) {
        advance(to: time)
        let counted = endAttempt(ended, result, &actions)
        drainEnds(&actions)
        let next = nextForWorker(after: ended)
        settle(&actions)
        return (counted, next)
    }

    /// A task has run an operation through after having suspended, on a thread that may go on as a worker, if one is missing.
    ///
    /// - Returns: whether the attempt counted, and the operation to go on with; nil tells the thread that it is no worker.
    mutating func taskEnded(
        _ ended: Assignment,
        _ result: Result,
        at time: Nanoseconds,
        _ actions: inout Actions
    ) -> (counted: Bool, next: Assignment?) {
        advance(to: time)
        let counted = endAttempt(ended, result, &actions)
        drainEnds(&actions)
        let next = activeWorkers < settings.workers ? takeNext(forMain: false) : nil
        if next != nil { activeWorkers += 1 }
        settle(&actions)
        return (counted, next)
    }

    /// A turn on the main thread begins; nil when there is nothing (left) to do.
    mutating func takeForMain(at time: Nanoseconds, _ actions: inout Actions) -> Assignment? {
        advance(to: time)
        pendingMainTurns -= 1
        let assignment = takeNext(forMain: true)
        settle(&actions)
        return assignment
    }

    /// A condition gave its answer; nil when it threw.
    ///
    /// - Returns: whether to run the operation now.
    mutating func conditionAnswered(_ node: Int, _ answer: Bool?, at time: Nanoseconds, _ actions: inout Actions) -> Bool {
        advance(to: time)
        guard nodes[node].state == .checking else { return false }
        switch answer {
        case true?:
            start(node)
        case false?:
            nodes[node].isSkippedByCondition = true
            end(node, .skipped)
        case nil:
            start(node)
            notSucceeded(node, .failed)
        }
        settle(&actions)
        return answer == true
    }

    /// An attempt, or the computing of a fallback, came to an end on any other thread.
    ///
    /// - Returns: whether it counted: false for an operation that had ended before.
    mutating func attemptEnded(
        _ ended: Assignment,
        _ result: Result,
        at time: Nanoseconds,
        _ actions: inout Actions
    ) -> Bool {
        advance(to: time)
        let counted = endAttempt(ended, result, &actions)
        settle(&actions)
        return counted
    }

    /// Time has passed: timeouts, pauses, the deadline and the grace period that are due take effect, in order of their times.
    mutating func timePassed(to time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        while let due = nextWake, due <= now {
            // Of what is due at one time, an operation's own timeout comes first: it says more than the launch's.
            if timers.first?.time == due, let timer = timers.pop() {
                fire(timer, &actions)
            } else if cutTime == due {
                cutNext(&actions)
            } else if deadlineTime == due {
                stopLaunch(.deadline, &actions)
                giveUp(outcome: .timedOut, &actions)
            } else if stallTime == due {
                isStallReported = true
                actions.reportsStall = true
            } else {
                giveUp(outcome: .cancelled, &actions)
            }
        }
        settle(&actions)
    }

    /// An operation stops the launch on purpose.
    ///
    /// - Returns: whether it did: false when the launch was over, or stopped already.
    mutating func abort(by node: Int, _ reason: AbortReason, hasTakeover: Bool, at time: Nanoseconds, _ actions: inout Actions) -> Bool {
        advance(to: time)
        guard phase == .running else { return false }
        isTakeoverRunning = hasTakeover
        stopLaunch(.aborted(by: node, reason), &actions)
        settle(&actions)
        return true
    }

    /// The takeover came to its end.
    mutating func takeoverEnded(at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        isTakeoverRunning = false
        settle(&actions)
    }

    /// A running operation begins to wait for a person: until that has ended, its timeout stands still and the time counts as interactive.
    mutating func personWaitBegan(_ assignment: Assignment, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard isCurrent(assignment) else { return }
        beginPersonWait(assignment.node)
        settle(&actions)
    }

    /// The operation waits for a person no longer.
    mutating func personWaitEnded(_ assignment: Assignment, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard isCurrent(assignment) else { return }
        endPersonWait(assignment.node)
        settle(&actions)
    }

    /// The launch is cancelled from outside.
    mutating func cancelLaunch(at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        stopLaunch(.cancelled, &actions)
        settle(&actions)
    }

    /// One operation is cancelled from outside: it is told so when it runs, and never starts otherwise.
    ///
    /// One that still waits ends in its turn, when its dependencies have: what comes after it relies on them too.
    mutating func cancelOperation(_ node: Int, at time: Nanoseconds, _ actions: inout Actions) {
        advance(to: time)
        guard phase == .running else { return }
        switch nodes[node].state {
        case .waiting: nodes[node].isToldToCancel = true
        case .deferred, .ready, .parked, .checking, .pausing: notSucceeded(node, .cancelled)
        case .running: tellToCancel(node, &actions)
        case .ended: return
        }
        settle(&actions)
    }

    /// The next time at which ``timePassed(to:_:)`` has something to do.
    var nextWake: Nanoseconds? {
        mutating get {
            guard phase != .over else { return nil }
            if timers.isEmpty, cuts.isEmpty, graceEnd == nil, settings.isUntimed { return nil }
            while let timer = timers.first, !isDue(timer) { _ = timers.pop() }
            let wake = min(timers.first?.time ?? .max, deadlineTime ?? .max, graceEnd ?? .max, stallTime ?? .max, cutTime ?? .max)
            return wake == .max ? nil : wake
        }
    }

    /// When an operation's time is over: its timeout or the launch's deadline.
    func timeLimit(of node: Int) -> Nanoseconds? {
        let limit = min(timeoutTime(of: node) ?? .max, deadlineTime ?? .max, cutTime(of: node) ?? .max)
        return limit == .max ? nil : limit
    }

    /// The events since the last call.
    mutating func takeEvents() -> [RawEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    // MARK: Time

    /// The time of the input being handled.
    @inline(__always)
    var time: Nanoseconds { now }

    /// Every input begins here.
    @inline(__always)
    private mutating func advance(to time: Nanoseconds) {
        now = max(now, time)
        // What is over does not change, so that the report can have the states without a copy.
        if phase != .over { nodes.makeUnique() }
    }

    /// When the launch must end, unless a person is being waited for and that time does not count.
    private var deadlineTime: Nanoseconds? {
        guard phase == .running, let deadline = settings.deadline else { return nil }
        if settings.deadlineCountsInteractiveTime { return deadline }
        return interactive.isRunning ? nil : deadline.addingSaturated(interactive.total(at: now))
    }
}
