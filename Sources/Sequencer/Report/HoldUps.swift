/// The operations that held up ready ones: for each operation that had to wait, the last one to give back a lane, thread or resource that it needed.
///
/// An operation needs a lane or the main thread, and its exclusive resources. It keeps them until its end, but for the main thread where it is suspended there. It waited for the last
/// one that kept one of these and ended after it was ready and before its start. Without such an operation, it waited for the machine.
package struct HoldUps: Sendable {
    /// The times and the needs of an operation.
    package struct Use: Sendable {
        fileprivate let ready: Nanoseconds?
        fileprivate let start: Nanoseconds?
        fileprivate let end: Nanoseconds
        fileprivate let lane: Int?
        fileprivate let isMain: Bool
        fileprivate let suspends: Bool
        fileprivate let exclusive: [ExclusiveResource]

        /// - Parameter suspends: leaves the main thread to others while it lasts.
        package init(
            ready: Nanoseconds?,
            start: Nanoseconds?,
            end: Nanoseconds,
            lane: Int?,
            isMain: Bool,
            suspends: Bool,
            exclusive: [ExclusiveResource]
        ) {
            self.ready = ready
            self.start = start
            self.end = end
            self.lane = lane
            self.isMain = isMain
            self.suspends = suspends
            self.exclusive = exclusive
        }

        /// For how long it was ready and did not start.
        fileprivate var wait: Nanoseconds {
            guard let ready, let start else { return 0 }
            return start - ready
        }

        /// The more telling ones first.
        fileprivate var needs: [Machine] {
            var machines = exclusive.map { Machine.resource($0) }
            if isMain { machines.append(.main) }
            if let lane { machines.append(.lane(lane)) }
            return machines
        }

        fileprivate var keeps: [Machine] { isMain && suspends ? needs.filter { $0 != .main } : needs }
    }

    fileprivate enum Machine: Hashable, Sendable {
        case resource(ExclusiveResource)
        case main
        case lane(Int)
    }

    private let ends: [Nanoseconds]
    private var holders: [Int?]
    /// Whether lanes were scarce, as far as times can tell: an operation that needed nothing else waited for one.
    package private(set) var areForLanes = false

    /// A wait that is shorter may be the machine's.
    private static let leastWait: Nanoseconds = 1_000_000

    /// - Complexity: O(operations · log operations); O(operations) where none waited.
    package init(_ uses: [Use]) {
        ends = uses.map(\.end)
        holders = [Int?](repeating: nil, count: uses.count)
        let waiting = uses.indices.filter { uses[$0].wait > 0 }
        if waiting.isEmpty { return }
        // Those that took no time kept nothing.
        let keepers = uses.indices.filter { node in uses[node].start.map { $0 < uses[node].end } ?? false }
            .sorted { uses[$0].end < uses[$1].end }
        var keepersOf: [Machine: [Int]] = [:]
        for node in keepers {
            for machine in uses[node].keeps { keepersOf[machine, default: []].append(node) }
        }
        for node in waiting {
            for machine in uses[node].needs {
                guard let holder = last(of: keepersOf[machine] ?? [], holdingUp: uses[node]) else { continue }
                // The more telling needs come first: of two that ended together, the first one stays.
                if let known = holders[node], ends[known] >= ends[holder] { continue }
                holders[node] = holder
                let needsOnlyLane = uses[node].exclusive.isEmpty && !uses[node].isMain
                if needsOnlyLane, uses[node].wait >= Self.leastWait { areForLanes = true }
            }
        }
    }

    /// Of those that kept something, in the order of their ends, the last that ended while an operation waited.
    private func last(of keepers: [Int], holdingUp use: Use) -> Int? {
        guard let ready = use.ready, let start = use.start else { return nil }
        // By halves: thousands may have kept the same lane.
        var (low, high) = (0, keepers.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[keepers[middle]] <= start { low = middle + 1 } else { high = middle }
        }
        guard low > 0, ends[keepers[low - 1]] > ready else { return nil }
        return keepers[low - 1]
    }

    /// The operation that held this one up; nil if none did.
    package func holder(of node: Int) -> Int? { holders[node] }

    /// The operations that determined when `last` ended, in their order: before each comes the one that held it up or, without one, the
    /// dependency that ended last.
    package func chain(endingWith last: Int, dependencies: (Int) -> [Int]) -> [Int] {
        var chain = [last]
        // In a damaged file the chain may be a circle.
        var seen: Set<Int> = [last]
        while let node = chain.last, let next = holders[node] ?? dependencies(node).max(by: { ends[$0] < ends[$1] }),
            seen.insert(next).inserted
        {
            chain.append(next)
        }
        return chain.reversed()
    }
}

extension HoldUps {
    /// Those of a launch that has a report.
    package init(_ report: LaunchReport) {
        self.init(
            report.operations.map { operation in
                Use(
                    ready: operation.ready?.nanoseconds,
                    start: operation.start?.nanoseconds,
                    end: operation.end.nanoseconds,
                    lane: operation.lane,
                    isMain: operation.isMain,
                    suspends: operation.suspends,
                    exclusive: operation.exclusive
                )
            }
        )
    }
}
