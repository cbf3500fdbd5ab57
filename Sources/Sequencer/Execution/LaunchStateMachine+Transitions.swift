/// The transitions behind the inputs. None of them calls out; all of them end in ``settle()``, which says what to do.
extension LaunchStateMachine {
    // MARK: Becoming ready and starting

    mutating func becomeReady(_ node: Int) {
        nodes[node].ready = time
        record(.ready(graph.id(node)), at: time)
        guard phase == .running, traits[node].contains(.hasDelay), let delay = graph.policy(node).delay else {
            return goOn(afterDelay: node)
        }
        pause(node, until: time.addingSaturated(delay.nanoseconds))
    }

    /// An operation is ready, and has waited out its delay, if it has one.
    mutating func goOn(afterDelay node: Int) {
        if traits[node].contains(.isJoin) {
            // It has no work and takes no lane. It ends by the list: a chain of joins that ended here would be
            // recursion as deep as the graph.
            nodes[node].attempts = 1
            nodes[node].start = time
            pendingEnds.append(PendingEnd(node: node, kind: .ended(.succeeded)))
        } else if phase == .running, deferIfLate(node) {
            // Later: operations that wait for it may be put off as well, and so on, as deep as the graph.
            pendingEnds.append(PendingEnd(node: node, kind: .putOff))
        } else if phase == .running, planCut(of: node) {
            // Later: whether the budget is lost depends on the others that become ready with it.
            pendingEnds.append(PendingEnd(node: node, kind: .lateCut))
        } else {
            goOn(node)
        }
    }

    /// An operation that is ready waits for its turn, or for its event, where it needs nothing else.
    mutating func goOn(_ node: Int) {
        guard isEvent(node), traits[node].isDisjoint(with: [.hasCondition, .hasResources]) else { return enqueue(node) }
        start(node)
        waitsForTurn(node)
        // Later: operations that are already to end come first.
        pendingEnds.append(PendingEnd(node: node, kind: .ofEvent))
    }

    mutating func enqueue(_ node: Int) {
        nodes[node].state = .ready
        let ready = KeyedNode(key: -traits.ranks[node], node: node)
        if traits[node].contains(.isMain) {
            readyForMain.push(ready)
        } else {
            readyForWorkers.push(ready)
            if settings.usesQueue { withoutTurn.push(ready) }
        }
        // A question needs nothing else.
        if nodes[node].question == .asked { return }
        // An app's queue may be suspended.
        if traits[node].contains(.isAwaited), !settings.usesQueue || nodes[node].attempts > 0 { ongoing?.becameReady(node, at: time) }
    }

    /// Takes the ready operation of the highest rank whose resources are free; those it has to pass over are parked.
    mutating func takeNext(forMain isMain: Bool) -> Assignment? {
        guard phase.mayStart else { return nil }
        while isMain || lanes.available > 0, let ready = isMain ? readyForMain.pop() : readyForWorkers.pop() {
            let node = ready.node
            // An entry may be left from before the operation ended, or from before its fallback was computed.
            guard nodes[node].state == .ready else { continue }
            let isAsked = nodes[node].question == .asked
            // Resources last: an operation that is put aside must hold none.
            guard
                isAsked
                    || (holdsClaim(node) || !yieldProcessor(ready) && !holdBack(node, onMain: isMain))
                        && acquireResources(for: ready, onMain: isMain)
            else {
                if settings.takesOneAtATime { return nil }
                continue
            }
            turnBegan(of: node)
            if !isMain {
                guard let lane = lanes.take() else { return nil }
                nodes[node].lane = Int32(lane)
                nodes[node].holdsLane = true
                holdWorker(node)
            } else if traits[node].contains(.keepsMain) {
                keepMain()
            }
            if traits[node].contains(.hasCondition), nodes[node].attempts == 0, nodes[node].question != .answered {
                nodes[node].state = .checking
                if traits[node].contains(.asksEarly) { askConditions(node) }
                // Until it has answered; the operation that it lets start has the whole timeout again.
                nodes[node].start = time
                setTimer(.timeout, of: node, at: timeoutTime(of: node))
                if traits[node].contains(.keepsThread) { processors?.started(node) }
                // It has its place from here on, and the operations behind it come after its answer.
                if traits[node].contains(.isAwaited), !isAsked { ongoing?.started(node, at: time) }
                return Assignment(node: node, attempt: 1, kind: .checkCondition)
            }
            start(node)
            return Assignment(node: node, attempt: Int(nodes[node].attempts), kind: .run)
        }
        return nil
    }

