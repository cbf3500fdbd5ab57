/// The transitions behind the inputs. None of them calls out; all of them end in ``settle(_:)``, which says what to do.
extension LaunchStateMachine {
    // MARK: Becoming ready and starting

    @inline(__always)
    private mutating func move(_ node: Int, to state: NodeState) {
        if nodes[node].state == .running { runningCount -= 1 }
        if state == .running { runningCount += 1 }
        nodes[node].state = state
    }

    @inline(__always)
    mutating func becomeReady(_ node: Int) {
        nodes[node].ready = time
        record(.ready, node: node, at: time)
        if traits[node].isDisjoint(with: .whenReady) { enqueue(node) } else { becomeReadySpecially(node) }
    }

    private mutating func becomeReadySpecially(_ node: Int) {
        if traits[node].contains(.isJoin) {
            nodes[node].attempts = 1
            nodes[node].start = time
            pendingEnds.append(PendingEnd(node: node, outcome: .succeeded))
        } else if deferIfLate(node) {
            // What waits for it does not wait any longer.
            releaseDependents(of: node, .startWithoutValue)
        } else if !planCut(of: node) {
            enqueue(node)
        }
    }

    @inline(__always)
    mutating func enqueue(_ node: Int) {
        move(node, to: .ready)
        let ready = Ready(rank: traits.ranks[node], node: Int32(node))
        if traits[node].contains(.isMain), !nodes[node].isComputingFallback {
            readyForMain.push(ready)
        } else {
            readyForWorkers.push(ready)
        }
    }

    /// Takes the ready operation of the highest rank whose resources are free; those it has to pass over are parked.
    mutating func takeNext(forMain isMain: Bool) -> Assignment? {
        guard phase == .running else { return nil }
        while isMain || lanes.available > 0, let ready = isMain ? readyForMain.pop() : readyForWorkers.pop() {
            let node = Int(ready.node)
            // An entry may be left from before the operation ended, or from before its fallback was to be computed, which workers do.
            guard nodes[node].state == .ready, !(isMain && nodes[node].isComputingFallback) else { continue }
            if !traits[node].isDisjoint(with: .whenTaken) {
                guard acquireResources(for: ready) else { continue }
            }
            if !isMain {
                guard let lane = lanes.take() else { return nil }
                nodes[node].lane = Int32(lane)
                nodes[node].holdsLane = true
                nodes[node].holdsWorker = true
            }
            if !traits[node].isDisjoint(with: .whenTaken) {
                if nodes[node].isComputingFallback {
                    move(node, to: .running)
                    return Assignment(node: node, attempt: Int(nodes[node].attempts), kind: .computeFallback)
                }
                if traits[node].contains(.hasCondition), nodes[node].attempts == 0 {
                    move(node, to: .checking)
                    return Assignment(node: node, attempt: 1, kind: .checkCondition)
                }
            }
            start(node)
            return Assignment(node: node, attempt: Int(nodes[node].attempts), kind: .run)
        }
        return nil
    }

    /// Takes what a ready operation must have for itself alone; one that cannot have it is parked.
    private mutating func acquireResources(for ready: Ready) -> Bool {
        let node = Int(ready.node)
        guard traits[node].contains(.hasResources), !nodes[node].isComputingFallback, !resources.acquire(for: ready) else { return true }
        move(node, to: .parked)
        offerFreeResources(of: node)
        return false
    }

    /// The next operation for a worker that has let go of `previous`; nil when the worker is to end, or was counted out meanwhile.
    @inline(__always)
    mutating func nextForWorker(after previous: Assignment?) -> Assignment? {
        if let previous {
            if !replacedWorkers.isEmpty, let place = replacedWorkers.firstIndex(of: previous) {
                replacedWorkers.remove(at: place)
                return nil
            }
            if isCurrent(previous) { nodes[previous.node].holdsWorker = false }
        }
        let next = takeNext(forMain: false)
        if next == nil { activeWorkers -= 1 }
        return next
    }

    @inline(__always)
    mutating func start(_ node: Int) {
        move(node, to: .running)
        nodes[node].attempts += 1
        record(.started, node: node, at: time)
        let isFirst = nodes[node].attempts == 1
        if isFirst { nodes[node].start = time }
        if traits[node].isDisjoint(with: .whenStarted) { return }
        if traits[node].contains(.isInteractive) { interactive.begin(at: time) }
        if isFirst { setTimeout(node) }
    }

    /// Lets go of what a running (or checking) operation holds.
    @inline(__always)
    private mutating func release(_ node: Int) {
        if nodes[node].holdsLane {
            lanes.giveBack(Int(nodes[node].lane))
            nodes[node].holdsLane = false
        }
        if !traits[node].isDisjoint(with: .whenEnded) || !personWaits.isEmpty { releaseMore(node) }
    }

