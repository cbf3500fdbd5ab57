extension ReportDocument {
    /// The positions of the operations that are shown where not all can be, in the order of the report.
    ///
    /// First come those of the critical path, then those that did not succeed, then the longest.
    ///
    /// - Complexity: O(operations · log operations).
    func selection(limit: Int) -> [Int] {
        guard operations.count > limit else { return Array(operations.indices) }
        func rank(_ operation: OperationReport) -> Int {
            operation.isCritical ? 0 : operation.outcome != .succeeded ? 1 : 2
        }
        let keys = operations.map { (rank: rank($0), duration: $0.duration) }
        let byInterest = operations.indices.sorted { left, right in
            let (a, b) = (keys[left], keys[right])
            if a.rank != b.rank { return a.rank < b.rank }
            return a.duration == b.duration ? left < right : a.duration > b.duration
        }
        return byInterest.prefix(max(limit, 0)).sorted()
    }

    /// What is said of the operations that a selection leaves out; nil when it leaves out none.
    func omission(_ selection: [Int]) -> String? {
        guard selection.count < operations.count else { return nil }
        let shown = Set(selection)
        let longest = operations.indices.lazy.filter { !shown.contains($0) }.map { operations[$0].duration }.max() ?? .zero
        let number = operations.count - selection.count
        return "\(number) more operation\(number == 1 ? "" : "s"), none longer than \(durationText(longest))"
    }

    /// The position of each operation by its identifier; of equal ones the first.
    var positions: [String: Int] {
        Dictionary(operations.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What each operation came after, as positions, each once; identifiers that the report does not hold are left out.
    var dependencyPositions: [[Int]] {
        let positions = positions
        return operations.map { operation in
            var seen: Set<Int> = []
            return operation.dependencies.compactMap { positions[$0] }.filter { seen.insert($0).inserted }
        }
    }
}