    mutating func start(_ node: Int) {
        nodes[node].state = .running
        nodes[node].attempts += 1
        record(.started(graph.id(node), attempt: Int(nodes[node].attempts)), at: time)
        let isFirst = nodes[node].attempts == 1
        // A later attempt keeps the first start: a timeout covers all attempts and the pauses between them.
        if isFirst { nodes[node].start = time }
        if traits[node].contains(.isInteractive) { interactive.begin(at: time) }
        if isFirst {
            if traits[node].contains(.hasTimeout) { setTimer(.timeout, of: node, at: timeoutTime(of: node)) }
            if traits[node].contains(.showsIfSlow) { setTimer(.screen, of: node, at: screenDue(of: node)) }
        }
        if traits[node].contains(.hasRetry), graph.policy(node).retry?.timeout != nil {
            nodes[node].hasAttemptTimedOut = false
            attemptStarts[node] = timeWithoutPersons(of: node)
            setTimer(.attempt, of: node, at: attemptTime(of: node))
        }
        if traits[node].contains(.keepsThread) { processors?.started(node) }
        if traits[node].contains(.isAwaited) { ongoing?.started(node, at: time) }
        // Also where it cannot be cut: one that is late decides whether a cut of another one still saves the budget.
        if keeper != nil { watchEnd(of: node, startingAt: time) }
    }

    /// Lets go of what a running (or checking) operation holds.
    ///
    /// - Parameter outcome: nil where the operation does not end with that.
    private mutating func release(_ node: Int, endingAs outcome: Outcome? = nil) {
        if nodes[node].holdsLane { giveBackLane(of: node) }
        turnEnded(of: node)
        if nodes[node].state == .running, traits[node].contains(.isInteractive) {
            interactive.end(at: time)
            // Nobody answers within a tenth of a second: it had nothing to ask.
            if time - nodes[node].start >= 100_000_000, !graph.policy(node).asksNothing { hasAsked = true }
            // The deadline stood still for the user, and is due at another time now.
            needsWake = true
        }
        if nodes[node].isGoingOn, !personWaits.isEmpty { endPersonWaits(node) }
        if traits[node].contains(.hasResources) {
            let isKept = outcome?.isSuccess == true && resources.isKept(node)
            if isKept { releaseTurn(of: node) } else { releaseResources(of: node) }
        }
        let hasBegun = nodes[node].state == .running || nodes[node].state == .checking
        if traits[node].contains(.keepsMain), hasBegun { mainKeepers -= 1 }
        if processors != nil { releaseProcessor(node, hasBegun: hasBegun) }
        if traits[node].contains(.freesOthers) { ongoing?.ended(node) }
        if outcome != nil, traits[node].contains(.showsIfSlow) { endScreen(node) }
        guard traits[node].contains(.settlesEvents) else { return }
        pendingEnds.append(PendingEnd(node: node, kind: .ofEvent))
        if outcome == nil { return }
        for taker in resources.ended(node) where nodes[taker].state == .ended { releaseResources(of: taker) }
    }

    mutating func giveBackLane(of node: Int) {
        lanes.giveBack(Int(nodes[node].lane))
        nodes[node].holdsLane = false
        if settings.usesQueue { actions.endedTurns.append(node) }
    }

    // MARK: Ending

    mutating func endAttempt(_ ended: Assignment, _ result: Result) -> Bool {
        let node = ended.node
        // It has ended meanwhile, or this was an earlier attempt: the result is dropped (O3).
        guard isCurrent(ended) else {
            // Its thread is not a worker, which would say so itself.
            if ended.kind == .computeFallback { _ = cameBack(ended) }
            return false
        }
        switch result {
        case .succeeded:
            // Nothing is pending between inputs, so this is its turn.
            endNow(node, ended.kind == .computeFallback ? .fellBack : .succeeded)
        // By itself: its policy decides, as after a failure (O12).
        case .cancelledItself:
            notSucceeded(node, .cancelled)
        case .cancelled where phase != .running:
            // The operation that stopped the launch is not told to cancel.
            notSucceeded(node, .cancelled)
        // A cancellation that nobody has asked for is a failure, too, and tried again (O43).
        case .failed, .failedFinally, .cancelled:
            if nodes[node].isToldToCancel {
                notSucceeded(node, .cancelled)
            } else if result == .failedFinally || !retry(node) {
                notSucceeded(node, .failed)
            }
        }
        return true
    }

