/// Timers (timeouts, the next attempts, and the time that the user takes from them), and the end that the launch comes
/// to by one of them.
extension LaunchStateMachine {
    /// When ``timePassed(standstill:)`` next has something to do.
    var nextWake: Nanoseconds? { mutating get { nextDue.map { max($0, earliestTimeout) } } }

    var nextDue: Nanoseconds? {
        mutating get {
            guard phase != .over else { return nil }
            // A timer is not taken out when its operation ends: it is dropped when its turn comes.
            while let timer = timers.first, !isDue(timer) { _ = timers.pop() }
            let wake = min(timers.first?.time ?? .max, deadlineTime ?? .max, graceEnd ?? .max, stallTime ?? .max, cutTime ?? .max)
            let look = min(ongoing?.nextLook ?? .max, processorLook ?? .max)
            let due = phase == .running ? min(wake, look) : wake
            return due == .max ? nil : due
        }
    }

    /// When ``timePassed(standstill:)`` next has something to do, if that may have become sooner since the last
    /// call; nil otherwise.
    mutating func takeWake() -> Nanoseconds? {
        guard needsWake else { return nil }
        needsWake = false
        return nextWake
    }

    /// When operations that leave the processors to the milestone have waited long enough.
    var processorLook: Nanoseconds? { processors?.nextLook(after: lastProgress) }

    /// When an operation's time is over: its timeout, that of its attempt, or the launch's deadline.
    func timeLimit(of node: Int) -> Nanoseconds? {
        let limit = min(timeoutTime(of: node) ?? .max, attemptTime(of: node) ?? .max, deadlineTime ?? .max, cutTime(of: node) ?? .max)
        return limit == .max ? nil : limit
    }

    /// When the launch must end, unless the user is being waited for and that time does not count.
    var deadlineTime: Nanoseconds? {
        guard phase.mayStart, let deadline = settings.deadline else { return nil }
        if settings.deadlineCountsInteractiveTime { return deadline }
        return interactive.isRunning ? nil : deadline.addingSaturated(interactive.total(at: time))
    }

    /// The rest of the deadline for the scopes of a launch whose own operations have ended; nil without a deadline.
    func restOfDeadline(at time: Nanoseconds) -> Nanoseconds? { settings.deadline.map { max(0, $0 - deadlineClock(at: time)) } }

    /// The launch is a scope, and that is all the time that its launch has left. The user's time does not count where
    /// it does not count for the scope.
    mutating func limitDeadline(to rest: Nanoseconds) {
        settings.deadline = min(settings.deadline ?? .max, deadlineClock(at: time).addingSaturated(rest))
        needsWake = true
    }

    /// The time that counts for the deadline.
    private func deadlineClock(at time: Nanoseconds) -> Nanoseconds {
        settings.deadlineCountsInteractiveTime ? time : time - interactive.total(at: time)
    }

    func isDue(_ timer: Timer) -> Bool {
        let state = nodes[Int(timer.node)].state
        return switch timer.kind {
        case .pause: state == .pausing
        case .attempt: !nodes[Int(timer.node)].isToldToCancel && attemptTime(of: Int(timer.node)) == timer.time
        case .grace: state == .running
        // After a wait for the user there is another timer, for the time at which the timeout is then due.
        case .timeout: state != .ended && timeoutTime(of: Int(timer.node)) == timer.time
        case .screen: screenDue(of: Int(timer.node)) == timer.time
        }
    }

    mutating func fire(_ timer: Timer) {
        let node = Int(timer.node)
        switch timer.kind {
        case .pause where nodes[node].isDelayed:
            // The end of a delay is progress: the silence until then is no stall.
            lastProgress = time
            isStallReported = false
            needsWake = true
            goOn(afterDelay: node)
        case .pause:
            enqueue(node)
        case .attempt:
            nodes[node].hasAttemptTimedOut = true
            giveUpCode(of: node)
            // The attempt was told, and the next one is not.
            if retry(node) { nodes[node].isToldToCancel = false } else { notSucceeded(node, .timedOut) }
        case .timeout:
            nodes[node].hasAttemptTimedOut = false
            // Its code may never return, and its lane continues without it (O1, O9).
            giveUpCode(of: node)
            // A fallback that was too slow is not computed once more.
            if nodes[node].state == .computing { end(node, .timedOut) } else { notSucceeded(node, .timedOut) }
        case .grace:
            giveUpCode(of: node)
            noteStraggler(node)
            notSucceeded(node, .cancelled)
        case .screen:
            switch screens[node] {
            case nil:
                screens[node] = .shown(since: time)
                actions.shownScreens.append(node)
            case .ending?: tellScreen(node)
            case .shown?, .told?, .gone?: screens[node] = .gone
            }
        }
        // Ends must take effect before the next timer fires, or it would find this operation still running.
        drainEnds()
    }