    private mutating func releaseMore(_ node: Int) {
        if nodes[node].state == .running, !nodes[node].isComputingFallback {
            if traits[node].contains(.isInteractive) { interactive.end(at: time) }
            if !personWaits.isEmpty { endPersonWaits(node) }
        }
        if traits[node].contains(.hasResources) {
            resources.release(by: node)
            offerFreeResources(of: node)
        }
    }

    /// Wakes, for each resource that `node` needs and does not hold, nor anybody else, one operation that waits for it.
    private mutating func offerFreeResources(of node: Int) {
        for resource in resources.free(of: node) {
            while let waiting = resources.nextWaiting(for: resource) {
                guard nodes[waiting].state == .parked else { continue }
                enqueue(waiting)
                break
            }
        }
    }

    // MARK: Ending

    @inline(__always)
    mutating func endAttempt(_ ended: Assignment, _ result: Result, _ actions: inout Actions) -> Bool {
        let node = ended.node
        guard isCurrent(ended) else { return false }
        switch result {
        case .succeeded:
            // Nothing is pending between inputs, so this is its turn.
            endNow(node, ended.kind == .computeFallback ? .fellBack : .succeeded, &actions)
        case .failed:
            if nodes[node].isToldToCancel {
                notSucceeded(node, .cancelled)
            } else if !retry(node) {
                notSucceeded(node, .failed)
            }
        case .cancelled:
            notSucceeded(node, .cancelled)
        }
        return true
    }

    /// Whether this is what the operation does now, rather than something it was done with.
    @inline(__always)
    func isCurrent(_ assignment: Assignment) -> Bool {
        let node = assignment.node
        return nodes[node].state == .running && Int(nodes[node].attempts) == assignment.attempt
            && nodes[node].isComputingFallback == (assignment.kind == .computeFallback)
    }

    /// Puts a failed operation into its pause before the next attempt, if it has one and it could start in time.
    private mutating func retry(_ node: Int) -> Bool {
        guard phase == .running, traits[node].contains(.hasRetry), let policy = graph.policy(node).retry else { return false }
        let failed = Int(nodes[node].attempts)
        guard failed < policy.attempts else { return false }
        let due = time.addingSaturated(policy.pause(afterAttempt: failed, random: &random))
        if let timeout = timeoutTime(of: node), due >= timeout {
            retriesWithoutTime[node] = failed + 1
            return false
        }
        release(node)
        move(node, to: .pausing)
        record(.retrying, node: node, at: time)
        timers.push(Timer(time: due, sequence: nextTimerSequence(), node: Int32(node), kind: .retry))
        return true
    }

    /// An operation failed, timed out or was cancelled for good: its fallback, or else its policy, decides what that means.
    mutating func notSucceeded(_ node: Int, _ outcome: Outcome) {
        guard phase == .running else {
            end(node, outcome)
            return
        }
        if traits[node].contains(.hasFallback) {
            nodes[node].failure = outcome
            if traits[node].contains(.computesFallback) {
                release(node)
                nodes[node].isComputingFallback = true
                enqueue(node)
            } else {
                end(node, .fellBack)
            }
            return
        }
        end(node, outcome)
    }

    /// Ends an operation, and whatever ends because of it.
    mutating func end(_ node: Int, _ outcome: Outcome) {
        pendingEnds.append(PendingEnd(node: node, outcome: outcome))
    }

    /// Ends what is to end, in order, without recursion: ending one operation can end any number of others.
    @inline(__always)
    mutating func drainEnds(_ actions: inout Actions) {
        if !pendingEnds.isEmpty { drainPendingEnds(&actions) }
    }

    private mutating func drainPendingEnds(_ actions: inout Actions) {
        var next = 0
        while next < pendingEnds.count {
            let pending = pendingEnds[next]
            next += 1
            endNow(pending.node, pending.outcome, &actions)
        }
        pendingEnds.removeAll(keepingCapacity: true)
    }

    /// Ends one operation; whatever ends because of it is left pending.
    mutating func endNow(_ node: Int, _ outcome: Outcome, _ actions: inout Actions) {
        guard nodes[node].state != .ended else { return }
        release(node)
        move(node, to: .ended)
        nodes[node].outcome = outcome
        nodes[node].end = time
        lastProgress = time
        isStallReported = false
        alive -= 1
        if outcome == .fellBack { actions.useFallbackValue.append(node) }
        if node == milestone { interactiveUntilMilestone = interactive.total(at: time) }
        record(.ended, node: node, at: time)
        guard phase == .running else { return }
        if node == milestone, !deferred.isEmpty { startDeferred() }
        let effect = effectOnDependents(node)
        if effect == .stopLaunch {
            stopLaunch(.failed(node), &actions)
        } else if !nodes[node].isDeferred {
            releaseDependents(of: node, effect)
        }
    }