    /// The time now, less that in which the operation's timeout stood still.
    private func timeWithoutPersons(of node: Int) -> Nanoseconds { time - (personWaits[node]?.paused.total(at: time) ?? 0) }

    func isCurrent(_ assignment: Assignment) -> Bool { nodes[assignment.node].isCurrent(assignment) }

    func isToldToCancel(_ assignment: Assignment) -> Bool { nodes[assignment.node].mustEnd(assignment, in: phase) }

    /// Puts a failed operation into its pause before the next attempt, if it has one and it could start in time.
    mutating func retry(_ node: Int) -> Bool {
        guard phase == .running, traits[node].contains(.hasRetry), let policy = graph.policy(node).retry else { return false }
        let failed = Int(nodes[node].attempts)
        guard failed < policy.attempts else { return false }
        let due = time.addingSaturated(policy.pause(afterAttempt: failed, random: &random))
        // It would time out in its pause: failing now says more, with its own error.
        if let timeout = timeoutTime(of: node), due >= timeout {
            attemptsNotMade[node] = failed + 1
            return false
        }
        // A pause takes no lane and no resource from others.
        release(node)
        record(.retrying(graph.id(node), attempt: failed), at: time)
        // The start of the launch waits for it, and for no timer.
        if isInPrologue {
            enqueue(node)
            return true
        }
        pause(node, until: due)
        waitsForTurn(node)
        return true
    }

    /// An operation goes on at that time, and holds nothing until then.
    private mutating func pause(_ node: Int, until due: Nanoseconds) {
        nodes[node].state = .pausing
        setTimer(.pause, of: node, at: due)
        // As where it becomes ready: an app's queue may be suspended.
        let isExpected = !settings.usesQueue || nodes[node].attempts > 0
        if traits[node].contains(.isAwaited), isExpected { ongoing?.paused(node, at: time, until: due) }
        if keeper != nil { watchEnd(of: node, startingAt: due) }
    }

    /// An operation failed, timed out or was cancelled for good: its fallback, or else its policy, decides what that
    /// means.
    mutating func notSucceeded(_ node: Int, _ outcome: Outcome) {
        // A launch that stops starts nothing and needs no value: no fallback is used.
        guard phase == .running else {
            end(node, outcome)
            return
        }
        if traits[node].contains(.hasFallback) {
            nodes[node].failure = outcome
            if traits[node].contains(.computesFallback) {
                computeFallback(node)
                ongoing?.fellBack(node, at: time)
            } else {
                end(node, .fellBack)
            }
            return
        }
        end(node, outcome)
    }

    /// Has the fallback computed at once, on a thread beyond the number of workers: without a lane, for all may be kept
    /// by operations that block, without the resources, and also for a step of the main thread. Its limit runs from
    /// here.
    private mutating func computeFallback(_ node: Int) {
        release(node)
        // The worker of the attempt before it is on its way back.
        letGoOfWorker(node)
        nodes[node].thread = .ofFallback
        nodes[node].state = .computing
        fallbackStarts[node] = timeWithoutPersons(of: node)
        setTimer(.timeout, of: node, at: timeoutTime(of: node))
        // Counted also where the operation itself suspends: the closure of its fallback cannot.
        if processors != nil { processors?.started(node) }
        pendingEnds.append(PendingEnd(node: node, kind: .fallback))
    }

