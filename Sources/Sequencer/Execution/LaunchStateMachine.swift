/// Everything a launch decides, and nothing it does: no lock, no thread, no clock.
///
/// Inputs say what has happened; they change the state and add to ``actions`` what the caller must do after it has
/// released its lock. Before each the caller says what time it is (``advance(to:)``), and after it brings the state to
/// rest (``settle()``). Times are nanoseconds since the launch began.
///
/// An operation goes through these states:
///
/// ```
/// waiting ──▶ ready ──▶ (parked, or aside ──▶ ready) ──▶ (checking) ──▶ running ──▶ (computing, its fallback) ──▶ ended
///                ▲                                                        │
///                └────────────────── pausing (retry) ◀────────────────────┘
///
/// One with a delay pauses before it goes on from ready.
/// ```
/// A fallback is computed from any of them but the first. An operation whose condition is asked early goes by ready and
/// checking back to waiting.
struct LaunchStateMachine {
    typealias Assignment = StepAssignment
    typealias Result = AttemptEnd.Kind

    enum Phase: UInt8 {
        case running
        /// Stopped: only operations that always run start, and those before them end in turn.
        case finishing
        /// Nothing starts any more; running operations have been told to cancel.
        case stopping
        case over

        var mayStart: Bool { self == .running || self == .finishing }
    }

    /// Why a launch does not run to its end.
    enum Stop: Equatable {
        case failed(Int)
        case deadline
        case aborted(by: Int, AbortReason)
        case cancelled

        /// The operation that did it.
        var aborter: Int? { if case .aborted(let node, _) = self { node } else { nil } }
        /// Whether a required operation has failed.
        var isFailure: Bool { if case .failed = self { true } else { false } }
    }

    // Written by every input of a worker, side by side: two workers on two processors hand these lines of the cache
    // back and forth.
    /// The time of the input being handled.
    private(set) var time: Nanoseconds = 0
    /// Whether something may be due sooner than what ``takeWake()`` said last.
    var needsWake = true
    /// When an operation last ended.
    var lastProgress: Nanoseconds = 0
    var alive: Int
    /// Highest rank first, then the one that was added first.
    var readyForWorkers = Heap<KeyedNode>()
    var lanes: LaneSet
    var isStallReported = false
    var phase = Phase.running
    /// What the caller must do; empty whenever its lock is free.
    var actions = Actions()
    var activeWorkers = 0
    /// Workers in the code of an operation whose threads were asleep when they were last looked at.
    var asleepWorkers = 0
    /// The others in the code of an operation, by its level (``Urgency``).
    var awakeWorkers = [0, 0, 0]
    /// All of them.
    var workersInCode: Int { asleepWorkers + awakeWorkers.reduce(0, +) }
    /// Turns asked of the main thread that have not begun.
    var pendingMainTurns = 0
    /// Operations whose turns in the app's queue have not begun.
    var givenTurns: Set<Int> = []
    /// Ready operations that have no turn yet. An entry may be left from before its operation got one.
    var withoutTurn = Heap<KeyedNode>()
    var nodes: [Node]

