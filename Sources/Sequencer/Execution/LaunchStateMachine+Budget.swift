/// Keeping the budget: operations that say so are cut at their latest end, deferrable ones that no longer fit run after the milestone.
///
/// Nothing is cut if no cut can save the budget, by expected durations: then an unfinished operation that the milestone waits for leaves
/// too little time for the operations that cannot be cut.
extension LaunchStateMachine {
    /// Something about an operation that has not ended by a time.
    struct Due: Comparable {
        /// In time that counts.
        let time: Nanoseconds
        let node: Int32

        static func < (left: Due, right: Due) -> Bool { (left.time, left.node) < (right.time, right.node) }
    }

    /// The latest ends and the planned cuts of a launch that keeps its budget.
    struct BudgetKeeper {
        let latestEnds: LatestEnds
        /// Operations to be cut.
        var cuts = Heap<Due>()
        /// When each of them is to be cut.
        var cutTimes: [Int32: Nanoseconds] = [:]
        /// Operations that run, or could, each with the time after which the budget is lost unless it has ended.
        var watched = Heap<Due>()

        init(_ latestEnds: LatestEnds) {
            self.latestEnds = latestEnds
        }

        mutating func planCut(of node: Int, at time: Nanoseconds) {
            cuts.push(Due(time: time, node: Int32(node)))
            cutTimes[Int32(node)] = time
        }
    }

    /// The time that counts: without what persons have taken.
    private var countedTime: Nanoseconds { time - interactive.total(at: time) }

    /// When the next cut is due; nil while a person is being waited for, since no time counts then.
    var cutTime: Nanoseconds? {
        mutating get {
            guard phase == .running, keeper != nil else { return nil }
            // Dropped only here: a heap would have to be searched for an operation that ends.
            while let cut = keeper?.cuts.first, !isGoingOn(Int(cut.node)) { _ = keeper?.cuts.pop() }
            guard !interactive.isRunning, let cut = keeper?.cuts.first else { return nil }
            return cut.time.addingSaturated(interactive.total(at: time))
        }
    }

    /// When an operation that runs is to be cut, as far as that can be told now.
    func cutTime(of node: Int) -> Nanoseconds? {
        guard let time = keeper?.cutTimes[Int32(node)], isGoingOn(node), !interactive.isRunning else { return nil }
        return time.addingSaturated(interactive.total(at: self.time))
    }

    /// Whether there is still something to cut.
    private func isGoingOn(_ node: Int) -> Bool {
        nodes[node].state != .ended && !nodes[node].isComputingFallback
    }

    /// Plans the cut of an operation that has become ready, or makes it at once.
    ///
    /// - Returns: whether it was made.
    mutating func planCut(of node: Int) -> Bool {
        guard let latestEnds = keeper?.latestEnds, let last = latestEnds.last(node) else { return false }
        let now = countedTime
        guard traits[node].contains(.isCuttable) else {
            let isTooLate = latestEnds.isTooLate(node, readyAt: now)
            // `.min`: the budget is lost already, so `isLost(at:)` has to say so at any time.
            keeper?.watched.push(Due(time: isTooLate ? .min : last, node: Int32(node)))
            return false
        }
        guard let time = latestEnds.cut(node, readyAt: now) else { return false }
        if time > now {
            keeper?.planCut(of: node, at: time)
            needsWake = true
            return false
        }
        // Its last end is past, or the budget is lost: a cut would cost its work and save nothing.
        guard time == now, !isLost(at: now) else {
            keeper?.watched.push(Due(time: last, node: Int32(node)))
            return false
        }
        nodes[node].isCut = true
        notSucceeded(node, .timedOut)
        return true
    }

    /// Whether the milestone is expected to end too late, even if everything that can be is cut at `time`.
    private mutating func isLost(at time: Nanoseconds) -> Bool {
        while let first = keeper?.watched.first, first.time < time {
            let node = Int(first.node)
            if nodes[node].state != .ended, nodes[node].state != .deferred { return true }
            _ = keeper?.watched.pop()
        }
        return false
    }

    /// Cuts the operation whose cut is due, if that can save the budget.
    mutating func cutNext(_ actions: inout Actions) {
        guard let cut = keeper?.cuts.pop(), let latestEnds = keeper?.latestEnds, let last = latestEnds.last(Int(cut.node)) else { return }
        let node = Int(cut.node)
        keeper?.cutTimes[cut.node] = nil
        // A timer is always a little late; a process that stood still can have lost the budget meanwhile.
        if countedTime > latestEnds.limit || isLost(at: cut.time) {
            if cut.time < last, last > countedTime {
                // The operation that makes the launch late may end sooner than expected: then this cut may save the budget.
                keeper?.planCut(of: node, at: last)
            } else {
                keeper?.watched.push(Due(time: last, node: cut.node))
            }
            return
        }
        nodes[node].isCut = true
        giveUpCode(of: node, &actions)
        notSucceeded(node, .timedOut)
        drainEnds(&actions)
    }

    // MARK: Deferring

