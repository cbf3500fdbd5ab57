/// The reason why each operation of a launch waited, and so the reason for the end of the launch: its critical path.
///
/// An operation waits for its dependencies. Then it needs a lane or the main thread, and its exclusive resources.
/// Others keep these until their end, but for the main thread where they are suspended there. The last one to give back
/// something that the operation needed held it up, if that was after the operation was ready. Without such an
/// operation, it waited for the machine.
package struct HoldUps: Sendable {
    /// The times and the needs of an operation.
    struct Use: Sendable {
        let ready: Nanoseconds?
        let start: Nanoseconds?
        /// Negative for an operation that has not ended.
        let end: Nanoseconds
        let lane: Int?
        let isMain: Bool
        /// Leaves the main thread to others while it lasts.
        let suspends: Bool
        let exclusive: [ExclusiveResource]
        /// As are the others of several operations of which the first has succeeded, at that moment.
        let isCancelled: Bool

        /// When it began; one that never started took no time.
        fileprivate var begin: Nanoseconds { start ?? end }
    }

    /// The operations that gave back each lane, the main thread and each resource last, up to some moment.
    private struct LastUsers {
        var main: Int32 = -1
        var lanes: [Int32] = []
        var anyLane: Int32 = -1
        var resources: [ExclusiveResource: Int] = [:]

        mutating func add(_ node: Int, _ use: Use) {
            for resource in use.exclusive { resources[resource] = node }
            if use.isMain {
                if !use.suspends { main = Int32(node) }
            } else if let lane = use.lane {
                while lanes.count <= lane { lanes.append(-1) }
                lanes[lane] = Int32(node)
                anyLane = lanes[lane]
            }
        }
    }

    private let uses: [Use]
    private let dependencies: AdjacencyList
    /// The operations by their starts, dependencies first.
    private let order: [Int]
    /// By operation, the one that had its lane or the main thread before it; -1 for none.
    private var previous: [Int32]
    /// By operation, those that had its resources before it; only of those that need resources.
    private var previousHolders: [Int: [Int]] = [:]

    /// A wait that is shorter may be the machine's.
    private static let leastWait: Nanoseconds = 1_000_000

    /// - Parameter order: all operations, each after its dependencies.
    /// - Complexity: O(operations · log operations); linear where they began and ended in that order.
    init(_ uses: [Use], order: [Int], dependencies: AdjacencyList) {
        self.uses = uses
        self.dependencies = dependencies
        // Stable: of operations that took no time at one moment, dependencies stay first.
        self.order = order.inOrder { (uses[$0].begin, uses[$0].end) < (uses[$1].begin, uses[$1].end) }
        previous = [Int32](repeating: -1, count: uses.count)
        // Operations that took no time kept nothing. A launch has no more lanes than operations; a file may say
        // otherwise. Most end in the order in which they began, which makes sorting them linear.
        let keepers = self.order.filter { uses[$0].begin < uses[$0].end && uses[$0].lane ?? 0 <= uses.count }
            .inOrder { (uses[$0].end, $0) < (uses[$1].end, $1) }
        var (last, next) = (LastUsers(), 0)
        for node in self.order {
            while next < keepers.count, uses[keepers[next]].end <= uses[node].begin {
                last.add(keepers[next], uses[keepers[next]])
                next += 1
            }
            if uses[node].isMain {
                previous[node] = last.main
            } else if uses[node].start == nil {
                // Nobody knows its lane. It was asked for its condition, or ended, as soon as another operation had
                // given one back.
                if last.anyLane >= 0, uses[node].end - uses[Int(last.anyLane)].end < Self.leastWait { previous[node] = last.anyLane }
            } else if let lane = uses[node].lane, lane < last.lanes.count {
                previous[node] = last.lanes[lane]
            }
            if !uses[node].exclusive.isEmpty { previousHolders[node] = uses[node].exclusive.compactMap { last.resources[$0] } }
        }
    }

    /// The operation that held this one up; nil if none did.
    package func holder(of node: Int) -> Int? {
        guard var latest = uses[node].ready else { return nil }
        var holder = -1
        // The more telling ones first: of two that ended together, the first one counts.
        forEachUser(before: node) { user in
            if uses[user].end > latest { (holder, latest) = (user, uses[user].end) }
        }
        return holder < 0 ? nil : holder
    }

    // Inlined, as below: a closure call for each cause of waiting costs more than all else. "report, instructions" in
    // `Benchmarks/instructions.json` pays for it.
    @inline(__always)
    private func forEachUser(before node: Int, _ body: (Int) -> Void) {
        // Most launches have no resources: then nothing has to be hashed.
        if !previousHolders.isEmpty { previousHolders[node]?.forEach(body) }
        if previous[node] >= 0 { body(Int(previous[node])) }
    }

    /// Whether lanes were scarce, as far as times can tell: an operation that needed nothing else waited for one.
    package var areForLanes: Bool {
        uses.indices.contains { node in
            guard let ready = uses[node].ready, let start = uses[node].start, start - ready >= Self.leastWait else { return false }
            guard uses[node].exclusive.isEmpty, !uses[node].isMain else { return false }
            return holder(of: node) != nil
        }
    }

    /// The critical path: the operations that determined when `last` ended, in their order. Before each comes the one
    /// that held it up or, without one, the dependency that ended last. Operations that never started took no time, and
    /// are left out.
    func path(endingWith last: Int) -> [Int] {
        var path = [last]
        // In a damaged file operations may wait in a circle.
        var isSeen = [Bool](repeating: false, count: uses.count)
        isSeen[last] = true
        while let node = path.last, let next = cause(of: node), !isSeen[next] {
            isSeen[next] = true
            path.append(next)
        }
        return path.reversed().filter { uses[$0].start != nil }
    }

    /// The last operation that this one waited for; nil if it waited for none.
    private func cause(of node: Int) -> Int? {
        if let holder = holder(of: node) { return holder }
        var last = -1
        forEachDependency(of: node) { dependency in
            let isLater = last < 0 || uses[last].end < uses[dependency].end
            let hasWon = !isLater && uses[last].isCancelled && !uses[dependency].isCancelled && uses[last].end == uses[dependency].end
            if isLater || hasWon { last = dependency }
        }
        return last < 0 ? nil : last
    }

    /// Calls `body` with the dependencies that had ended when an operation began. A deferred dependency had not: the
    /// operation began when the dependencies before that one had ended.
    @inline(__always)
    private func forEachDependency(of node: Int, _ body: (Int) -> Void) {
        var putOff: [Int] = []
        for dependency in dependencies[node] {
            if wasWaitedFor(dependency.index, by: node) { body(dependency.index) } else { putOff.append(dependency.index) }
        }
        if !putOff.isEmpty { waitedFor(insteadOf: putOff, by: node).forEach(body) }
    }

    private func waitedFor(insteadOf putOff: [Int], by node: Int) -> [Int] {
        var (putOff, seen, waitedFor) = (putOff, Set<Int>(), [Int]())
        while let next = putOff.popLast() {
            guard seen.insert(next).inserted else { continue }
            for dependency in dependencies[next] {
                if wasWaitedFor(dependency.index, by: node) { waitedFor.append(dependency.index) } else { putOff.append(dependency.index) }
            }
        }
        return waitedFor
    }

    /// Whether a dependency had ended when an operation began.
    private func wasWaitedFor(_ dependency: Int, by node: Int) -> Bool {
        uses[dependency].end >= 0 && uses[dependency].end <= uses[node].begin
    }

    /// How much later each operation could have ended without making `last` end later, with the order on the main
    /// thread and at each resource as it was.
    ///
    /// An operation that nothing counted waited for could have ended with `last`.
    ///
    /// - Parameters:
    ///   - countsAll: whether all operations have to end by then, rather than those alone that `last` waited for.
    ///   - laneLimit: nil without one. Where lanes were scarce, the order on each lane counts as well, and not only
    ///     where an operation held up the next one.
    /// - Complexity: O(operations + dependencies).
    func slacks(endingWith last: Int, countsAll: Bool, laneLimit: Int?) -> [Nanoseconds] {
        let sharesLanes = areForLanes || laneLimit.map { $0 < uses.count { $0.lane != nil && $0.start != nil } } ?? false
        let lastEnd = uses[last].end
        // The latest end of each; .max where nothing counted has waited for it so far.
        var latest = [Nanoseconds](repeating: countsAll ? lastEnd : .max, count: uses.count)
        latest[last] = lastEnd
        // An operation comes here after those that waited for it.
        for node in order.reversed() where latest[node] < .max {
            guard let cause = cause(of: node) else { continue }
            // It took as long as it did from the end of the last one that it waited for on: waits for the machine are
            // its own.
            let (begin, slack) = (uses[cause].end, max(0, latest[node] - uses[node].end))
            func limit(_ other: Int) { latest[other] = min(latest[other], lastEnd, max(begin, uses[other].end).addingSaturated(slack)) }
            limit(cause)
            forEachDependency(of: node, limit)
            if sharesLanes || uses[node].isMain || !uses[node].exclusive.isEmpty { forEachUser(before: node, limit) }
        }
        return uses.indices.map { max(0, min(latest[$0], lastEnd) - uses[$0].end) }
    }

    /// When nothing but the machine kept an operation from its start: its own delay held it up until then.
    static func ready(_ ready: Nanoseconds, _ delay: Duration?, _ start: Nanoseconds?) -> Nanoseconds {
        guard let delay else { return ready }
        return min(ready.addingSaturated(delay.nanoseconds), start ?? .max)
    }

    /// Those of a launch that has a report.
    package init(_ report: LaunchReport) {
        let uses = report.operations.map { operation in
            Use(
                // One that was put off waited for the milestone, not for who had its lane.
                ready: operation.isDeferred
                    ? operation.start?.nanoseconds
                    : operation.ready.map { Self.ready($0.nanoseconds, operation.delay, operation.start?.nanoseconds) },
                start: operation.start?.nanoseconds,
                end: operation.end.nanoseconds,
                lane: operation.lane,
                isMain: operation.isMain,
                suspends: operation.suspends,
                exclusive: operation.exclusive,
                isCancelled: operation.outcome == .cancelled
            )
        }
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var edges: [GraphEdge] = []
        for (node, operation) in report.operations.enumerated() {
            for case let place? in operation.dependencies.lazy.map({ places[$0] }) {
                edges.append(GraphEdge(node: node, target: place, needsValue: false))
            }
        }
        self.init(uses, order: Array(uses.indices), dependencies: AdjacencyList(count: uses.count, edges: edges))
    }
}