    // Only read by such an input.
    let traits: NodeTraits
    var readyForMain = Heap<KeyedNode>()
    var timers = Heap<Timer>()
    /// Keeps the budget; nil where that changes nothing.
    var keeper: BudgetKeeper?
    var pendingEnds: [PendingEnd] = []
    /// The assignments of workers that were counted out because they may never come back, each with whether it counts
    /// as keeping a processor until then.
    var replacedWorkers: [(code: Assignment, keepsProcessor: Bool)] = []
    var events: [LaunchEvent] = []
    /// Of operations that have waited for the user.
    var personWaits: [Int: PersonWaits] = [:]
    /// Only where operations run one at a time.
    var turns = Turns()
    /// When the computing of fallbacks began, each without the time that its operation had waited for users by then.
    var fallbackStarts: [Int: Nanoseconds] = [:]
    /// The same of the last attempts of operations that limit each.
    var attemptStarts: [Int: Nanoseconds] = [:]
    /// For how long the process has been found to stand still.
    var standstill: Nanoseconds = 0
    /// Nothing times out before this time: after a standstill, running operations have a moment to end by themselves.
    var earliestTimeout: Nanoseconds = 0
    /// When the timer that is taking effect was due, which is a little before now; nil otherwise.
    var dueTime: Nanoseconds?
    /// The level (``Urgency``) of the launch's current goal: 2 until its initial display has ended, 1 until its
    /// milestone has.
    var soughtLevel: UInt8
    /// Nil where nothing can take what the milestone is still going to use, and when it has ended.
    var ongoing: OngoingNeeds?
    /// Nil where processors do not matter, and when the milestone has ended.
    var processors: ProcessorShare?
    var graceEnd: Nanoseconds?
    /// The takeover of an abort, and that of a failure before it.
    var takeoversRunning = 0
    var isTakeoverRunning: Bool { takeoversRunning > 0 }
    /// Until when the graph finds out whether the screen that shows a failure is its own; nil when that is known.
    var takeoverEnd: Nanoseconds?
    /// Whether a failure of the launch was shown.
    var isFailureShown = false
    /// Of operations that are asked early: the conditions, by place, that are asked now, and those that were true.
    var questions: [Int: (asked: [Int], answered: Set<Int>)] = [:]
    /// The screens of slow operations, by operation.
    var screens: [Int: ShownScreen] = [:]
    var settings: Configuration
    let graph: ValidatedGraph

    // Used by few inputs.
    /// Whether the threads of workers are looked at, since something waits for a worker.
    var isMeasuring = false
    /// Workers that were added beyond the processors, and may not have begun.
    var promisedWorkers = 0
    var hasBegun = false
    /// Whether the thread that starts the launch takes the steps of the prologue.
    var isInPrologue = false
    /// Whether it was cancelled before it began.
    var isCancelledAtBegin = false
    /// Once the launch was stopped: the operations that always run, and those before them, which end in turn.
    var outlasting: Set<Int> = []
    /// The first stop; later ones change nothing.
    var stop: Stop?
    /// When the launch proper ended, and with it what decides its outcome: with its milestone, if the launch continued
    /// then. Nil until then.
    var endOfLaunchProper: Nanoseconds?
    /// Operations that still ran when the launch stopped waiting for them.
    var stragglers: [Int] = []
    /// Operations whose next attempt was not made, for want of time or because they were cancelled, each with that
    /// attempt's number.
    var attemptsNotMade: [Int: Int] = [:]
    var interactive = InteractiveClock()
    /// Whether the user was asked anything, and not only shown something.
    var hasAsked = false
    /// The timeouts that operations have shortened themselves.
    var shortenedTimeouts: [Int: Duration] = [:]
    /// The operations that were given more than the time that there was for them, in the order of their starts.
    var nodesBeyondLimits: [Int] = []
    /// As it was when the milestone ended; nil until then.
    var interactiveAtMilestone: InteractiveClock?
    var endOfLaunch: Nanoseconds = 0
    /// The time of ``stop``.
    var stopTime: Nanoseconds = 0
    var resources: ResourceTable
    /// Operations that hold resources of the process, or wait for them alone.
    var claims: [Int: (number: Int, isGranted: Bool)] = [:]
    var claimCount = 0
    /// Operations that keep the main thread, as far as that is known; only where operations need resources.
    var mainKeepers = 0
    var random: SplitMix64
    var timerSequence = 0

    init(graph: ValidatedGraph, settings: Configuration) {
        self.graph = graph
        self.settings = settings
        traits = NodeTraits(graph, order: settings.order, lanes: settings.lanes, processors: settings.processors)
        // Elsewhere there is nothing to cut or to put off.
        if !traits.all.isDisjoint(with: [.isCuttable, .isDeferrable]), let limit = settings.budget {
            keeper = BudgetKeeper(latestEnds: LatestEnds(graph, limit: limit))
        }
        ongoing = traits.ongoing
        if traits.all.contains(.yieldsProcessor), let count = settings.processors {
            processors = ProcessorShare(processors: count, levels: traits.levels)
        }
        soughtLevel = traits.highestLevel
        nodes = graph.degrees.map { Node(waiting: $0) }
        alive = graph.count
        lanes = LaneSet(limit: settings.lanes)
        resources = traits.all.contains(.hasResources) ? ResourceTable(graph) : ResourceTable()
        random = SplitMix64(seed: settings.seed)
    }

