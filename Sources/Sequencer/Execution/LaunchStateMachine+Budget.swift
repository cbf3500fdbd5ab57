/// Keeping the budget: operations that say so are cut at their latest end, deferrable ones that no longer fit run after
/// the milestone.
///
/// Nothing is cut if no cut can save the budget, by expected durations: then an operation that the milestone waits for,
/// and that cannot be cut, ends too late.
///
/// A decision counts from the moment at which it was due, for a timer always comes a little late. The lost time is
/// weighed against the gain of the cut: a launch that is a little late is still cut, and is then as late as that.
extension LaunchStateMachine {
    /// The latest ends and the planned cuts of a launch that keeps its budget.
    struct BudgetKeeper {
        let latestEnds: LatestEnds
        // Keys are in time that counts.
        /// Operations to be cut.
        var cuts = Heap<KeyedNode>()
        /// When each of them will be cut.
        var cutTimes: [Int: Nanoseconds] = [:]
        /// Operations that could start, each with the last time at which its start saves the budget.
        var starts = Heap<KeyedNode>()
        /// Operations that run, or are past their cut, each with the last time at which its end saves the budget.
        var ends = Heap<KeyedNode>()
        /// Operations that are expected to end too late, each with by how much, as a negative time.
        var overruns = Heap<KeyedNode>()
        /// Operations that wait for a resource that another one holds.
        var parked: [Int] = []

        /// How many of those that wait for resources are looked at: more would cost more than they save.
        static let maximumParked = 64

        mutating func planCut(of node: Int, at time: Nanoseconds) {
            cuts.push(KeyedNode(key: time, node: node))
            cutTimes[node] = time
        }
    }

    /// The time that counts: without what users have taken. While a timer takes effect it is the time at which that
    /// was due.
    private var countedTime: Nanoseconds { (dueTime ?? time) - interactive.total(at: time) }

    /// When the next cut is due; nil while the user is being waited for, since no time counts then.
    var cutTime: Nanoseconds? {
        mutating get {
            guard phase == .running, keeper != nil else { return nil }
            // Dropped only here: a heap would have to be searched for an operation that ends.
            while let cut = keeper?.cuts.first, !isGoingOn(cut.node) { _ = keeper?.cuts.pop() }
            guard !interactive.isRunning, let cut = keeper?.cuts.first else { return nil }
            return cut.key.addingSaturated(interactive.total(at: time))
        }
    }

    /// When a running operation will be cut, as far as that can be told now.
    func cutTime(of node: Int) -> Nanoseconds? {
        guard let time = keeper?.cutTimes[node], isGoingOn(node), !interactive.isRunning else { return nil }
        return time.addingSaturated(interactive.total(at: self.time))
    }

    /// Whether there is still something to cut.
    private func isGoingOn(_ node: Int) -> Bool { nodes[node].state != .ended && nodes[node].state != .computing }

    /// Plans the cut of an operation that has become ready.
    ///
    /// - Returns: whether its time has passed: ``cutOrGoOn(_:)`` decides then.
    mutating func planCut(of node: Int) -> Bool {
        guard let latestEnds = keeper?.latestEnds, let last = latestEnds.last(node) else { return false }
        let now = countedTime
        guard traits[node].contains(.isCuttable) else {
            keeper?.starts.push(KeyedNode(key: last.addingSaturated(-latestEnds.expected(node)), node: node))
            return false
        }
        guard let time = latestEnds.cut(node, readyAt: now) else { return false }
        if time > now {
            keeper?.planCut(of: node, at: time)
            needsWake = true
            return false
        }
        // Before others that become ready with it are decided on.
        keeper?.ends.push(KeyedNode(key: last, node: node))
        return true
    }

    /// Cuts an operation that is ready too late, if that can save the budget.
    mutating func cutOrGoOn(_ node: Int) {
        // The launch may have been stopped since.
        guard nodes[node].state == .waiting else { return }
        if isLost(for: node, at: countedTime) {
            if let last = keeper?.latestEnds.last(node) { goOnUncut(node, last) }
            return goOn(node)
        }
        nodes[node].isCut = true
        notSucceeded(node, .timedOut)
    }