    /// - Parameter time: nil where nothing is due, as while the user is waited for.
    mutating func setTimer(_ kind: Timer.Kind, of node: Int, at time: Nanoseconds?) {
        guard let time else { return }
        timerSequence += 1
        timers.push(Timer(time: time, sequence: timerSequence, node: Int32(node), kind: kind))
        needsWake = true
    }

    /// Waits no longer for an operation's code, its condition or the computing of its fallback, which may never return.
    mutating func giveUpCode(of node: Int) {
        switch nodes[node].state {
        case .running, .computing:
            tellToCancel(node)
            replaceWorker(of: node)
        case .checking:
            replaceWorker(of: node)
        case .waiting, .deferred, .ready, .parked, .aside, .pausing, .ended:
            break
        }
    }

    /// When a started operation's timeout is due; nil while it waits for the user, and without one. The computing of
    /// its fallback may take as long as the operation could.
    func timeoutTime(of node: Int) -> Nanoseconds? {
        guard traits[node].contains(.hasTimeout), let timeout = timeout(of: node) else { return nil }
        return ownTime(of: node, since: fallbackStarts[node] ?? nodes[node].start, after: timeout)
    }

    /// How long an operation may take.
    func timeout(of node: Int) -> Duration? { shortenedTimeouts[node] ?? graph.policy(node).timeout }

    /// Has a running operation end no later than `duration` from now, or than `least`.
    ///
    /// All that have more than their `duration` have twice `least` together, however many come one after the other:
    /// each has half of what is left of that.
    mutating func limitTime(of assignment: Assignment, to duration: Duration, atLeast least: Duration) {
        let node = assignment.node
        guard isCurrent(assignment), let timeout = timeout(of: node) else { return }
        let limit = max(duration, least - .nanoseconds(timeBeyondLimits) / 2, .zero)
        if limit > duration { nodesBeyondLimits.append(node) }
        shortenedTimeouts[node] = min(timeout, .nanoseconds(time - nodes[node].start) + limit)
        setTimer(.timeout, of: node, at: timeoutTime(of: node))
    }

    /// How long operations have run, one or several at a time, that had more than the time that there was for them.
    private var timeBeyondLimits: Nanoseconds {
        var (total, counted): (Nanoseconds, Nanoseconds) = (0, 0)
        // They are in the order of their starts.
        for node in nodesBeyondLimits where nodes[node].state == .ended {
            total += max(0, nodes[node].end - max(nodes[node].start, counted))
            counted = max(counted, nodes[node].end)
        }
        return total
    }

    /// When the attempt that runs has taken as long as each may; nil while it waits for the user, and without a limit.
    func attemptTime(of node: Int) -> Nanoseconds? {
        guard nodes[node].state == .running, let start = attemptStarts[node], let limit = graph.policy(node).retry?.timeout else {
            return nil
        }
        return ownTime(of: node, since: start, after: limit)
    }

    /// When an operation has taken that long since its start, without its waits for users; nil while it waits for
    /// one, and before its start.
    func ownTime(of node: Int, since start: Nanoseconds, after duration: Duration) -> Nanoseconds? {
        guard start >= 0 else { return nil }
        let end = start.addingSaturated(duration.nanoseconds)
        guard !personWaits.isEmpty, let wait = personWaits[node] else { return end }
        return wait.paused.isRunning ? nil : end.addingSaturated(wait.paused.total(at: time))
    }

    // MARK: Waiting for the user

    mutating func beginPersonWait(_ node: Int, _ wait: PersonWait) {
        personWaits[node, default: PersonWaits()].begin(wait, at: time)
        if wait.isAsked { interactive.begin(at: time) }
        if wait == .question, !graph.policy(node).asksNothing { hasAsked = true }
        // Nobody knows when it continues.
        ongoing?.asks(node, at: time)
    }

