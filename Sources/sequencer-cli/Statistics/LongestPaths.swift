import Sequencer

/// The longest paths through a graph whose operations take given times.
///
/// The forward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959).
struct LongestPaths {
    let predecessors: [[Int]]
    /// Dependencies first; what is in a circle is left out.
    private let order: [Int]

    /// - Complexity: O(operations + dependencies), as of every question here.
    init(_ predecessors: [[Int]]) {
        self.predecessors = predecessors
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
        self.order = order
    }

    /// The length of the longest path.
    ///
    /// - Parameter last: where the path ends; nil for the end of the launch.
    func length(_ durations: [Duration], to last: Int?) -> Duration {
        let ends = ends(durations)
        return last.map { ends[$0] } ?? ends.max() ?? .zero
    }

    /// The operations of the longest path, in their order.
    func path(_ durations: [Duration], to last: Int?) -> [Int] {
        let ends = ends(durations)
        guard let last = last ?? ends.indices.max(by: { ends[$0] < ends[$1] }) else { return [] }
        var path = [last]
        // A path is no longer than that, whatever a damaged file says.
        while path.count < ends.count, let next = predecessors[path[path.count - 1]].max(by: { ends[$0] < ends[$1] }) { path.append(next) }
        return path.reversed()
    }

    private func ends(_ durations: [Duration]) -> [Duration] {
        var ends = [Duration](repeating: .zero, count: durations.count)
        for node in order { ends[node] = (predecessors[node].map { ends[$0] }.max() ?? .zero) + durations[node] }
        return ends
    }
}
