/// The values that a launch holds while some of its operations run, and which of these operations have not ended.
struct HeldRanges {
    typealias Release = @Sendable () -> Void

    private struct Entry {
        /// The operations that it is held for and that have not ended.
        var open: Set<Int> = []
        var taken: [any Sendable] = []
    }

    // No other object gets one of these numbers: the graph keeps the ranges for as long as the launch.
    private var entries: [ObjectIdentifier: Entry] = [:]

    /// - Returns: the closures to call now, without the lock.
    mutating func took(_ value: any Sendable, for range: HeldRange, in graph: ValidatedGraph) -> [Release] {
        change(range, graph) { $0.taken.append(value) }
    }

    /// An operation has ended; it may be said twice.
    ///
    /// - Returns: as ``took(_:for:in:)``.
    mutating func ended(_ node: Int, in graph: ValidatedGraph) -> [Release] {
        var releases: [Release] = []
        for range in graph.policy(node).holds { releases += change(range, graph) { _ = $0.open.remove(node) } }
        return releases
    }

    private mutating func change(_ range: HeldRange, _ graph: ValidatedGraph, _ body: (inout Entry) -> Void) -> [Release] {
        // At the first change, and of all at once: most launches hold nothing, and a look at all operations for each
        // range would be a square.
        if entries.isEmpty { index(graph) }
        // By identity: a graph may hold two things of one kind.
        let key = ObjectIdentifier(range)
        // In place: a copy of the entry would copy all that is open, at each end of an operation.
        body(&entries[key, default: Entry()])
        var released: [any Sendable] = []
        // Also when all have ended: a value that is taken after that is released at once.
        if entries[key]?.open.isEmpty == true { swap(&released, &entries[key, default: Entry()].taken) }
        return released.map { value -> Release in
            return { range.release(value) }
        }
    }

    private mutating func index(_ graph: ValidatedGraph) {
        for node in 0..<graph.count {
            for range in graph.policy(node).holds { entries[ObjectIdentifier(range), default: Entry()].open.insert(node) }
        }
    }
}

/// Operations that are to wait for their events, or to settle some, and whether a thread is seeing to that.
struct EventWaits {
    private var nodes = FirstInFirstOut<Int>()
    private var isBegun = false
    /// They wait for ends of operations, too.
    var ranges = HeldRanges()

    /// - Returns: whether the caller is to see to them.
    mutating func add(_ more: [Int]) -> Bool {
        for node in more { nodes.append(node) }
        defer { isBegun = true }
        return !isBegun
    }

    mutating func next() -> Int? {
        let node = nodes.popFirst()
        // With the look, under one lock: an operation that is added later finds nobody seeing to it.
        if node == nil { isBegun = false }
        return node
    }
}
