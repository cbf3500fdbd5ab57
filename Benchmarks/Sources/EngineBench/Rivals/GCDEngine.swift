import Dispatch
import Synchronization

extension Engine {
    /// A graph written by hand over Dispatch: a count of open dependencies and a list of successors a node, one block a ready node.
    static let gcd = Engine(
        "GCD",
        "hand-written over Dispatch: atomic in-degrees, one async a ready node",
        kinds: [.synchronous],
        entry: .blocking { shape, workload, _ in
            let graph = DispatchGraph(capacity: shape.count)
            for node in 0..<shape.count {
                graph.add(after: shape.dependencies(of: node)) { workload.perform(node) }
            }
            graph.run()
        }
    )
}

/// The graph, and its run.
private final class DispatchGraph: @unchecked Sendable {
    // @unchecked: everything is constant once the graph runs but the counts, which are atomic.
    private struct Node {
        let body: @Sendable () -> Void
        var successors: [Int32] = []
    }

    private var nodes: [Node] = []
    /// How many dependencies of each node have not ended.
    private let open: UnsafeMutablePointer<Atomic<Int32>>
    private let queue = DispatchQueue(label: "graph", qos: .userInitiated, attributes: .concurrent)
    private let group = DispatchGroup()

    init(capacity: Int) {
        nodes.reserveCapacity(capacity)
        open = .allocate(capacity: capacity)
    }

    deinit {
        open.deinitialize(count: nodes.count)
        open.deallocate()
    }

    func add(after dependencies: some Collection<Int32>, _ body: @escaping @Sendable () -> Void) {
        let node = nodes.count
        nodes.append(Node(body: body))
        (open + node).initialize(to: Atomic(Int32(dependencies.count)))
        for dependency in dependencies { nodes[Int(dependency)].successors.append(Int32(node)) }
    }

    func run() {
        // Looked for before anything runs: afterwards, a count of 0 may be one that has come down to it.
        let roots = nodes.indices.filter { open[$0].load(ordering: .relaxed) == 0 }
        for root in roots { enqueue(root) }
        group.wait()
    }

    private func enqueue(_ node: Int) {
        queue.async(group: group) { self.perform(node) }
    }

    private func perform(_ node: Int) {
        nodes[node].body()
        for successor in nodes[node].successors
        where open[Int(successor)].subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { enqueue(Int(successor)) }
    }
}
