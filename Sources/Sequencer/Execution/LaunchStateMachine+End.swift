/// The end of a launch: its operations have ended, and a failed launch shows its failure.
extension LaunchStateMachine {
    /// Every operation has ended: ends the launch as soon as its takeover and its screens have gone.
    mutating func endIfQuiet(_ actions: inout Actions) {
        if isTakeoverRunning, graceEnd == nil, phase == .running {
            // That of a launch that has lost its milestone, and was not stopped. It may wait for a person.
            graceEnd = time.addingSaturated(settings.grace)
            needsWake = true
        }
        guard !isTakeoverRunning, screensUp == 0 else { return }
        phase = .over
        endOfLaunch = time
        record(.launchEnded, at: time)
        actions.isOver = true
    }

    /// The launch is stopped: shows that, if it has failed.
    mutating func showFailure(of stop: Stop, _ actions: inout Actions) {
        // After the milestone the person has the screen that they waited for, and a failure concerns those who read the report.
        guard settings.hasFailureTakeover, endOfLaunchProper == nil else { return }
        switch stop {
        case .failed, .deadline: showFailure(&actions)
        case .aborted, .cancelled: break
        }
    }

    /// The launch has failed, and will not be anything else.
    mutating func showFailure(_ actions: inout Actions) {
        // A launch that has lost its milestone can fail after that as well: one failure is shown.
        guard !isFailureShown else { return }
        isFailureShown = true
        takeoversRunning += 1
        takeoverEnd = time.addingSaturated(min(settings.takeoverLimit, restOfDeadline(at: time) ?? .max))
        actions.showsFailure = true
        if !screens.isEmpty { tellScreens(&actions) }
    }

    /// The graph leaves the screen to the app, whose takeover has the grace period from now on.
    mutating func graphGivesWay(at time: Nanoseconds) {
        advance(to: time)
        takeoverEnd = nil
        guard isTakeoverRunning, graceEnd != nil else { return }
        graceEnd = self.time.addingSaturated(settings.grace)
        needsWake = true
    }
}

/// Whether the milestone was skipped because another operation did not succeed, so that the launch missed its goal. A milestone whose own
/// condition was false, or that reads a value which is missing on purpose, was not wanted.
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