    // MARK: Inputs

    /// The launch begins: everything that waits for nothing is ready.
    mutating func begin() {
        hasBegun = true
        // A call that cancelled an operation before the start took the wake time, when nothing could wake at it yet:
        // give it again.
        needsWake = true
        record(.launchStarted, at: 0)
        if isCancelledAtBegin { stopLaunch(.cancelled) }
        // An operation that was cancelled before may stop the launch here, and then no other one becomes ready.
        for node in nodes.indices
        where nodes[node].waiting == 0 && nodes[node].state == .waiting && (phase == .running || goesOnStopped(node)) {
            if nodes[node].isToldToCancel { notSucceeded(node, .cancelled) } else { becomeReady(node) }
        }
    }

    /// Somebody who can start an operation, and asks for one.
    enum Taker {
        /// A worker, which asks again after each operation, and is counted out if it gets none.
        case worker
        /// A turn of the main thread, for one operation.
        case main
        /// The thread that starts the launch, for one step of the prologue after the other.
        case prologue
    }

    /// Takes an operation to start now; nil when none is there for the taker.
    ///
    /// - Parameter previous: the one that the taker has run, or started, just before.
    mutating func take(_ taker: Taker, after previous: Assignment? = nil) -> Assignment? {
        switch taker {
        case .worker: return nextForWorker(after: previous)
        case .main:
            // Also where nothing is left for this turn: the operation that it was asked for may have been cancelled, or
            // taken by an earlier one.
            pendingMainTurns -= 1
            return takeNext(forMain: true)
        case .prologue:
            // An operation that was cancelled before its turn has left its entry.
            while let ready = readyForMain.first, nodes[ready.node].state != .ready { _ = readyForMain.pop() }
            let isNext = phase == .running && readyForMain.first.map { graph.isInPrologue($0.node) } == true
            let next = isNext ? takeNext(forMain: true) : nil
            // Before the settle, which asks for the main thread's own turns again.
            isInPrologue = next != nil
            return next
        }
    }

    /// An attempt, the asking of a condition or the computing of a fallback has ended.
    ///
    /// - Parameter taker: the thread that ran it asks for more in the same input: it continues with an operation that
    ///   has just become ready, instead of a worker being added for that.
    /// - Returns: whether it counted, which it does not for an operation that had ended before; and the taker's next
    ///     operation.
    mutating func attemptEnded(
        _ ended: Assignment,
        _ result: Result,
        thenTakeFor taker: Taker? = nil
    ) -> (counted: Bool, next: Assignment?) {
        let counted = endAttempt(ended, result)
        drainEnds()
        // Before operations that have just become ready: rank decides.
        offerAside()
        return (counted, taker.flatMap { take($0, after: ended) })
    }

    /// The conditions of an operation that are asked now, by their places.
    func conditionsToAsk(_ node: Int) -> [Int] {
        questions[node]?.asked ?? Array(graph.policy(node).conditions.indices)
    }

    /// The conditions of an operation begin to be asked.
    mutating func askConditions(_ node: Int) {
        let answered = questions[node]?.answered ?? []
        let open = graph.policy(node).conditions.indices.filter { !answered.contains($0) }
        questions[node] = (nodes[node].question == .asked ? answerableConditions(node) : open, answered)
    }

    /// The conditions of an operation have answered, whether all of them are true; nil when one threw.
    ///
    /// - Returns: whether to run the operation now.
    mutating func conditionAnswered(_ node: Int, _ answer: Bool?) -> Bool {
        // It has timed out, or was cancelled, while its condition was asked (O41).
        guard nodes[node].state == .checking else { return false }
        if nodes[node].thread == .asleepWorker { setAsleep(node, false) }
        let isEarly = nodes[node].question == .asked
        if isEarly, answer == true {
            waitOn(node)
            return false
        }
        if isEarly {
            nodes[node].ready = time
            record(.ready(graph.id(node)), at: time)
        }
        // It was counted when its condition was asked.
        if answer != false, traits[node].contains(.keepsThread) { processors?.ended(node) }
        // Until here the start was that of the question, for its timeout; the operation has a different one.
        nodes[node].start = -1
        switch answer {
        case true?: start(node)
        case false?:
            nodes[node].isSkippedAlone = true
            end(node, .skipped)
        case nil:
            // It counts as an attempt, which has failed.
            start(node)
            notSucceeded(node, .failed)
        }
        return answer == true
    }

