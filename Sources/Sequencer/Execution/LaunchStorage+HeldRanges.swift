/// The values that a launch holds while some of its operations run, and which of these operations have not ended.
struct HeldRanges {
    typealias Release = @Sendable () -> Void

    private struct Entry {
        var open: Set<Int>
        var taken: [any Sendable] = []
    }

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
        // No other object gets this number: the graph keeps the range for as long as the launch.
        let key = ObjectIdentifier(range)
        // Made at the first change: most launches hold nothing.
        var entry = entries[key] ?? Entry(open: graph.operations(of: range))
        body(&entry)
        var released: [any Sendable] = []
        if entry.open.isEmpty { swap(&released, &entry.taken) }
        // Also when all have ended: a value that is taken after that is released at once.
        entries[key] = entry
        return released.map { value -> Release in
            return { range.release(value) }
        }
    }
}

extension ValidatedGraph {
    /// The operations that something is held for.
    fileprivate func operations(of range: HeldRange) -> Set<Int> {
        // By identity: a graph may hold two things of one kind.
        Set((0..<count).filter { node in policy(node).holds.contains { $0 === range } })
    }
}

extension LaunchStorage {
    func took(_ value: any Sendable, for range: HeldRange) {
        let releases = state.withLock { $0.eventWaits.ranges.took(value, for: range, in: graph) }
        // The code of an operation that was left behind has come too late: nobody else would release it.
        for release in releases { release() }
    }
}
