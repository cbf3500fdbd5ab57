import Sequencer

/// The paths through a launch that has run, by measured durations: what made it as long as it was, and what shortening an operation would gain.
///
/// The forward and the backward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959), over
/// what a report knows: waits for lanes, resources and the main thread are not on any path.
struct MeasuredPaths {
    let operations: [OperationReport]
    private let predecessors: [[Int]]
    private let order: [Int]
    private let durations: [Duration]
    /// The length of the longest path.
    let length: Duration

    /// - Complexity: O(operations + dependencies).
    init(_ report: ReportDocument) {
        operations = report.operations
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        predecessors = report.operations.map { operation in operation.dependencies.compactMap { places[$0] } }
        // What was put off held nothing up, whatever waits for it.
        durations = report.operations.map { $0.isDeferred ? .zero : $0.duration }
        order = Self.order(predecessors)
        length = Self.length(order, predecessors, durations)
    }

    /// How much shorter the longest path would be if this operation took no time.
    ///
    /// - Complexity: O(operations + dependencies).
    func gain(_ index: Int) -> Duration {
        guard durations[index] > .zero, operations[index].slack == .zero else { return .zero }
        var without = durations
        without[index] = .zero
        return length - Self.length(order, predecessors, without)
    }

    /// The operations that made the last of the critical path end when it did: from each, back to the dependency that ended last. First comes the
    /// one that began the launch.
    func chain(endingWith last: Int) -> [Int] {
        var chain = [last]
        while let next = predecessors[chain[chain.count - 1]].filter({ !operations[$0].isDeferred }).max(by: {
            operations[$0].end < operations[$1].end
        }) {
            chain.append(next)
        }
        return chain.reversed()
    }

    /// Dependencies first; in a report that holds a circle, what is in it comes last.
    private static func order(_ predecessors: [[Int]]) -> [Int] {
        var successors = [[Int]](repeating: [], count: predecessors.count)
        var waiting = [Int](repeating: 0, count: predecessors.count)
        for (node, list) in predecessors.enumerated() {
            waiting[node] = list.count
            for predecessor in list { successors[predecessor].append(node) }
        }
        var order = predecessors.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for successor in successors[order[next]] {
                waiting[successor] -= 1
                if waiting[successor] == 0 { order.append(successor) }
            }
            next += 1
        }
        return order
    }

    private static func length(_ order: [Int], _ predecessors: [[Int]], _ durations: [Duration]) -> Duration {
        var ends = [Duration](repeating: .zero, count: durations.count)
        var longest = Duration.zero
        for node in order {
            ends[node] = (predecessors[node].map { ends[$0] }.max() ?? .zero) + durations[node]
            longest = max(longest, ends[node])
        }
        return longest
    }
}