    /// How long operations have to end by themselves after the process has stood still, before the times that have
    /// passed meanwhile take effect.
    static let respite: Nanoseconds = 250_000_000

    /// Time has passed: timeouts, pauses, the deadline and the grace period that are due take effect, in order of their
    /// times.
    ///
    /// - Parameter standstill: for how long the process has just stood still: stopped by a debugger or a signal, or
    ///     starved.
    mutating func timePassed(standstill: Nanoseconds = 0) {
        // The alarm that has brought this call is used up.
        needsWake = true
        if standstill > 0, phase != .over {
            self.standstill = self.standstill.addingSaturated(standstill)
            // Steps that would have ended meanwhile get the chance to do so (L45).
            earliestTimeout = time.addingSaturated(min(standstill, Self.respite))
        }
        // Asked anew after each: what takes effect can end the launch, or make something else due by now.
        while time >= earliestTimeout, let due = nextDue, due <= time {
            // After a standstill they are due when the respite ends.
            dueTime = max(due, earliestTimeout)
            // Of several due at one time, an operation's own timeout comes first: it says more than the launch's.
            if timers.first?.time == due, let timer = timers.pop() {
                fire(timer)
            } else if cutTime == due {
                cutNext()
            } else if deadlineTime == due {
                stopLaunch(.deadline)
                giveUp(outcome: .timedOut)
                // The launch is over by that, and nothing else that was due may take effect.
                if alive == 0 { settle() }
            } else if ongoing?.nextLook == due {
                lookAgain()
            } else if processorLook == due {
                processors?.lookAgain(at: time)
            } else if stallTime == due {
                isStallReported = true
                // Where all that could go on waits out a delay, nothing is stuck.
                actions.reportsStall = nodes.contains { $0.state != .waiting && $0.state != .ended && !$0.isDelayed }
            } else {
                // Nothing else is left that could be due: the grace period has ended.
                giveUp(outcome: .cancelled)
            }
        }
        dueTime = nil
    }

    // MARK: Inputs of operations and of the app

    /// An operation stops the launch on purpose.
    ///
    /// - Returns: whether it did: false if the launch was over or already stopped, or if only its screens were left.
    mutating func abort(by node: Int, _ reason: AbortReason, hasTakeover: Bool) -> Bool {
        guard phase == .running, alive > 0 else { return false }
        if hasTakeover { takeoversRunning += 1 }
        stopLaunch(.aborted(by: node, reason))
        return true
    }

    /// The takeover came to its end.
    mutating func takeoverEnded() {
        // A launch that gives up counts none any more, and the takeover may end after that.
        takeoversRunning = max(0, takeoversRunning - 1)
    }

    /// A running operation begins to wait for the user, or does so no longer.
    ///
    /// - Returns: whether the operation still ran this assignment.
    mutating func personWait(_ assignment: Assignment, _ wait: PersonWait, begins: Bool) -> Bool {
        guard isCurrent(assignment) else { return false }
        if begins { beginPersonWait(assignment.node, wait) } else { endPersonWait(assignment.node, wait) }
        return true
    }

    /// The launch is cancelled from outside; before it begins, that is remembered, and it starts nothing.
    mutating func cancelLaunch() {
        if hasBegun { stopLaunch(.cancelled) } else { isCancelledAtBegin = true }
    }

