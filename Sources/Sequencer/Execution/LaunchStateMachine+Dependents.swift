/// The consequences of an end: other operations start, are skipped, or stop the launch.
extension LaunchStateMachine {
    // MARK: Pending ends

    /// Ends an operation, and all operations that end because of it.
    mutating func end(_ node: Int, _ outcome: Outcome) {
        pendingEnds.append(PendingEnd(node: node, kind: .ended(outcome)))
    }

    /// Ends all pending operations, in order, without recursion: ending one operation can end any number of others.
    @inline(__always)
    mutating func drainEnds(_ actions: inout Actions) {
        if !pendingEnds.isEmpty { drainPendingEnds(&actions) }
    }

    private mutating func drainPendingEnds(_ actions: inout Actions) {
        var next = 0
        // By position: an end can add others behind it.
        while next < pendingEnds.count {
            let pending = pendingEnds[next]
            next += 1
            switch pending.kind {
            case .ended(let outcome): endNow(pending.node, outcome, &actions)
            case .ofEvent: if isOfEvent(pending.node) { actions.events.append(pending.node) }
            // Whether its value comes later must not matter to those who read it (L46).
            case .putOff: if phase == .running { releaseDependents(of: pending.node, .startWithoutValue) }
            // The launch may have been stopped in this input: then it is not begun.
            case .fallback:
                if phase == .running {
                    actions.fallbacks.append(code(of: pending.node))
                } else {
                    endNow(pending.node, .cancelled, &actions)
                }
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

    @inline(__always)
    func effectOnDependents(_ node: Int) -> Effect {
        switch nodes[node].outcome {
        case .succeeded, .fellBack: return .start
        case .skipped where !nodes[node].isSkippedAlone: return .skip
        // Left out on purpose: dependents that can do without its value start.
        case .skipped: return .startWithoutValue
        case .failed, .timedOut, .cancelled:
            switch graph.policy(node).onFailure {
            // When the milestone has ended, a failure concerns the operation, and those that wait for it.
            case .required: return endOfLaunchProper == nil ? .stopLaunch : .skip
            case .skipDependents: return .skip
            case .continue: return .startWithoutValue
            }
        }
    }

    mutating func releaseDependents(of node: Int, _ effect: Effect) {
        // An operation that is skipped because of a skipped one has the same cause as that one.
        let cause = nodes[node].cause >= 0 ? nodes[node].cause : Int32(node)
        for successor in successors[node] {
            let dependent = successor.index
            if effect == .skip || effect == .startWithoutValue && successor.needsValue { skip(dependent, for: node, cause, effect) }
            nodes[dependent].waiting -= 1
            guard nodes[dependent].waiting == 0, nodes[dependent].state == .waiting else { continue }
            // Not before its last dependency has ended: operations behind it rely on all of them.
            if nodes[dependent].cause >= 0 {
                end(dependent, .skipped)
            } else if nodes[dependent].isToldToCancel {
                notSucceeded(dependent, .cancelled)
            } else {
                becomeReady(dependent)
            }
        }
    }

    /// An operation will be skipped for the sake of `node`, which it waits for: alone, if it only lacks a value that is missing on purpose, or may be missing.
    private mutating func skip(_ dependent: Int, for node: Int, _ cause: Int32, _ effect: Effect) {
        let isConditional = traits[dependent].contains(.hasCondition) && nodes[node].isSkippedAlone
        let isAlone = effect == .startWithoutValue && (isConditional || graph.policy(dependent).onFailure == .continue)
        if nodes[dependent].cause < 0 {
            nodes[dependent].cause = cause
            nodes[dependent].isSkippedAlone = isAlone
        } else if !isAlone {
            // One cause that is not on purpose is enough: the skip goes on to the operations behind it.
            nodes[dependent].isSkippedAlone = false
        }
    }
}