    /// Ends one operation; others that end because of it are left pending.
    mutating func endNow(_ node: Int, _ outcome: Outcome) {
        // It may be in the list twice: to be skipped, and then cancelled by a stop in the same input.
        guard nodes[node].state != .ended else { return }
        // Before the state changes: an operation that ran gives back more than one that only waited.
        release(node, endingAs: outcome)
        if nodes[node].question == .asked {
            // Clears any cause of a skip.
            nodes[node].cause = -1
            // Its time was over before it had answered.
            if nodes[node].ready < 0 { nodes[node].ready = nodes[node].start }
        }
        nodes[node].state = .ended
        nodes[node].outcome = outcome
        nodes[node].end = time
        lastProgress = time
        // Something moves again, so the next silence is a separate stall.
        if isStallReported {
            isStallReported = false
            needsWake = true
        }
        alive -= 1
        if outcome == .fellBack { actions.useFallbackValue.append(node) }
        // Before the milestone's own end is looked at: it belongs to the launch proper.
        if endOfLaunchProper != nil { nodes[node].isAfterMilestone = true }
        let isMilestone = node == graph.milestoneIndex
        if isMilestone {
            interactiveAtMilestone = interactive
            actions.isMilestoneOver = true
        }
        // With the initial display only its own level ends: the milestone is still waited for.
        if isMilestone || node == graph.initialDisplayIndex { endReservations(above: isMilestone ? 0 : max(traits.highestLevel, 1) - 1) }
        record(.ended(graph.id(node), outcome), at: time)
        // A launch that stops releases nobody else: all that waited was cancelled before (O20).
        guard phase == .running else { return releaseOutlasting(behind: node) }
        let effect = nodes[node].effectOnDependents(graph.nodes[node].policy)
        if isMilestone { milestoneEnded(node, effect) }
        if effect == .stopLaunch {
            stopLaunch(.failed(node))
            releaseOutlasting(behind: node)
        } else if !nodes[node].isDeferred {
            releaseDependents(of: node, effect)
        }
    }

    /// The launch continues without a milestone that has failed, if it may. A skipped milestone is never reached: such
    /// a launch ends with its last operation, as without a milestone.
    private mutating func milestoneEnded(_ milestone: Int, _ effect: Effect) {
        if effect != .stopLaunch, nodes[milestone].outcome != .skipped { endOfLaunchProper = time }
        if settings.hasFailureTakeover, isMilestoneLost(graph, nodes) { showFailure() }
        // Those that were put off.
        if keeper != nil { for node in nodes.indices where nodes[node].state == .deferred { enqueue(node) } }
    }

    // MARK: Actions

    /// Brings the state to rest, and asks for workers and main-thread turns for ready operations.
    mutating func settle() {
        guard hasBegun else { return }
        drainEnds()
        if phase.mayStart {
            offerAside()
            settleWorkers()
            let turns = readyForMain.count - pendingMainTurns
            if turns > 0, !isInPrologue {
                actions.mainTurns += turns
                pendingMainTurns += turns
            }
            if settings.usesQueue { settleQueue() }
        }
        if alive == 0, phase != .over { endIfQuiet() }
    }

    mutating func record(_ kind: LaunchEvent.Kind, at time: Nanoseconds) {
        // A launch that nobody watches keeps no events: its past is made from the states when somebody asks
        // (`eventsSoFar`).
        if settings.recordsEvents { events.append(LaunchEvent(kind: kind, time: .nanoseconds(time), scope: settings.scope)) }
    }

    // The consequences of an end: other operations start, are skipped, or stop the launch.

    // MARK: Pending ends

    /// Ends an operation, and all operations that end because of it.
    mutating func end(_ node: Int, _ outcome: Outcome) {
        pendingEnds.append(PendingEnd(node: node, kind: .ended(outcome)))
    }

    /// Ends all pending operations, in order, without recursion: ending one operation can end any number of others.
    mutating func drainEnds() {
        if pendingEnds.isEmpty { return }
        var next = 0
        // By position: an end can add others behind it.
        while next < pendingEnds.count {
            let pending = pendingEnds[next]
            next += 1
            switch pending.kind {
            case .ended(let outcome): endNow(pending.node, outcome)
            case .ofEvent:
                let (node, state) = (pending.node, nodes[pending.node].state)
                let settles = state == .ended && traits[node].contains(.settlesEvents)
                if settles || state == .running && isEvent(node) { actions.events.append(node) }
            // Whether its value comes later must not matter to those who read it (L46).
            case .putOff where phase == .running: releaseDependents(of: pending.node, .startWithoutValue)
            // The launch was stopped in this input: no dependent was released.
            case .putOff: nodes[pending.node].isDeferred = false
            // The launch may have been stopped in this input: then it is not begun.
            case .fallback:
                if phase == .running {
                    actions.fallbacks.append(code(of: pending.node))
                } else {
                    endNow(pending.node, .cancelled)
                }
            case .race: if phase == .running { endRace(before: pending.node) }
            case .lateCut where goesOnStopped(pending.node): goOn(pending.node)
            case .lateCut: if phase == .running { cutOrGoOn(pending.node) }
            }
        }
        pendingEnds.removeAll(keepingCapacity: true)
    }

