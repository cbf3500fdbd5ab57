/// What no schedule can be shorter than, for several reasons.
struct LowerBound {
    /// The longest path.
    private(set) var path: Nanoseconds = 0
    /// The work of all lanes, shared by them.
    private(set) var lanes: Nanoseconds = 0
    /// The work of the main thread.
    private(set) var main: Nanoseconds = 0
    /// The work of each exclusive resource's holders, by the resource's number.
    private(set) var resources: [Nanoseconds]

    /// The largest of them.
    var value: Nanoseconds { max(path, lanes, main, resources.max() ?? 0) }

    /// - Parameter lanes: nil when there are as many as it takes.
    init(_ problem: PlanningProblem, lanes: Int?) {
        path = problem.path.length
        resources = [Nanoseconds](repeating: 0, count: problem.resourceNames.count)
        var work: Nanoseconds = 0
        for node in 0..<problem.count {
            let duration = problem.durations[node]
            if problem.places[node] == .main { main = main.addingSaturated(duration) } else { work = work.addingSaturated(duration) }
            for resource in problem.resources[node] {
                resources[Int(resource)] = resources[Int(resource)].addingSaturated(duration)
            }
        }
        if let lanes { self.lanes = work.dividedRoundingUp(by: Int64(lanes)) }
    }
}

extension PlanningProblem {
    /// The best lower bound there is.
    ///
    /// In a shortest schedule that starts everything as early as it can, all times are sums of durations, so multiples of what divides them all.
    func provenBound(lanes: Int?) -> Nanoseconds {
        let bound = max(LowerBound(self, lanes: lanes).value, lanes.flatMap { HeadsAndTails.bound(self, lanes: $0) } ?? 0)
        let unit = durations.reduce(0, greatestCommonDivisor)
        guard unit > 1 else { return bound }
        let (multiple, overflow) = bound.dividedRoundingUp(by: unit).multipliedReportingOverflow(by: unit)
        return overflow ? bound : multiple
    }

    /// Euclid's algorithm.
    private func greatestCommonDivisor(_ first: Nanoseconds, _ second: Nanoseconds) -> Nanoseconds {
        var (first, second) = (first, second)
        while second != 0 { (first, second) = (second, first % second) }
        return first
    }
}

extension Int64 {
    /// The smallest number that, multiplied by `divisor`, which is positive, is at least this one, which is not negative.
    func dividedRoundingUp(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest > 0 ? quotient + 1 : quotient
    }
}
