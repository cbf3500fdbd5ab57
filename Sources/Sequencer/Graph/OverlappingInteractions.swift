extension ValidatedGraph {
    /// Pairs of interactive operations that can run at the same time: two would ask the person at once.
    ///
    /// In the order they were added. There can be as many as the square of the operations: see ``overlappingInteractions(limit:)``.
    public var overlappingInteractions: [(String, String)] { overlappingInteractions(limit: .max).pairs }

    /// The first `limit` pairs of interactive operations that can run at the same time, and how many pairs there are.
    ///
    /// - Complexity: O(interactive operations · (operations + dependencies) / 512) time, and a few nanoseconds for each pair of interactive operations;
    ///   O(operations) memory besides the pairs.
    public func overlappingInteractions(limit: Int) -> (pairs: [(String, String)], count: Int) {
        let interactive = (0..<count).filter { policy($0).isInteractive }
        var (pairs, found) = ([(String, String)](), 0)
        guard interactive.count > 1 else { return (pairs, found) }
        let resources = interactive.map { policy($0).exclusive }
        // One bit says "this operation waits for that one, or that one for it"; 512 columns are looked at in two passes over the graph.
        for first in stride(from: 0, to: interactive.count - 1, by: Self.columns) {
            let block = interactive[first..<min(first + Self.columns, interactive.count)]
            let before = reached(from: block, order, along: predecessors)
            let after = reached(from: block, order.reversed(), along: successors)
            let related = interactive.map { before[$0] | after[$0] }
            for column in block.indices {
                let (word, bit) = ((column - first) >> 6, UInt64(1) << UInt64((column - first) & 63))
                for other in (column + 1)..<max(interactive.count, column + 1) where related[other][word] & bit == 0 {
                    guard resources[column].isEmpty || !resources[other].contains(where: resources[column].contains) else { continue }
                    found += 1
                    if pairs.count < limit { pairs.append((id(interactive[column]), id(interactive[other]))) }
                }
            }
        }
        return (pairs, found)
    }

    private typealias Columns = SIMD8<UInt64>
    private static var columns: Int { 512 }

    /// For each operation, which of `sources`, one bit each, there is a way to along `neighbours`; operations come after theirs in `order`.
    private func reached(from sources: ArraySlice<Int>, _ order: some Sequence<Int32>, along neighbours: AdjacencyList) -> [Columns] {
        var reached = [Columns](repeating: .zero, count: count)
        for (offset, node) in sources.enumerated() { reached[node][offset >> 6] |= 1 << UInt64(offset & 63) }
        for node in order.lazy.map(Int.init) {
            var columns = reached[node]
            for neighbour in neighbours[node] { columns |= reached[neighbour.index] }
            reached[node] = columns
        }
        return reached
    }
}