    /// Cancels an operation from outside: a running one is told so, and has the grace period to end; any other never
    /// starts.
    ///
    /// An operation that still waits ends in its turn, after its dependencies: operations after it rely on them too.
    mutating func cancelOperation(_ node: Int) {
        guard phase == .running else { return }
        guard hasBegun else {
            // No operation ends before the launch begins: `begin(_:)` ends it.
            nodes[node].isToldToCancel = true
            return
        }
        // Nobody waits for the step any more.
        if nodes[node].state != .ended, nodes[node].state != .computing { tellScreen(node) }
        switch nodes[node].state {
        case .waiting: nodes[node].isToldToCancel = true
        case .ready where nodes[node].question == .asked, .checking where nodes[node].question == .asked:
            nodes[node].isToldToCancel = true
            if nodes[node].state == .checking { replaceWorker(of: node) }
            waitOn(node)
        // The second call changes nothing.
        case .running where nodes[node].isToldToCancel: break
        // It has failed, or timed out, and stays so. A fallback is told to cancel only by a launch that stops, before
        // it begins as well (O56).
        case .computing, .ended: break
        case .deferred, .ready, .parked, .aside, .pausing, .checking, .running:
            guard tellOrEnd(node) else { return }
            setTimer(.grace, of: node, at: time.addingSaturated(settings.grace))
        }
    }

    /// The events since the last call.
    mutating func takeEvents() -> [LaunchEvent] { exchange(&events, with: []) }

    // MARK: Time

    /// The time of an input. One earlier than the last is taken as the last, for two threads can read the clock in one
    /// order and get the lock in the other. It begins with the launch.
    mutating func advance(to time: Nanoseconds) { if hasBegun { self.time = max(self.time, time) } }

    // MARK: Actions

    /// The actions that the caller must take, once it has released its lock.
    struct Actions: Equatable, Sendable {
        /// Workers to add: each takes operations with ``LaunchStateMachine/take(_:after:)`` until none is left.
        var workers = 0
        /// Turns to ask of the main thread: each takes one operation.
        var mainTurns = 0
        /// Operations to ask for turns of the app's queue for: each turn takes one operation.
        var queueTurns: [Int] = []
        /// Operations whose turns of the app's queue have ended.
        var endedTurns: [Int] = []
        /// Running operations to be told to cancel.
        var cancel: [Int] = []
        /// Operations that ended with their fallback's value.
        var useFallbackValue: [Int] = []
        /// Operations that wait for an event from now on, and others that have ended and settle one.
        var events: [Int] = []
        /// Claims of resources of the process that begin or end, in this order.
        var claims: [ProcessResources.Change] = []
        /// Fallbacks to compute, each on a separate thread.
        var fallbacks: [Assignment] = []
        /// Nothing has ended for too long: say so.
        var reportsStall = false
        /// Slow operations that need a screen now; then those whose screens are told to end.
        var shownScreens: [Int] = []
        var endedScreens: [Int] = []
        /// The launch has failed: show that.
        var showsFailure = false
        /// The launch was stopped: cancel its scopes.
        var cancelsScopes = false
        /// Something waits for a worker: look at the threads of those that run, see
        /// ``LaunchStateMachine/measured(_:)``.
        var looksAtWorkers = false
        /// The milestone has ended.
        var isMilestoneOver = false
        /// The launch is over: nothing will happen any more.
        var isOver = false

        /// Not made anew for each question: that costs an operation 210 instructions.
        private static let none = Actions()

        var isEmpty: Bool { self == Self.none }
    }

    // MARK: What each operation waits for

    // The obstacles of each operation: answers only, nothing changes.

    struct Pending: Equatable {
        let node: Int
        let wait: LaunchStatus.Wait
        let since: Nanoseconds
    }

    /// Every operation that has not ended: first running ones, then ready ones, then those that cannot run yet, each
    /// group in the order in which they were added.
    ///
    /// - Complexity: O(operations + dependencies).
    func pending() -> [Pending] {
        // Thousands may wait for the same lanes: one list of names for all of them.
        let holders = nodes.indices.filter { nodes[$0].holdsLane }.map(graph.id)
        let blockers = nodes.indices.filter { nodes[$0].thread != .none && nodes[$0].isGoingOn }.map(graph.id)
        let all = nodes.indices.filter { nodes[$0].state != .ended }.map { node in
            let (wait, since) = reasonToWait(node, holders, blockers)
            // Times that were never reached are -1.
            return Pending(node: node, wait: wait, since: max(since, 0))
        }
        let groups = Dictionary(grouping: all, by: \.wait.rank)
        return (0...2).flatMap { groups[$0] ?? [] }
    }