    /// A cut would save nothing now: the operation has less to do than the launch is late. If it takes longer than
    /// expected, it is decided on once more.
    private mutating func goOnUncut(_ node: Int, _ last: Nanoseconds) {
        keeper?.ends.push(KeyedNode(key: last, node: node))
        let rest = restOfExpected(node)
        // Not at once again, where next to nothing is expected of it.
        let again = countedTime.addingSaturated(max(rest, 1_000_000))
        if rest > 0 { keeper?.planCut(of: node, at: again) }
        needsWake = true
    }

    /// The rest of an operation's expected time; 0 or less if it takes longer, or has no expected duration.
    private func restOfExpected(_ node: Int) -> Nanoseconds {
        (keeper?.latestEnds.expected(node) ?? 0) - (nodes[node].start < 0 ? 0 : time - nodes[node].start)
    }

    /// Cuts the operation whose cut is due, if that can save the budget.
    mutating func cutNext() {
        guard let cut = keeper?.cuts.pop(), let latestEnds = keeper?.latestEnds, let last = latestEnds.last(cut.node) else { return }
        let node = cut.node
        keeper?.cutTimes[node] = nil
        if isLost(for: node, at: countedTime) {
            if case let lastCut = latestEnds.lastCut(node) ?? last, cut.key < lastCut, lastCut > countedTime {
                // The operation that makes the launch late may end sooner than expected: then this cut may save the
                // budget.
                keeper?.planCut(of: node, at: lastCut)
            } else {
                goOnUncut(node, last)
            }
            return
        }
        nodes[node].isCut = true
        giveUpCode(of: node)
        notSucceeded(node, .timedOut)
        drainEnds()
    }

    // MARK: Whether the budget is lost

    /// Notes an operation that starts, now or later, and whose end is expected to be too late.
    mutating func watchEnd(of node: Int, startingAt start: Nanoseconds) {
        // A cuttable operation does not make the launch late.
        guard let latestEnds = keeper?.latestEnds, let last = latestEnds.last(node), !traits[node].contains(.isCuttable) else { return }
        if nodes[node].attempts <= 1 { keeper?.ends.push(KeyedNode(key: last, node: node)) }
        let end = (start - interactive.total(at: time)).addingSaturated(latestEnds.expected(node))
        if end > last { keeper?.overruns.push(KeyedNode(key: last - end, node: node)) }
    }

    /// An operation waits for a resource that another one holds.
    mutating func watchParked(_ node: Int) {
        guard let keeper, keeper.latestEnds.last(node) != nil, !traits[node].contains(.isCuttable) else { return }
        if keeper.parked.count == BudgetKeeper.maximumParked { forgetUnparked() }
        if keeper.parked.count < BudgetKeeper.maximumParked, !keeper.parked.contains(node) { self.keeper?.parked.append(node) }
    }

    private mutating func forgetUnparked() {
        let nodes = nodes
        keeper?.parked.removeAll { nodes[$0].state != .parked }
    }

    /// Whether the milestone is expected to end so late, even if everything that can be is cut at `time`, that the cut
    /// of an operation does not make up for it: by more than the operation's own rest, or by more than a tenth of the
    /// budget.
    private mutating func isLost(for node: Int, at time: Nanoseconds) -> Bool {
        guard let latestEnds = keeper?.latestEnds, let last = latestEnds.last(node) else { return true }
        let rest = restOfExpected(node)
        let saved = min(rest > 0 ? rest : .max, latestEnds.limit / 10)
        return max(time - last, overrun(at: time)) > max(saved, 0)
    }