    mutating func endPersonWait(_ node: Int, _ wait: PersonWait) {
        // A step can leave its wait behind: it has then ended with the step (A29).
        guard var waits = personWaits[node], waits.isRunning(wait) else { return }
        waits.end(wait, at: time)
        personWaits[node] = waits
        if wait.isAsked { interactive.end(at: time) }
        if !waits.asked.isRunning, !waits.paused.isRunning {
            if nodes[node].state == .computing { ongoing?.fellBack(node, at: time) } else { ongoing?.wentOn(node, at: time) }
        }
        needsWake = true
        guard wait.pausesTimeout, !waits.paused.isRunning else { return }
        setTimer(.screen, of: node, at: screenDue(of: node))
        setTimer(.timeout, of: node, at: timeoutTime(of: node))
        setTimer(.attempt, of: node, at: attemptTime(of: node))
    }

    mutating func endPersonWaits(_ node: Int) {
        guard var waits = personWaits[node] else { return }
        for wait in [PersonWait.work, .turn] {
            while waits.isRunning(wait) {
                waits.end(wait, at: time)
                if wait.isAsked { interactive.end(at: time) }
                needsWake = true
            }
        }
        personWaits[node] = waits
    }

    // MARK: Stopping

    /// Stops the launch: operations that have not started end as cancelled, running ones are told to cancel and have
    /// the grace period to end.
    ///
    /// Every pending operation is marked before anything is released, so none of them can start.
    mutating func stopLaunch(_ reason: Stop) {
        guard phase == .running else { return }
        // Every operation to stop has ended: the stop changes nothing about the end, but for the failure that it ended
        // with.
        if alive == 0, !nodes.indices.isEmpty, !reason.isFailure { return tellScreens() }
        phase = .stopping
        stop = reason
        stopTime = time
        actions.cancelsScopes = true
        // After the milestone the user has the screen that they waited for, and a failure concerns those who read the
        // report.
        let isToBeShown = settings.hasFailureTakeover && endOfLaunchProper == nil
        if isToBeShown, reason.isFailure || reason == .deadline { showFailure() }
        record(.stopped, at: time)
        readyForWorkers.removeAll()
        readyForMain.removeAll()
        ongoing = nil
        processors = nil
        graceEnd = time.addingSaturated(settings.grace)
        needsWake = true
        if !screens.isEmpty { tellScreens() }
        findOutlasting()
        for node in nodes.indices where !goesOnWhenStopped(node) {
            if node != reason.aborter || !nodes[node].isGoingOn { _ = tellOrEnd(node, atDeadline: reason == .deadline) }
        }
    }

    /// Tells the code of an operation to cancel; ends an operation without code that could end within the grace period.
    ///
    /// - Returns: whether code was told.
    mutating func tellOrEnd(_ node: Int, atDeadline isAtDeadline: Bool = false) -> Bool {
        switch nodes[node].state {
        case .pausing where !nodes[node].isDelayed:
            // For the message, which keeps the error of the last attempt (O55). At the deadline that error says more
            // than that a pause was too long (O52).
            attemptsNotMade[node] = Int(nodes[node].attempts) + 1
            notSucceeded(node, isAtDeadline ? .failed : .cancelled)
        case .waiting, .deferred, .ready, .parked, .aside, .pausing:
            notSucceeded(node, .cancelled)
        case .checking:
            // The condition may never return: another worker takes its place.
            replaceWorker(of: node)
            if isAtDeadline { noteStraggler(node) }
            notSucceeded(node, isAtDeadline ? .timedOut : .cancelled)
        case .running where isEvent(node):
            tellToCancel(node)
            notSucceeded(node, isAtDeadline ? .timedOut : .cancelled)
        case .running, .computing:
            tellToCancel(node)
            return true
        case .ended: break
        }
        return false
    }

    mutating func tellToCancel(_ node: Int) {
        guard !nodes[node].isToldToCancel else { return }
        nodes[node].isToldToCancel = true
        actions.cancel.append(node)
    }

