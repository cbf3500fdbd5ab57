import Sequencer

/// Which lane each operation of a schedule runs on, and how much later it could end.
struct LaneAssignment: Sendable {
    /// From 0; -1 for operations that need no lane.
    private(set) var lanes: [Int32]
    /// How many lanes are used.
    private(set) var count = 0
    private(set) var slack: [Nanoseconds]

    /// - Parameter milestone: what counts; nil for the end of the schedule.
    init(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule, until milestone: Int?) {
        lanes = [Int32](repeating: -1, count: problem.count)
        slack = [Nanoseconds](repeating: 0, count: problem.count)
        assignLanes(problem, schedule)
        computeSlack(problem, schedule, until: milestone)
    }

    private struct End: Comparable {
        let time: Nanoseconds
        let lane: Int

        static func < (left: End, right: End) -> Bool { left.time < right.time }
    }

    /// Each operation takes the lowest lane that is free, as in a launch.
    private mutating func assignLanes(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) {
        // Without a limit: the schedule has kept it.
        var free = LaneSet(limit: nil)
        var ends = Heap<End>()
        for node in schedule.sequence.lazy.map(Int.init) where problem.places[node] == .lane {
            guard let lane = Self.take(&free, &ends, node, schedule) else { continue }
            lanes[node] = Int32(lane)
        }
        count = free.widest
    }

    /// The lowest place that is free when an operation starts; it has it until it ends.
    private static func take(_ free: inout LaneSet, _ ends: inout Heap<End>, _ node: Int, _ schedule: PlanSearch.Schedule) -> Int? {
        let start = schedule.starts[node]
        // At one moment, ends come before starts.
        while let ended = ends.first, ended.time <= start {
            free.giveBack(ended.lane)
            _ = ends.pop()
        }
        guard let lane = free.take() else { return nil }
        ends.push(End(time: schedule.ends[node], lane: lane))
        return lane
    }

    /// By counted resource: the unit that each operation has which needs the resource.
    private static func unitsByOperation(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) -> [[Int: Int]] {
        var free = problem.limits.map { LaneSet(limit: $0) }
        var ends = [Heap<End>](repeating: Heap<End>(), count: free.count)
        var units = [[Int: Int]](repeating: [:], count: free.count)
        for node in schedule.sequence.lazy.map(Int.init) {
            // A resource that one operation may hold has one unit, which needs no number.
            for resource in problem.resources[node].lazy.map(Int.init) where problem.limits[resource] != 1 {
                units[resource][node] = take(&free[resource], &ends[resource], node, schedule)
            }
        }
        return units
    }

    /// An operation starts, or, suspended until then, comes back to the main thread and ends.
    private struct Event {
        let time: Nanoseconds
        let node: Int
        let isReturn: Bool
    }

    /// The events of a schedule, in order: at one moment, ends come before starts.
    private func events(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule) -> [Event] {
        let starts = schedule.sequence.lazy.map(Int.init).map { Event(time: schedule.starts[$0], node: $0, isReturn: false) }
        // One that takes no time ends where it starts, and does not come back.
        let returns = schedule.sequence.lazy.map(Int.init).filter { problem.places[$0] == .suspended && problem.durations[$0] > 0 }
            .map { Event(time: schedule.ends[$0], node: $0, isReturn: true) }.sorted { $0.time < $1.time }
        var events: [Event] = []
        var next = 0
        for start in starts {
            while next < returns.count, returns[next].time <= start.time {
                events.append(returns[next])
                next += 1
            }
            events.append(start)
        }
        return events + returns[next...]
    }

    /// Backward from the end: an operation must end before those that wait for it can start, and before the next one in its place.
    private mutating func computeSlack(_ problem: PlanningProblem, _ schedule: PlanSearch.Schedule, until milestone: Int?) {
        // An operation that no counted one waits for may end at any time. Half of the largest number, because durations are added to it.
        let end = milestone == nil ? schedule.makespan : .max / 2
        let lastCounted = milestone.map { schedule.ends[$0] } ?? schedule.makespan
        var latestStarts = [Nanoseconds](repeating: end, count: problem.count)
        var nextOnLane = [Nanoseconds](repeating: end, count: count)
        var nextOnMain = end
        let units = Self.unitsByOperation(problem, schedule)
        var nextHolders = units.map { [Nanoseconds](repeating: end, count: ($0.values.max() ?? 0) + 1) }
        var mainThread = MainThreadUse()
        for event in events(problem, schedule).reversed() {
            let node = event.node
            let needsMain = problem.places[node] == .main || problem.places[node] == .suspended
            let isBack = problem.places[node] == .suspended && problem.durations[node] > 0
            if isBack, !event.isReturn {
                // Its end is behind it. Its start takes the main thread for no time, but not while another keeps it.
                latestStarts[node] = mainThread.latest(by: latestStarts[node])
            } else {
                var latest = node == milestone ? lastCounted : end
                for successor in problem.successors[node] { latest = min(latest, latestStarts[Int(successor)]) }
                for resource in problem.resources[node].lazy.map(Int.init) {
                    latest = min(latest, nextHolders[resource][units[resource][node] ?? 0])
                }
                if isBack {
                    latest = mainThread.latest(by: latest)
                } else if needsMain {
                    latest = min(latest, nextOnMain)
                }
                if lanes[node] >= 0 { latest = min(latest, nextOnLane[Int(lanes[node])]) }

                // One that the milestone does not need may end at any time up to the milestone.
                let isCounted = latest <= lastCounted
                slack[node] = isCounted ? latest - schedule.ends[node] : max(0, lastCounted - schedule.ends[node])
                latestStarts[node] = latest - problem.durations[node]
                if isBack {
                    nextOnMain = min(nextOnMain, latest)
                    continue
                }
            }
            let start = latestStarts[node]
            for resource in problem.resources[node].lazy.map(Int.init) { nextHolders[resource][units[resource][node] ?? 0] = start }
            if isBack {
                nextOnMain = min(nextOnMain, start)
            } else if needsMain {
                nextOnMain = start
                let end = start + problem.durations[node]
                // One that does not count has no latest end: it keeps the main thread for as long as in the schedule.
                mainThread.keep(from: schedule.starts[node], until: end <= lastCounted ? end : schedule.ends[node])
            }
            if lanes[node] >= 0 { nextOnLane[Int(lanes[node])] = start }
        }
    }
}

/// When the main thread may be kept: from when something starts there to when it ends at the latest; the last time comes first.
private struct MainThreadUse {
    private var uses: [(start: Nanoseconds, end: Nanoseconds)] = []

    /// - Parameter start: not later than those before.
    /// - Complexity: O(1), amortised.
    mutating func keep(from start: Nanoseconds, until end: Nanoseconds) {
        guard start < end else { return }
        var end = end
        // An operation that has to come before one of two that overlap has to come before both.
        while let last = uses.last, last.start < end {
            end = max(end, last.end)
            uses.removeLast()
        }
        uses.append((start, end))
    }

    /// The latest moment up to `latest` at which nothing keeps it.
    ///
    /// - Complexity: O(log n).
    func latest(by latest: Nanoseconds) -> Nanoseconds {
        // Their starts fall: the first that starts before it.
        var (low, high) = (0, uses.count)
        while low < high {
            let middle = (low + high) / 2
            if uses[middle].start < latest { high = middle } else { low = middle + 1 }
        }
        return low < uses.count && latest < uses[low].end ? uses[low].start : latest
    }
}