    // MARK: Dependents

    /// The effect of the end of an operation on those that wait for it.
    enum Effect {
        case start, startWithoutValue, skip, stopLaunch
    }

    mutating func releaseDependents(of node: Int, _ effect: Effect) {
        // An operation that is skipped because of a skipped one has the same cause as that one.
        let cause = nodes[node].cause >= 0 ? nodes[node].cause : Int32(node)
        for successor in graph.successors[node] {
            let dependent = successor.index
            nodes[dependent].waiting -= 1
            // Its condition was false, so the ends of the others do not matter.
            if nodes[dependent].state == .ended { continue }
            let isSkip = effect == .skip && traits[dependent].isDisjoint(with: [.isAlways, .isRace])
            if effect == .start, traits[dependent].contains(.isRace) { pendingEnds.append(PendingEnd(node: dependent, kind: .race)) }
            if isSkip || effect == .startWithoutValue && successor.needsValue { skip(dependent, for: node, cause, effect) }
            guard nodes[dependent].state == .waiting else { continue }
            askOrGoOn(dependent)
        }
    }

    /// If an operation takes the first success of several, and one of these has succeeded, the others end now, as by a
    /// timeout: nobody waits for their code.
    private mutating func endRace(before node: Int) {
        let racers = graph.racers(of: node)
        guard racers.contains(where: { nodes[$0].state == .ended && nodes[$0].outcome.isSuccess }) else { return }
        for racer in racers where nodes[racer].state != .ended {
            giveUpCode(of: racer)
            end(racer, .cancelled)
        }
    }

    // MARK: Operations that always run

    /// Whether an operation of a launch that was stopped is one that runs whatever happens.
    func goesOnStopped(_ node: Int) -> Bool {
        let isShielded = traits[node].contains(.isShielded) && nodes[node].state == .running
        return outlasting.contains(node) && (traits[node].contains(.isAlways) || isShielded)
    }

    /// An operation has ended in a launch that was stopped.
    private mutating func releaseOutlasting(behind node: Int) {
        guard phase == .finishing, !nodes[node].isDeferred else { return }
        for dependent in graph.successors[node].lazy.map(\.index) where outlasting.contains(dependent) {
            nodes[dependent].waiting -= 1
            guard nodes[dependent].waiting == 0, nodes[dependent].state == .waiting else { continue }
            if goesOnStopped(dependent), !nodes[dependent].isToldToCancel { becomeReady(dependent) } else { end(dependent, .cancelled) }
        }
    }

    /// The launch is stopped, but not by its deadline, nor before it began.
    mutating func findOutlasting() {
        let canOutlast = !traits.all.isDisjoint(with: [.isAlways, .isShielded])
        guard canOutlast, stop != .deadline, !isCancelledAtBegin else { return }
        outlasting = graph.predecessors.reachable(from: nodes.indices.filter { traits[$0].contains(.isAlways) })
        for node in nodes.indices where traits[node].contains(.isShielded) && nodes[node].state == .running {
            if !nodes[node].isToldToCancel { outlasting.insert(node) }
        }
        if !outlasting.isEmpty { phase = .finishing }
    }

    /// The launch is stopped.
    ///
    /// - Returns: whether an operation continues anyway, begins in its turn, or ends in its turn.
    mutating func goesOnWhenStopped(_ node: Int) -> Bool {
        if nodes[node].state == .waiting, nodes[node].waiting > 0 { return outlasting.contains(node) }
        guard goesOnStopped(node) else { return false }
        switch nodes[node].state {
        case .waiting, .parked, .checking, .running: return true
        case .pausing where nodes[node].isDelayed:
            goOn(afterDelay: node)
            return true
        case .deferred, .ready, .aside:
            enqueue(node)
            return true
        case .pausing, .computing, .ended: return false
        }
    }

    // MARK: Early questions