    /// Ends all operations that still run, without waiting for their code; but, when the grace period is over, those
    /// that always run.
    mutating func giveUp(outcome: Outcome) {
        // First: an operation that has ended in this input is not left behind.
        drainEnds()
        if outcome == .timedOut, phase == .finishing {
            (phase, outlasting) = (.stopping, [])
            for node in nodes.indices where nodes[node].state != .ended && !nodes[node].isGoingOn {
                giveUpCode(of: node)
                end(node, .cancelled)
            }
        }
        for node in nodes.indices where nodes[node].isGoingOn && !goesOnStopped(node) {
            giveUpCode(of: node)
            noteStraggler(node)
            end(node, outcome)
        }
        if outcome == .cancelled, isTakeoverRunning, let takeoverEnd, takeoverEnd > time {
            graceEnd = takeoverEnd
        } else {
            // The takeover continues, but the launch waits for it no longer.
            takeoversRunning = 0
            graceEnd = nil
        }
        if !screens.isEmpty { tellScreens() }
        for node in screens.keys { screens[node] = .gone }
        drainEnds()
    }

    mutating func noteStraggler(_ node: Int) {
        guard !nodes[node].isStraggler else { return }
        stragglers.append(node)
        nodes[node].isStraggler = true
    }

    // MARK: The end

    /// Every operation has ended: ends the launch as soon as its takeover and its screens have gone.
    mutating func endIfQuiet() {
        if isTakeoverRunning, graceEnd == nil, phase == .running {
            // The takeover of a launch that has lost its milestone, and was not stopped. It may wait for the user.
            graceEnd = time.addingSaturated(settings.grace)
            needsWake = true
        }
        guard !isTakeoverRunning, screens.values.allSatisfy({ $0 == .gone }) else { return }
        phase = .over
        endOfLaunch = time
        record(.launchEnded, at: time)
        actions.isOver = true
    }

    /// The launch has failed, and will not be anything else.
    mutating func showFailure() {
        // A launch that has lost its milestone can fail after that as well: one failure is shown.
        guard !isFailureShown else { return }
        isFailureShown = true
        takeoversRunning += 1
        takeoverEnd = time.addingSaturated(min(settings.takeoverLimit, restOfDeadline(at: time) ?? .max))
        actions.showsFailure = true
        if !screens.isEmpty { tellScreens() }
    }

    /// The graph leaves the screen to the app, whose takeover has the grace period from now on.
    mutating func graphGivesWay() {
        takeoverEnd = nil
        guard isTakeoverRunning, graceEnd != nil else { return }
        graceEnd = time.addingSaturated(settings.grace)
        needsWake = true
    }

    // MARK: Operations that run one at a time (`OperationGraph.runOneAtATime`): while one has its turn, the timeouts of
    // all others stand still

    struct Turns {
        /// Operations whose work, condition or fallback runs; more than one only where a fallback is computed beside
        /// the main thread.
        var running: Set<Int> = []
        /// Operations with a timeout that have begun and have no turn: between two attempts, or while they wait for an
        /// event.
        var waiting: Set<Int> = []
    }

    /// A lane or the main thread has taken an operation.
    mutating func turnBegan(of node: Int) {
        // A wait for an event leaves its lane to others.
        guard settings.hasTurns, !isEvent(node) else { return }
        if turns.waiting.remove(node) != nil { endPersonWait(node, .turn) }
        turns.running.insert(node)
        if turns.running.count > 1 { return }
        // In order, here and below: timers of one time fire in the order in which they were set.
        for other in turns.waiting.inOrder(by: <) { beginPersonWait(other, .turn) }
    }

    mutating func turnEnded(of node: Int) {
        guard settings.hasTurns, turns.running.remove(node) != nil, turns.running.isEmpty else { return }
        turns.waiting = turns.waiting.filter { nodes[$0].state != .ended }
        for other in turns.waiting.inOrder(by: <) { endPersonWait(other, .turn) }
    }

    /// An operation continues later, or when its event comes.
    mutating func waitsForTurn(_ node: Int) {
        guard settings.hasTurns, traits[node].contains(.hasTimeout), turns.waiting.insert(node).inserted else { return }
        if !turns.running.isEmpty { beginPersonWait(node, .turn) }
    }

    // MARK: Virtual time

    /// Whether the first of all operations that could start now, by rank, is one of the main thread's.
    var isMainFirst: Bool {
        mutating get {
            // Entries of operations that have ended, or wait elsewhere by now.
            while let ready = readyForWorkers.first, nodes[ready.node].state != .ready { _ = readyForWorkers.pop() }
            while let ready = readyForMain.first, nodes[ready.node].state != .ready { _ = readyForMain.pop() }
            guard let main = readyForMain.first else { return false }
            guard lanes.available > 0, let other = readyForWorkers.first else { return true }
            return main < other
        }
    }