    private enum Effect {
        case start, startWithoutValue, skip, stopLaunch
    }

    @inline(__always)
    private func effectOnDependents(_ node: Int) -> Effect {
        switch nodes[node].outcome {
        case .succeeded, .fellBack: return .start
        case .skipped where !nodes[node].isSkippedByCondition: return .skip
        case .skipped: return .startWithoutValue
        case .failed, .timedOut, .cancelled:
            switch graph.policy(node).onFailure.kind {
            case .required: return .stopLaunch
            case .skipDependents: return .skip
            case .continue: return .startWithoutValue
            }
        }
    }

    private mutating func releaseDependents(of node: Int, _ effect: Effect) {
        // What is skipped because of a skipped operation is skipped because of what that one was.
        let cause = nodes[node].cause >= 0 ? nodes[node].cause : Int32(node)
        for place in successors.places(of: node) {
            let successor = successors.neighbour(at: place)
            let dependent = successor.index
            if effect == .skip || effect == .startWithoutValue && successor.needsValue, nodes[dependent].cause < 0 {
                nodes[dependent].cause = cause
            }
            nodes[dependent].waiting -= 1
            guard nodes[dependent].waiting == 0, nodes[dependent].state == .waiting else { continue }
            if nodes[dependent].cause >= 0 {
                end(dependent, .skipped)
            } else if nodes[dependent].isToldToCancel {
                notSucceeded(dependent, .cancelled)
            } else {
                becomeReady(dependent)
            }
        }
    }

    // MARK: Stopping

    /// Stops the launch: what has not started ends as cancelled, what runs is told to cancel and has the grace period to end.
    ///
    /// Every pending operation is marked before anything is released, so none of them can start.
    mutating func stopLaunch(_ reason: Stop, _ actions: inout Actions) {
        guard phase == .running else { return }
        phase = .stopping
        stop = reason
        record(.stopped, at: time)
        readyForWorkers.removeAll()
        readyForMain.removeAll()
        graceEnd = time.addingSaturated(settings.grace)
        var aborter = -1
        if case .aborted(let node, _) = reason { aborter = node }
        for node in nodes.indices {
            switch nodes[node].state {
            case .waiting, .deferred, .ready, .parked, .checking, .pausing: end(node, .cancelled)
            case .running where node != aborter: tellToCancel(node, &actions)
            case .running, .ended: break
            }
        }
    }

    mutating func tellToCancel(_ node: Int, _ actions: inout Actions) {
        guard !nodes[node].isToldToCancel else { return }
        nodes[node].isToldToCancel = true
        actions.cancel.append(node)
    }

    /// Ends whatever still runs, without waiting for its code.
    mutating func giveUp(outcome: Outcome, _ actions: inout Actions) {
        drainEnds(&actions)
        for node in nodes.indices where nodes[node].state == .running {
            tellToCancel(node, &actions)
            stragglers.append(node)
            nodes[node].isStraggler = true
            end(node, outcome)
        }
        isTakeoverRunning = false
        graceEnd = nil
        drainEnds(&actions)
    }

    // MARK: Workers

    /// Counts the worker that runs `node` out, for it may never come back.
    mutating func replaceWorker(of node: Int) {
        guard nodes[node].holdsWorker else { return }
        nodes[node].holdsWorker = false
        replacedWorkers.append(Assignment(node: node, attempt: Int(nodes[node].attempts), kind: .run))
        activeWorkers -= 1
    }

    // MARK: Actions

    /// Brings the state to rest, and asks for workers and main-thread turns for what is ready.
    @inline(__always)
    mutating func settle(_ actions: inout Actions) {
        drainEnds(&actions)
        if phase == .running {
            let missing = min(readyForWorkers.count, lanes.available, settings.workers - activeWorkers)
            if missing > 0 {
                actions.workers += missing
                activeWorkers += missing
            }
            let turns = readyForMain.count - pendingMainTurns
            if turns > 0 {
                actions.mainTurns += turns
                pendingMainTurns += turns
            }
        }
        if alive == 0, !isTakeoverRunning, phase != .over {
            phase = .over
            endOfLaunch = time
            record(.launchEnded, at: time)
            actions.isOver = true
        }
    }

    @inline(__always)
    mutating func record(_ kind: RawEvent.Kind, node: Int = -1, at time: Nanoseconds) {
        guard settings.recordsEvents else { return }
        let attempt = node >= 0 ? Int(nodes[node].attempts) : 0
        events.append(RawEvent(kind: kind, node: node, attempt: attempt, time: time))
    }
}
