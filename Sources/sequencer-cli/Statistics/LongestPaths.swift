import Sequencer

/// The longest paths through a graph whose operations take given times.
///
/// The forward pass of the critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959).
struct LongestPaths {
    let predecessors: [[Int]]
    /// Dependencies first; operations in a circle are left out.
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
        // Kahn's algorithm: without recursion, and operations in a circle never get ready.
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

    /// By operation, how much shorter the longest path would be if it took no time.
    ///
    /// Only the operations of one longest path gain anything. A path without one of them has one step that goes past that operation's place in the order:
    /// the longest path with such a step is the longest one that remains.
    ///
    /// - Complexity: O(operations + dependencies · log dependencies).
    func gains(_ durations: [Duration], to last: Int?) -> [Duration] {
        let ends = ends(durations)
        let path = path(durations, to: last)
        var gains = [Duration](repeating: .zero, count: durations.count)
        var places = [Int](repeating: -1, count: durations.count)
        for (place, node) in order.enumerated() { places[node] = place }
        // A circle has no order to go by: nobody in it gains.
        guard let end = path.last, places[end] >= 0 else { return gains }
        for node in path { gains[node] = durations[node] }
        // Union by jumping over: each operation of the path is visited once, however many steps go past it.
        var next = Array(0...path.count)
        /// The first operation of the path, from this one on, without a longest path past it.
        func firstOpen(_ index: Int) -> Int {
            var place = index
            // Halves the way while it is gone, so that later searches are short.
            while next[place] != place {
                next[place] = next[next[place]]
                place = next[place]
            }
            return place
        }
        // The longest first: the first step past an operation decides its gain.
        for bypass in bypasses(of: path, places, ends, durations, to: last).sorted(by: { $0.length > $1.length }) {
            var index = firstOpen(bypass.passed.lowerBound)
            while index < bypass.passed.upperBound {
                // Never more than its own duration.
                gains[path[index]] = min(durations[path[index]], ends[end] - bypass.length)
                next[index] = index + 1
                index = firstOpen(index)
            }
        }
        return gains
    }

    /// The steps that go past operations of a path, each with the length of the longest path with it.
    private func bypasses(
        of path: [Int],
        _ places: [Int],
        _ ends: [Duration],
        _ durations: [Duration],
        to last: Int?
    ) -> [(passed: Range<Int>, length: Duration)] {
        // By place, how many operations of the path come before it.
        var before = [Int](repeating: 0, count: order.count + 1)
        // Counted one place later, so that the sum below is that of earlier ones.
        for node in path { before[places[node] + 1] = 1 }
        for place in order.indices { before[place + 1] += before[place] }
        var bypasses: [(passed: Range<Int>, length: Duration)] = []
        // The longest path after each operation; nil where none leads to the end.
        var rests = [Duration?](repeating: last == nil ? Duration.zero : nil, count: durations.count)
        if let last { rests[last] = .zero }
        for node in order.reversed() {
            guard let rest = rests[node] else { continue }
            let tail = rest + durations[node]
            for predecessor in predecessors[node] {
                rests[predecessor] = max(rests[predecessor] ?? .zero, tail)
                bypasses.append((before[places[predecessor] + 1]..<before[places[node]], ends[predecessor] + tail))
            }
            // A path may begin here, and where no operation is the last one, end here.
            bypasses.append((0..<before[places[node]], tail))
            if last == nil { bypasses.append((before[places[node] + 1]..<path.count, ends[node])) }
        }
        // A step that goes past nothing tells nothing.
        return bypasses.filter { !$0.passed.isEmpty }
    }

    /// The operations of the longest path, in their order.
    func path(_ durations: [Duration], to last: Int?) -> [Int] {
        let ends = ends(durations)
        guard let last = last ?? ends.indices.max(by: { ends[$0] < ends[$1] }) else { return [] }
        var path = [last]
        // A path has at most all operations: this bound ends the loop in a circle, which a damaged file may hold.
        while path.count < ends.count, let next = predecessors[path[path.count - 1]].max(by: { ends[$0] < ends[$1] }) { path.append(next) }
        return path.reversed()
    }

    private func ends(_ durations: [Duration]) -> [Duration] {
        var ends = [Duration](repeating: .zero, count: durations.count)
        // By the order, and not by names: predecessors come first.
        for node in order { ends[node] = (predecessors[node].map { ends[$0] }.max() ?? .zero) + durations[node] }
        return ends
    }
}