    private func reasonToWait(_ node: Int, _ laneHolders: [String], _ blockers: [String]) -> (LaunchStatus.Wait, since: Nanoseconds) {
        let state = nodes[node]
        switch state.state {
        case .waiting:
            let dependencies = graph.predecessors[node].map(\.index)
            let ends = dependencies.lazy.filter { nodes[$0].state == .ended }.map { nodes[$0].end }
            return (.dependencies(dependencies.filter { nodes[$0].state != .ended }.map(graph.id)), ends.max() ?? 0)
        case .deferred: return (.dependencies(graph.milestone.map { [$0] } ?? []), state.ready)
        case .aside: return (.milestone, state.ready)
        case .ready, .parked:
            if let (resource, holder) = resources.obstacle(of: node) { return (.resource(resource, heldBy: graph.id(holder)), state.ready) }
            if claims[node]?.isGranted == false, let name = graph.policy(node).claims.min() {
                return (.resource(ExclusiveResource(name), heldBy: "another launch"), state.ready)
            }
            if traits[node].contains(.isMain) { return (.mainThread, state.ready) }
            if lanes.available <= 0 { return (.lane(takenBy: laneHolders), state.ready) }
            return (settings.usesQueue ? .operationQueue : .thread(blockedBy: blockers), state.ready)
        case .checking: return (.condition, state.question == .asked ? state.start : state.ready)
        case .pausing where state.isDelayed: return (.delay, state.ready)
        case .pausing: return (.retry, state.start)
        case .running, .computing, .ended:
            if let asked = personWaits[node]?.asked, asked.isRunning { return (.person, asked.since) }
            return (traits[node].contains(.isInteractive) && state.state == .running ? .person : .code(nil), state.start)
        }
    }

    // MARK: Stalls

    /// When the launch counts as stalled; nil while waiting for the user, after the stall was reported, and without a
    /// ``StallWatch``.
    var stallTime: Nanoseconds? {
        guard phase == .running, alive > 0, let limit = settings.stallLimit, !isStallReported, !interactive.isRunning else { return nil }
        // The time before the user answered is not a silence of the launch.
        return max(lastProgress, interactive.lastEnd).addingSaturated(limit)
    }

    // MARK: Events so far

    /// The events up to now, as far as the states of the operations tell: of attempts that were repeated, only the
    /// start of the first.
    ///
    /// - Complexity: O(operations · log operations).
    var eventsSoFar: [LaunchEvent] {
        guard hasBegun else { return [] }
        // At one moment, the events of an operation come after those of its dependencies, and ends by a stop come after
        // the stop.
        var ordered: [(key: (Nanoseconds, Int, Int), event: LaunchEvent)] = []
        func add(_ kind: LaunchEvent.Kind, at time: Nanoseconds, rank: Int) {
            ordered.append(((time, rank, ordered.count), LaunchEvent(kind: kind, time: .nanoseconds(time), scope: settings.scope)))
        }
        add(.launchStarted, at: 0, rank: -1)
        for index in graph.order {
            let (node, id) = (nodes[index], graph.id(index))
            if node.ready >= 0, node.state != .waiting { add(.ready(id), at: node.ready, rank: 0) }
            // A join never starts, nor does an operation whose condition was being asked, though both have a time for
            // it.
            if node.start >= 0, node.attempts > 0, !traits[index].contains(.isJoin) {
                add(.started(id, attempt: 1), at: node.start, rank: 0)
            }
            guard node.state == .ended else { continue }
            let isStopped =
                stop != nil && node.end >= stopTime && (node.outcome == .cancelled || node.isStraggler || attemptsNotMade[index] != nil)
            add(.ended(id, node.outcome), at: node.end, rank: isStopped ? 2 : 0)
        }
        if stop != nil { add(.stopped, at: stopTime, rank: 1) }
        if phase == .over { add(.launchEnded, at: endOfLaunch, rank: 3) }
        return ordered.inOrder { $0.key < $1.key }.map(\.event)
    }
}
