/// A dependency graph without work: what every engine is given to build its own graph from.
///
/// Nodes are numbered so that every dependency has a lower number than its dependent.
struct Shape: Sendable {
    /// `chain`, `wide`, ...
    let name: String
    /// One identifier a node, made beforehand: in an app they are literals.
    let identifiers: [String]
    /// Where the dependencies of each node begin in `dependencies`, and one more.
    private let offsets: [Int32]
    private let dependencies: [Int32]

    /// The number of nodes.
    var count: Int { identifiers.count }
    /// The number of dependencies.
    var dependencyCount: Int { dependencies.count }

    /// - Parameter dependencies: of each node, by number, all lower than its own.
    init(_ name: String, count: Int, identifiers: [String]? = nil, dependencies: (Int) -> [Int]) {
        self.name = name
        self.identifiers = identifiers ?? (0..<count).map { "n\($0)" }
        var (offsets, all): ([Int32], [Int32]) = ([0], [])
        offsets.reserveCapacity(count + 1)
        for node in 0..<count {
            for dependency in dependencies(node) {
                precondition((0..<node).contains(dependency), "\(name): \(node) after \(dependency)")
                all.append(Int32(dependency))
            }
            offsets.append(Int32(all.count))
        }
        (self.offsets, self.dependencies) = (offsets, all)
    }

    /// What a node waits for.
    @inline(__always)
    func dependencies(of node: Int) -> ArraySlice<Int32> {
        dependencies[Int(offsets[node])..<Int(offsets[node + 1])]
    }

    /// The number of dependencies of a node.
    @inline(__always)
    func dependencyCount(of node: Int) -> Int { Int(offsets[node + 1] - offsets[node]) }

    /// The lengths of the longest path to the end of each node, where a node has length `weight`.
    func longestPath(weight: (Int) -> Double) -> Double {
        var (ends, longest) = ([Double](repeating: 0, count: count), 0.0)
        for node in 0..<count {
            let start = dependencies(of: node).reduce(0.0) { max($0, ends[Int($1)]) }
            ends[node] = start + weight(node)
            longest = max(longest, ends[node])
        }
        return longest
    }
}