    /// Puts an operation off until the milestone has ended, if it may be and no longer fits.
    mutating func deferIfLate(_ node: Int) -> Bool {
        // Without a milestone, or after it, there is nothing that it could be put off for.
        guard traits[node].contains(.isDeferrable), milestone >= 0, nodes[milestone].state != .ended,
            let latestEnds = keeper?.latestEnds, !latestEnds.fits(node, beginningAt: countedTime)
        else { return false }
        nodes[node].isDeferred = true
        nodes[node].state = .deferred
        deferred.append(node)
        return true
    }

    /// Makes the operations that were put off ready, once the milestone has ended.
    mutating func startDeferred() {
        let nodes = deferred
        deferred = []
        for node in nodes where self.nodes[node].state == .deferred { enqueue(node) }
    }
}

/// By when each operation must end so that the milestone ends within the budget, by expected durations.
///
/// The backward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959), begun at the
/// budget's limit. An interactive operation counts as nothing, as it does against the budget. So does one that can be put off, since it
/// takes no time from the operations before it.
///
/// There are two latest ends. The first leaves enough time for all operations after this one. The last leaves enough only for those that
/// cannot be cut: after it, no other cut saves the budget.
///
/// Times are those that count: since the launch began, without interactive time.
struct LatestEnds: Sendable {
    /// The longest way from an operation's end to that of the milestone; -1 for one that the milestone does not wait for.
    private let rest: [Nanoseconds]
    /// The same, of operations that cannot be cut.
    private let leastRest: [Nanoseconds]
    private let expected: [Nanoseconds]
    /// By when the milestone (without one: every operation) must end.
    let limit: Nanoseconds

    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph, limit: Nanoseconds) {
        let policies = graph.nodes.map { $0.policy?.value }
        let expected = policies.map { $0.map { $0.isExpectedOfPerson ? 0 : $0.expected?.nanoseconds ?? 0 } ?? 0 }
        func canBeCut(_ node: Int) -> Bool { policies[node]?.canBeCut == true }
        let needed = expected.indices.map { policies[$0]?.isDeferrable == true ? 0 : expected[$0] }

        var earliest = [Nanoseconds](repeating: 0, count: graph.count)
        for node in graph.order.lazy.map(Int.init) {
            let end = earliest[node].addingSaturated(needed[node])
            for successor in graph.successors[node] { earliest[successor.index] = max(earliest[successor.index], end) }
        }
        let milestone = graph.milestoneIndex
        var (rest, leastRest) = (
            Array(repeating: Nanoseconds(-1), count: graph.count), Array(repeating: Nanoseconds(-1), count: graph.count)
        )
        for node in graph.order.lazy.reversed().map(Int.init) {
            if milestone == nil || milestone == node { (rest[node], leastRest[node]) = (0, 0) }
            if milestone == node { continue }
            for next in graph.successors[node].lazy.map(\.index) where rest[next] >= 0 {
                let (isCuttable, end) = (canBeCut(next), earliest[next].addingSaturated(needed[next]))
                // One that is not expected to fit will be cut: no time is kept for it.
                let isHopeless = isCuttable && end.addingSaturated(rest[next]) > limit
                rest[node] = max(rest[node], rest[next].addingSaturated(isHopeless ? 0 : needed[next]))
                leastRest[node] = max(leastRest[node], leastRest[next].addingSaturated(isCuttable ? 0 : needed[next]))
            }
        }
        self.rest = rest
        self.leastRest = leastRest
        self.expected = expected
        self.limit = limit
    }

    /// The last moment at which an end saves the budget; nil for an operation that the milestone does not wait for.
    func last(_ node: Int) -> Nanoseconds? {
        leastRest[node] < 0 ? nil : limit.addingSaturated(-leastRest[node])
    }

    /// When an operation that can be cut and becomes ready at `time` is to be cut; nil for one that the milestone does not wait for.
    ///
    /// If it is ready early enough, it is cut when the operations after it need the rest of the budget. If it is late, it gets its expected
    /// time, as far as operations that cannot be cut leave it.
    func cut(_ node: Int, readyAt time: Nanoseconds) -> Nanoseconds? {
        guard let last = last(node) else { return nil }
        let first = max(limit.addingSaturated(-rest[node]), time.addingSaturated(expected[node]))
        // One that is late and has no expectation would be cut at once: it gets all the time that the others leave.
        return first > time ? min(first, last) : last
    }

    /// Whether an operation that becomes ready at `time` is expected to end so late that the budget is lost, though all that can be cut were cut.
    func isTooLate(_ node: Int, readyAt time: Nanoseconds) -> Bool {
        last(node).map { time.addingSaturated(expected[node]) > $0 } ?? false
    }

    /// Whether an operation that begins at `time` is expected to end early enough: for itself, and for a milestone that does not wait for it.
    func fits(_ node: Int, beginningAt time: Nanoseconds) -> Bool {
        time.addingSaturated(expected[node]) <= limit.addingSaturated(-max(rest[node], 0))
    }
}