    /// Asks a waiting operation once the values for one of its conditions are there, while it waits for others, or will
    /// be skipped for another: it must not matter which of these ends first.
    private mutating func askOrGoOn(_ node: Int) {
        let isToBeAsked =
            traits[node].contains(.asksEarly) && nodes[node].question == .none && !nodes[node].isToldToCancel
            && (nodes[node].waiting > 0 || nodes[node].cause >= 0) && !answerableConditions(node).isEmpty
        if isToBeAsked {
            nodes[node].question = .asked
            enqueue(node)
        } else if nodes[node].waiting > 0 {
            // Not before its last dependency has ended: operations behind it rely on all of them.
            return
        } else if nodes[node].cause >= 0 {
            end(node, .skipped)
        } else if nodes[node].isToldToCancel {
            notSucceeded(node, .cancelled)
        } else {
            becomeReady(node)
        }
    }

    /// The conditions of an operation, by place, whose values are there, and that have not answered.
    func answerableConditions(_ node: Int) -> [Int] {
        let deciders = traits.deciders[node] ?? []
        return deciders.indices.filter { place in
            guard let steps = deciders[place], questions[node]?.answered.contains(place) != true else { return false }
            return graph.predecessors[node].allSatisfy { dependency in
                guard steps.contains(dependency.index) else { return true }
                guard nodes[dependency.index].state == .ended else { return false }
                let effect = nodes[dependency.index].effectOnDependents(graph.nodes[dependency.index].policy)
                return effect == .start || effect == .startWithoutValue && !dependency.needsValue
            }
        }
    }

    /// The operation's early condition is true, or it was cancelled: it continues to wait for its dependencies.
    mutating func waitOn(_ node: Int) {
        release(node)
        letGoOfWorker(node)
        nodes[node].state = .waiting
        if let asked = questions[node]?.asked { questions[node]?.answered.formUnion(asked) }
        let isAnswered = questions[node]?.answered.count == graph.policy(node).conditions.count
        nodes[node].question = isAnswered ? .answered : .none
        nodes[node].start = -1
        askOrGoOn(node)
    }

    /// An operation will be skipped for the sake of `node`, which it waits for: alone, if it only lacks a value that is
    /// missing on purpose, or may be missing.
    private mutating func skip(_ dependent: Int, for node: Int, _ cause: Int32, _ effect: Effect) {
        let isConditional = traits[dependent].contains(.hasCondition) && nodes[node].isSkippedAlone
        let isAlone = effect == .startWithoutValue && (isConditional || graph.policy(dependent).onFailure == .continue)
        if nodes[dependent].cause < 0 {
            nodes[dependent].cause = cause
            nodes[dependent].isSkippedAlone = isAlone
        } else if !isAlone {
            // A single cause that is not on purpose is enough: the skip continues to the operations behind it.
            nodes[dependent].isSkippedAlone = false
        }
    }
}

// Questions of one operation: its record is small, and the whole machine is copied where a method is called that does
// not change it.
extension LaunchStateMachine.Node {
    /// Whether the operation still runs this assignment, and has not gone on to another one.
    func isCurrent(_ assignment: StepAssignment) -> Bool {
        state == (assignment.kind == .computeFallback ? .computing : .running) && Int(attempts) == assignment.attempt
    }

    /// Whether the code of an assignment must end: it was told to, or nobody waits for it any more.
    func mustEnd(_ assignment: StepAssignment, in phase: LaunchStateMachine.Phase) -> Bool {
        // The step was told to; the computing of its fallback is only by a launch that stops.
        (assignment.kind == .computeFallback ? phase != .running : isToldToCancel) || !isCurrent(assignment)
    }

    /// The effect of the operation's end on those that wait for it.
    ///
    /// - Parameter policy: nil for the standard one.
    func effectOnDependents(_ policy: Boxed<StepPolicy>?) -> LaunchStateMachine.Effect {
        switch outcome {
        case .succeeded, .fellBack: return .start
        case .skipped where !isSkippedAlone: return .skip
        // Left out on purpose: dependents that can do without its value start.
        case .skipped: return .startWithoutValue
        case .failed, .timedOut, .cancelled:
            switch policy?.value.onFailure ?? .required {
            // When the milestone has ended, a failure concerns the operation, and those that wait for it.
            case .required: return isAfterMilestone ? .skip : .stopLaunch
            case .skipDependents: return .skip
            case .continue: return .startWithoutValue
            }
        }
    }
}
