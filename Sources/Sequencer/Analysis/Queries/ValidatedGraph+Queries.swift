import Foundation
import Sequencer

extension ValidatedGraph {
    /// A dependency between two operations: "`operation` after `dependency`", which is also how one is written in a
    /// test.
    public struct Edge: Sendable, Hashable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// The operation that waits.
        public let operation: String
        /// The operation it waits for.
        public let dependency: String

        /// The dependency of `operation` on `dependency`.
        init(_ operation: String, after dependency: String) { (self.operation, self.dependency) = (operation, dependency) }

        /// `"login after fetch-config"`; a text without `" after "` is an edge that no graph has.
        public init(stringLiteral value: String) {
            // The first one: the name of the dependency may hold the word, that of the operation may not.
            let separator = value.range(of: " after ") ?? value.endIndex..<value.endIndex
            self.init(String(value[..<separator.lowerBound]), after: String(value[separator.upperBound...]))
        }

        /// `login after fetch-config`.
        public var description: String { "\(operation) after \(dependency)" }

        /// Orders edges by operation, then by dependency.
        public static func < (left: Edge, right: Edge) -> Bool {
            (left.operation, left.dependency) < (right.operation, right.dependency)
        }
    }

    /// All dependencies.
    public var edges: Set<Edge> {
        Set((0..<count).flatMap { node in predecessors[node].map { Edge(id(node), after: id($0.index)) } })
    }

    /// The identifiers in an order in which every operation comes after those it waits for.
    public var topologicalOrder: [String] { order.map(id) }

    /// The operations by the length of the longest chain before each: those of one level never wait for one another.
    public var levels: [[String]] {
        let depths = depths
        var levels = [[String]](repeating: [], count: depths.max().map { $0 + 1 } ?? 0)
        for node in 0..<count { levels[depths[node]].append(id(node)) }
        return levels
    }

    /// The length of the longest chain before each operation.
    var depths: [Int] { CriticalPath(of: self) { _ in 1 }.earliestStart.map(Int.init) }

    /// The direct dependencies of an operation.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    public func dependencies(of id: String) throws(GraphError) -> Set<String> {
        Set(predecessors[try index(of: id)].map { self.id($0.index) })
    }

    /// The direct dependents of an operation.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    public func dependents(of id: String) throws(GraphError) -> Set<String> {
        Set(successors[try index(of: id)].map { self.id($0.index) })
    }

    /// Everything that has ended before an operation starts.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    public func ancestors(of id: String) throws(GraphError) -> Set<String> {
        Set(predecessors.reachable(from: try index(of: id)).map { self.id($0) })
    }

    /// Everything that starts only after an operation has ended.
    ///
    /// - Throws: a `GraphError` when the graph has no such operation.
    public func descendants(of id: String) throws(GraphError) -> Set<String> {
        Set(successors.reachable(from: try index(of: id)).map { self.id($0) })
    }

    /// Whether two operations can run at the same time: neither waits for the other, and they share no resource that
    /// only one may hold.
    ///
    /// - Throws: a `GraphError` when one of them is not in the graph.
    public func canOverlap(_ first: String, _ second: String) throws(GraphError) -> Bool {
        let (left, right) = (try index(of: first), try index(of: second))
        guard left != right, !successors.reachable(from: left).contains(right),
            !successors.reachable(from: right).contains(left)
        else { return false }
        return Set(unshared(left)).isDisjoint(with: unshared(right))
    }

    /// The resources of an operation that nobody else may hold meanwhile.
    func unshared(_ index: Int) -> [ExclusiveResource] { policy(index).exclusive.filter { graph.resourceLimits[$0] == nil } }
}
