extension LaunchPlan {
    /// When the milestone ends; without one, when everything has ended.
    public var milestoneEnd: Duration {
        graph.milestoneIndex.map { .nanoseconds(end($0)) } ?? makespan
    }

    /// The time, until the milestone ends, in which at least one interactive operation runs: it does not count against a budget.
    public var interactive: Duration {
        let end = milestoneEnd.nanoseconds
        let intervals = (0..<graph.count).lazy
            .filter { self.graph.policy($0).isInteractive && self.starts[$0] < end }
            .map { (start: self.starts[$0], end: min(self.end($0), end)) }
            .sorted { $0.start < $1.start }
        var (total, covered): (Nanoseconds, Nanoseconds) = (0, 0)
        for interval in intervals where interval.end > covered {
            total += interval.end - max(interval.start, covered)
            covered = interval.end
        }
        return .nanoseconds(total)
    }

    /// The time that counts against a budget: until the milestone ends, without interactive time.
    public var measured: Duration { milestoneEnd - interactive }

    /// Whether the launch is expected to be within `budget`, counted from when it is started.
    public func meets(_ budget: Budget) -> Bool { measured <= budget.limit }
}