    /// By how much the milestone is expected to be late, because of operations that cannot be cut; 0 or less where it
    /// is not.
    private mutating func overrun(at time: Nanoseconds) -> Nanoseconds {
        while let first = keeper?.starts.first, !isToStart(first.node) { _ = keeper?.starts.pop() }
        while let first = keeper?.ends.first, !isToEnd(first.node) { _ = keeper?.ends.pop() }
        while let first = keeper?.overruns.first, !isToEnd(first.node) { _ = keeper?.overruns.pop() }
        let late = max(time - (keeper?.starts.first?.key ?? time), time - (keeper?.ends.first?.key ?? time))
        return max(late, -(keeper?.overruns.first?.key ?? 0), overrunAtResources(at: time))
    }

    private func isToStart(_ node: Int) -> Bool { nodes[node].attempts == 0 && isToEnd(node) }

    private func isToEnd(_ node: Int) -> Bool { nodes[node].state != .ended && nodes[node].state != .deferred }

    /// The same because of operations that need a resource one after the other.
    private mutating func overrunAtResources(at time: Nanoseconds) -> Nanoseconds {
        if keeper?.parked.isEmpty ?? true { return 0 }
        forgetUnparked()
        guard let latestEnds = keeper?.latestEnds, let parked = keeper?.parked else { return 0 }
        var lines: [ExclusiveResource: (end: Nanoseconds, last: Nanoseconds)] = [:]
        for node in parked {
            guard let (resource, holder) = resources.obstacle(of: node), let last = latestEnds.last(node) else { continue }
            let rest = max(latestEnds.expected(holder) - (self.time - nodes[holder].start), 0)
            let line = lines[resource] ?? (end: time.addingSaturated(rest), last: last)
            // Which of them comes last is not known: the one that may end latest.
            lines[resource] = (line.end.addingSaturated(latestEnds.expected(node)), max(line.last, last))
        }
        return lines.values.reduce(0) { max($0, $1.end - $1.last) }
    }

    // MARK: Deferring

    /// Puts an operation off until the milestone has ended, if it may be and no longer fits.
    mutating func deferIfLate(_ node: Int) -> Bool {
        // Without a milestone, or after it, there is nothing that it could be put off for.
        guard traits[node].contains(.isDeferrable), let milestone = graph.milestoneIndex, nodes[milestone].state != .ended,
            let latestEnds = keeper?.latestEnds, !latestEnds.fits(node, beginningAt: countedTime)
        else { return false }
        nodes[node].isDeferred = true
        nodes[node].state = .deferred
        return true
    }
}

/// By when each operation must end so that the milestone ends within the budget, by expected durations.
///
/// The backward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling",
/// 1959), begun at the budget's limit. An interactive operation counts as nothing, as it does against the budget. So
/// does a deferrable one, since it takes no time from the operations before it. An operation without an expectation
/// counts with ``allowance``.
///
/// There are two latest ends. The first leaves enough time for all operations after this one. The last leaves enough
/// only for those that cannot be cut: after it, no other cut saves the budget.
///
/// Times are those that count: since the launch began, without interactive time.
struct LatestEnds: Sendable {
    /// The longest way from an operation's end to that of the milestone; -1 for one that the milestone does not wait
    /// for.
    private let rest: [Nanoseconds]
    /// The same, of operations that cannot be cut.
    private let leastRest: [Nanoseconds]
    private let expected: [Nanoseconds]
    /// By when the milestone (without one: every operation) must end.
    let limit: Nanoseconds
    /// The time that is kept for an operation without an expectation: no operation takes no time at all, and no timer
    /// comes on time. Where there are so many in a row that they would have more than a tenth of the budget, it is
    /// less.
    let allowance: Nanoseconds

    private static let maximumAllowance: Nanoseconds = 20_000_000