extension LaunchReport {
    /// The report with its critical path and its slack worked out from the times of its operations, where one of that
    /// path was held up: there, reports of earlier versions have the longest path by dependencies alone. Other reports
    /// stay as they are: of launches that another program has timed, times do not say all that was waited for.
    package var withCriticalPath: LaunchReport {
        func place(of id: String) -> Int? { operations.firstIndex { $0.id == id } }
        let isMilestoneReached = isMilestoneReached
        let last: Int? =
            switch outcome {
            case .failed(let id, _), .aborted(let id, _): place(of: id)
            case .completed where isMilestoneReached: milestone.flatMap(place)
            case .completed, .cancelled:
                operations.indices.filter { operations[$0].start != nil }.max { operations[$0].end < operations[$1].end }
            }
        guard let last else { return self }
        let holdUps = HoldUps(self)
        let path = holdUps.path(endingWith: last)
        guard path.contains(where: { holdUps.holder(of: $0) != nil }) else { return self }
        let slacks = holdUps.slacks(endingWith: last, countsAll: !isMilestoneReached, laneLimit: hasLaneLimit ? lanes : nil)
        var report = self
        report.setCriticalPath(path, length: path.reduce(.zero) { $0 + operations[$1].duration })
        for node in operations.indices { report.operations[node].slack = .nanoseconds(slacks[node]) }
        return report
    }

    /// Makes these operations the critical path, in their order.
    package mutating func setCriticalPath(_ path: [Int], length: Duration) {
        (criticalPath, criticalPathDuration) = (path.map { operations[$0].id }, length)
        for node in operations.indices { operations[node].isCritical = false }
        for node in path { operations[node].isCritical = true }
    }
}
