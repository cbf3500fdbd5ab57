/// Which lane each operation of a schedule runs on, and how much later it could end.
struct LaneAssignment: Sendable {
    /// From 0; -1 for operations that need no lane.
    private(set) var lanes: [Int32]
    /// How many lanes are used.
    private(set) var count = 0
    private(set) var slack: [Nanoseconds]

    init(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) {
        lanes = [Int32](repeating: -1, count: problem.count)
        slack = [Nanoseconds](repeating: 0, count: problem.count)
        assignLanes(problem, schedule)
        computeSlack(problem, schedule)
    }

    private struct End: Comparable {
        let time: Nanoseconds
        let lane: Int

        static func < (left: End, right: End) -> Bool { left.time < right.time }
    }

    /// Each operation takes the lowest lane that is free, as in a launch.
    private mutating func assignLanes(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) {
        var free = LaneSet(limit: nil)
        var ends = Heap<End>()
        for node in schedule.sequence.lazy.map(Int.init) where problem.places[node] == .lane {
            let start = schedule.starts[node]
            while let ended = ends.first, ended.time <= start {
                free.giveBack(ended.lane)
                _ = ends.pop()
            }
            guard let lane = free.take() else { continue }
            lanes[node] = Int32(lane)
            ends.push(End(time: start.addingSaturated(problem.durations[node]), lane: lane))
        }
        count = free.widest
    }

    /// Backward from the end: an operation must end before what waits for it can start, and before what comes next where it runs.
    private mutating func computeSlack(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) {
        var latestStarts = [Nanoseconds](repeating: schedule.makespan, count: problem.count)
        var nextOnLane = [Nanoseconds](repeating: schedule.makespan, count: count)
        var nextOnMain = schedule.makespan
        var nextHolders = [Nanoseconds](repeating: schedule.makespan, count: problem.resourceNames.count)
        for node in schedule.sequence.lazy.reversed().map(Int.init) {
            var latest = schedule.makespan
            for successor in problem.successors[node] { latest = min(latest, latestStarts[Int(successor)]) }
            for resource in problem.resources[node] { latest = min(latest, nextHolders[Int(resource)]) }
            if problem.places[node] == .main { latest = min(latest, nextOnMain) }
            if lanes[node] >= 0 { latest = min(latest, nextOnLane[Int(lanes[node])]) }

            slack[node] = latest - schedule.starts[node].addingSaturated(problem.durations[node])
            let start = latest - problem.durations[node]
            latestStarts[node] = start
            for resource in problem.resources[node] { nextHolders[Int(resource)] = start }
            if problem.places[node] == .main { nextOnMain = start }
            if lanes[node] >= 0 { nextOnLane[Int(lanes[node])] = start }
        }
    }
}