    /// - Complexity: O(operations + dependencies).
    init(_ graph: ValidatedGraph, limit: Nanoseconds) {
        let policies = graph.nodes.map { $0.policy?.value }
        let isOfPerson = policies.map { $0?.isExpectedOfPerson == true }
        let expected = policies.indices.map { isOfPerson[$0] ? 0 : policies[$0]?.expected?.nanoseconds ?? 0 }
        let isUnknown = policies.indices.map { node in
            policies[node]?.expected == nil && !isOfPerson[node] && !graph.isJoin(node) && !graph.isEvent(node)
        }
        func canBeCut(_ node: Int) -> Bool { policies[node]?.canBeCut == true }
        func isDeferrable(_ node: Int) -> Bool { policies[node]?.isDeferrable == true }

        let unknown = Self.ends(graph, isUnknown.indices.map { isUnknown[$0] && !isDeferrable($0) ? 1 : 0 })
        let inARow = graph.milestoneIndex.map { unknown[$0] } ?? unknown.max() ?? 0
        let allowance = min(Self.maximumAllowance, max(limit, 0) / 10 / max(inARow, 1))
        let needed = expected.indices.map { node in
            let own = isUnknown[node] ? allowance : expected[node]
            return isDeferrable(node) ? 0 : own.addingSaturated(policies[node]?.delay?.nanoseconds ?? 0)
        }

        let earliest = Self.ends(graph.withFirstRacers { needed[$0] }, needed)
        let milestone = graph.milestoneIndex
        var (rest, leastRest) = (
            Array(repeating: Nanoseconds(-1), count: graph.count), Array(repeating: Nanoseconds(-1), count: graph.count)
        )
        for node in graph.order.reversed() {
            if milestone == nil || milestone == node { (rest[node], leastRest[node]) = (0, 0) }
            if milestone == node { continue }
            for next in graph.successors[node].lazy.map(\.index) where rest[next] >= 0 {
                let isCuttable = canBeCut(next)
                // An operation that is not expected to fit will be cut: no time is kept for it.
                let isHopeless = isCuttable && earliest[next].addingSaturated(rest[next]) > limit
                rest[node] = max(rest[node], rest[next].addingSaturated(isHopeless ? 0 : needed[next]))
                leastRest[node] = max(leastRest[node], leastRest[next].addingSaturated(isCuttable ? 0 : needed[next]))
            }
        }
        (self.rest, self.leastRest, self.expected) = (rest, leastRest, expected)
        (self.limit, self.allowance) = (limit, allowance)
    }

    /// When each operation ends at the earliest.
    private static func ends(_ graph: ValidatedGraph, _ durations: [Nanoseconds]) -> [Nanoseconds] {
        var ends = durations
        for node in graph.order {
            for next in graph.successors[node].lazy.map(\.index) {
                ends[next] = max(ends[next], ends[node].addingSaturated(durations[next]))
            }
        }
        return ends
    }

    /// The time that is expected of an operation; 0 where nothing is.
    func expected(_ node: Int) -> Nanoseconds { expected[node] }

    /// The last moment at which an end saves the budget; nil for an operation that the milestone does not wait for.
    func last(_ node: Int) -> Nanoseconds? { leastRest[node] < 0 ? nil : limit.addingSaturated(-leastRest[node]) }

    /// The last moment at which a cut saves the budget: its timer is late, so a moment is kept also where nothing comes
    /// after it.
    func lastCut(_ node: Int) -> Nanoseconds? { last(node).map { min($0, limit - allowance) } }

    /// When a cuttable operation that becomes ready at `time` will be cut; nil if the milestone does not wait for it.
    ///
    /// If it is ready early enough, it is cut when the operations after it need the rest of the budget. If it is late,
    /// it gets its expected time, as far as operations that cannot be cut leave it.
    func cut(_ node: Int, readyAt time: Nanoseconds) -> Nanoseconds? {
        guard let last = lastCut(node) else { return nil }
        let first = max(limit.addingSaturated(-rest[node]), time.addingSaturated(expected[node]))
        // A late operation without an expectation would be cut at once: it gets all the time that the others leave.
        return first > time ? min(first, last) : last
    }

    /// Whether an operation that begins at `time` is expected to end early enough: for itself, and for a milestone that
    /// does not wait for it.
    func fits(_ node: Int, beginningAt time: Nanoseconds) -> Bool {
        time.addingSaturated(expected[node]) <= limit.addingSaturated(-max(rest[node], 0))
    }
}