    /// In virtual time a worker blocks its thread, and another one takes its place, or it comes back from that.
    mutating func workerBlocks(_ blocks: Bool) { settings.workers += blocks ? 1 : -1 }

    // MARK: Screens of slow operations: one timer begins a screen, another tells it to end, a third stops waiting for
    // it

    /// The screen of one operation. It stays known when it has gone, because it is shown once.
    enum ShownScreen: Equatable {
        case shown(since: Nanoseconds)
        /// The operation has ended: it is told to end then.
        case ending(at: Nanoseconds)
        /// It was told to end, and is not waited for after that.
        case told(limit: Nanoseconds)
        case gone
    }

    /// The screen has gone; perhaps after the launch stopped waiting for it.
    mutating func screenWent(_ node: Int) { screens[node] = .gone }

    /// Whether something is shown for an operation, and has not gone.
    func isScreenUp(_ node: Int) -> Bool { screens[node] ?? .gone != .gone }

    /// When an operation's screen must change: it is shown, told to end, or waited for no longer.
    func screenDue(of node: Int) -> Nanoseconds? {
        guard traits[node].contains(.showsIfSlow) else { return nil }
        switch screens[node] {
        case nil:
            // The time as it is now, nil while the user is waited for: such a wait has moved it since the timer was
            // set.
            guard phase == .running, !isFailureShown, nodes[node].state != .ended, !nodes[node].isToldToCancel else { return nil }
            return graph.policy(node).slowScreen.flatMap { ownTime(of: node, since: nodes[node].start, after: $0.limit) }
        case .ending(let time)?, .told(let time)?: return time
        case .shown?, .gone?: return nil
        }
    }

    /// An operation has ended: its screen ends when it was shown for long enough.
    mutating func endScreen(_ node: Int) {
        guard case .shown(let start)? = screens[node], let minimum = graph.policy(node).slowScreen?.minimum else { return }
        let end = max(time, start.addingSaturated(minimum.nanoseconds))
        screens[node] = .ending(at: end)
        setTimer(.screen, of: node, at: end)
    }

    /// The launch stops: nothing is shown any longer.
    mutating func tellScreens() {
        // Sorted: the order of a dictionary differs between processes, and runs in virtual time must not.
        for node in screens.keys.inOrder(by: <) { tellScreen(node) }
    }

    /// Tells the screen of an operation to end at once.
    mutating func tellScreen(_ node: Int) {
        switch screens[node] {
        case .shown?, .ending?:
            // A screen that does not go must not keep the launch from ending: it has as long as an operation that is
            // told to cancel.
            let limit = time.addingSaturated(settings.grace)
            screens[node] = .told(limit: limit)
            setTimer(.screen, of: node, at: limit)
            actions.endedScreens.append(node)
        case .told?, .gone?, nil: break
        }
    }
}

/// Whether the milestone was skipped because another operation did not succeed, so that the launch missed its goal. A
/// milestone whose own condition was false, or that reads a value which is missing on purpose, was not wanted.
func isMilestoneLost(_ graph: ValidatedGraph, _ nodes: [LaunchStateMachine.Node]) -> Bool {
    guard let milestone = graph.milestoneIndex, nodes[milestone].outcome == .skipped else { return false }
    return !nodes[milestone].isSkippedAlone || lacksValueOfFailure(milestone, graph, nodes)
}

/// Whether a value that an operation reads is missing because another one, however far back, did not succeed.
private func lacksValueOfFailure(_ node: Int, _ graph: ValidatedGraph, _ nodes: [LaunchStateMachine.Node]) -> Bool {
    // A list in place of recursion: a chain of operations may be longer than a thread's stack is deep.
    var (seen, next): (Set<Int>, [Int]) = ([node], [node])
    while let node = next.popLast() {
        for other in graph.predecessors[node] where other.needsValue && seen.insert(other.index).inserted {
            switch nodes[other.index].outcome {
            case .failed, .timedOut, .cancelled: return true
            // An operation that was left out on purpose never has a value: failures behind it are not the reason.
            case .skipped: if graph.policy(other.index).skipReason == nil { next.append(other.index) }
            case .succeeded, .fellBack: break
            }
        }
    }
    return false
}
