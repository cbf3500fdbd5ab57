/// The values that a launch holds while some of its operations run, and which of these operations have not ended.
struct HeldRanges {
    typealias Release = @Sendable () -> Void

    private struct Entry {
        /// The operations that it is held for and that have not ended.
        var open: Set<Int> = []
        /// Each with the number of values that were taken before.
        var taken: [(place: Int, release: Release)] = []
    }

    // No other object gets one of these numbers: the graph keeps the ranges for as long as the launch.
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var takenCount = 0
    /// The values whose operations have ended.
    private var due: [(place: Int, release: Release)] = []

    /// - Returns: the closure to call now, without the lock, where all operations have ended: the value comes too late.
    mutating func took(_ value: any Sendable, for range: HeldRange, in graph: ValidatedGraph) -> Release? {
        let release: Release = { range.release(value) }
        let isOpen = change(range, graph) { [takenCount] entry in
            if !entry.open.isEmpty { entry.taken.append((takenCount, release)) }
            return !entry.open.isEmpty
        }
        takenCount += 1
        return isOpen ? nil : release
    }

    /// An operation has ended; it may be said twice.
    mutating func ended(_ node: Int, in graph: ValidatedGraph) {
        for range in graph.policy(node).holds {
            due += change(range, graph) { entry in
                entry.open.remove(node)
                defer { if entry.open.isEmpty { entry.taken = [] } }
                return entry.open.isEmpty ? entry.taken : []
            }
        }
    }

    /// The closures to call, without the lock, for ranges that are over. The last one taken comes first, for it may
    /// need those taken before it.
    mutating func takeDue() -> [Release] {
        defer { due = [] }
        return due.inOrder { $0.place > $1.place }.map(\.release)
    }

    private mutating func change<Result>(_ range: HeldRange, _ graph: ValidatedGraph, _ body: (inout Entry) -> Result) -> Result {
        // At the first change, and of all at once: most launches hold nothing, and a look at all operations for each
        // range would be a square.
        if entries.isEmpty {
            for node in 0..<graph.count {
                for range in graph.policy(node).holds {
                    entries[ObjectIdentifier(range), default: Entry()].open.insert(node)
                }
            }
        }
        // In place, by identity: a graph may hold two things of one kind, and a copy of the entry would copy all that
        // is open, at each end of an operation.
        return body(&entries[ObjectIdentifier(range), default: Entry()])
    }
}

/// Operations that must wait for their events, or settle some, and whether a thread does that already.
struct EventWaits {
    private var nodes = FirstInFirstOut<Int>()
    private var isBegun = false
    /// They wait for ends of operations, too.
    var ranges = HeldRanges()

    /// - Returns: whether the caller must process them.
    mutating func add(_ more: [Int]) -> Bool {
        for node in more { nodes.append(node) }
        defer { isBegun = true }
        return !isBegun
    }

    /// The next operation; or, when all that have ended together are seen to, the values to release. Nil when there is
    /// neither.
    mutating func next() -> (node: Int?, releases: [HeldRanges.Release])? {
        if let node = nodes.popFirst() { return (node, []) }
        let releases = ranges.takeDue()
        if !releases.isEmpty { return (nil, releases) }
        // With the look, under one lock: an operation that is added later finds nobody seeing to it.
        isBegun = false
        return nil
    }
}
