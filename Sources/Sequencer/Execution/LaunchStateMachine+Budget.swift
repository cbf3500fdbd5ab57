/// Keeping the budget: operations with a fallback are cut at their latest end, deferrable ones that no longer fit run after the milestone.
extension LaunchStateMachine {
    /// An operation that is cut at a time, unless it has ended by then.
    struct Cut: Comparable {
        /// In time that counts.
        let time: Nanoseconds
        let node: Int32

        static func < (left: Cut, right: Cut) -> Bool { (left.time, left.node) < (right.time, right.node) }
    }

    /// The time that counts: without what persons have taken.
    private var countedTime: Nanoseconds { time - interactive.total(at: time) }

    /// When the next cut is due; nil while a person is being waited for, since no time counts then.
    var cutTime: Nanoseconds? {
        mutating get {
            guard phase == .running else { return nil }
            while let cut = cuts.first, !isCuttable(Int(cut.node)) { _ = cuts.pop() }
            guard !interactive.isRunning, let cut = cuts.first else { return nil }
            return cut.time.addingSaturated(interactive.total(at: time))
        }
    }

    /// When an operation that runs is to be cut, as far as that can be told now.
    func cutTime(of node: Int) -> Nanoseconds? {
        guard traits[node].contains(.hasFallback), isCuttable(node), let time = latestEnds?.cut(node) else { return nil }
        return interactive.isRunning ? nil : time.addingSaturated(interactive.total(at: self.time))
    }

    private func isCuttable(_ node: Int) -> Bool {
        nodes[node].state != .ended && !nodes[node].isComputingFallback
    }

    /// Plans the cut of an operation that has become ready, or makes it at once.
    ///
    /// - Returns: whether it was made.
    mutating func planCut(of node: Int) -> Bool {
        guard traits[node].contains(.hasFallback), !traits[node].contains(.isInteractive), let time = latestEnds?.cut(node) else {
            return false
        }
        if time <= countedTime {
            nodes[node].isCut = true
            notSucceeded(node, .timedOut)
            return true
        }
        cuts.push(Cut(time: time, node: Int32(node)))
        return false
    }

    /// Cuts the operation whose cut is due.
    mutating func cutNext(_ actions: inout Actions) {
        guard let node = cuts.pop().map({ Int($0.node) }) else { return }
        nodes[node].isCut = true
        if nodes[node].state == .running {
            tellToCancel(node, &actions)
            replaceWorker(of: node)
        }
        notSucceeded(node, .timedOut)
        drainEnds(&actions)
    }

    // MARK: Deferring

    /// Puts an operation off until the milestone has ended, if it may be and no longer fits.
    mutating func deferIfLate(_ node: Int) -> Bool {
        guard traits[node].contains(.isDeferrable), milestone >= 0, nodes[milestone].state != .ended,
            let latestEnds, !latestEnds.fits(node, beginningAt: countedTime)
        else { return false }
        nodes[node].isDeferred = true
        nodes[node].state = .deferred
        deferred.append(node)
        return true
    }

    /// The milestone has ended: what was put off begins.
    mutating func startDeferred() {
        let nodes = deferred
        deferred = []
        for node in nodes where self.nodes[node].state == .deferred { enqueue(node) }
    }
}
