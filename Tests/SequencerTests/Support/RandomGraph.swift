import Testing

@testable import Sequencer

/// The dependencies of a made-up graph, the same for the same seed.
///
/// ```swift
/// @Test(arguments: RandomGraph.many(300))
/// func property(random: RandomGraph) throws {
///     let graph = try random.graph { _ in [.expected(.milliseconds(1))] }.validated()
/// }
/// ```
struct RandomGraph: Sendable, CustomTestStringConvertible {
    enum Shape: CaseIterable, Sendable {
        /// Each operation waits for the one before it.
        case chain
        /// All operations wait for one, and one for all.
        case wide
        /// Layers of random width; an operation waits for some of the layer before.
        case layered
        /// A splits into several, which join again, over and over.
        case diamonds
        /// Each operation waits for one earlier operation at most.
        case tree
        /// Any operation may wait for any earlier one; from nearly none to nearly all of them.
        case anyDensity
        /// Nothing waits for anything.
        case independent
    }

    let seed: UInt64
    let shape: Shape
    /// Each operation with those it waits for: all different, in any order, and of lower number.
    let edges: [(Int, [Int])]
    /// How long each operation takes: 0 to 50 ms, in whole milliseconds, so that ties and zeros occur.
    let durations: [Duration]

    var count: Int { edges.count }
    var testDescription: String { "seed \(seed): \(shape) of \(count)" }

    /// - Parameters:
    ///   - seed: what the graph is made from.
    ///   - operations: how many there may be.
    ///   - shape: the shape; any, when nil.
    init(seed: UInt64, operations: ClosedRange<Int> = 1...200, shape: Shape? = nil) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: operations, using: &random)
        let shape = shape ?? Shape.allCases.randomElement(using: &random) ?? .anyDensity
        self.seed = seed
        self.shape = shape
        edges = Self.dependencies(shape, count, &random).enumerated().map { ($0, $1.shuffled(using: &random)) }
        durations = (0..<count).map { _ in .milliseconds(Bool.random(using: &random) ? Int.random(in: 0...50, using: &random) : 10) }
    }

    /// `number` graphs of all shapes, from consecutive seeds.
    static func many(_ number: Int, operations: ClosedRange<Int> = 1...200) -> [RandomGraph] {
        (0..<number).map { RandomGraph(seed: UInt64($0), operations: operations, shape: Shape.allCases[$0 % Shape.allCases.count]) }
    }

    func id(_ operation: Int) -> String { "op-\(operation)" }

    /// Work that does nothing: a step without any takes no time, whatever is expected of it.
    static let idle: @Sendable (Int) -> StepWork = { _ in .synchronous { _ in () } }

    /// The graph; every step joins, and does nothing, unless `work` says otherwise.
    ///
    /// - Parameters:
    ///   - order: in which order steps are added; dependencies are named by identifier, so any order will do.
    func graph(
        order: [Int]? = nil,
        options: (Int) -> [StepOption] = { _ in [] },
        work: (Int) -> StepWork = { _ in .nothing }
    ) -> OperationGraph {
        var graph = OperationGraph(testDescription)
        for operation in order ?? Array(0..<count) {
            graph.insert(
                id(operation),
                options: options(operation),
                dependencies: edges[operation].1.map(id),
                valueType: Void.self,
                work: work(operation)
            )
        }
        return graph
    }

    private static func dependencies(_ shape: Shape, _ count: Int, _ random: inout SplitMix64) -> [[Int]] {
        switch shape {
        case .chain:
            return (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
        case .wide:
            return (0..<count).map { $0 == 0 ? [] : $0 == count - 1 ? Array(0..<$0) : [0] }
        case .independent:
            return (0..<count).map { _ in [] }
        case .tree:
            return (0..<count).map {
                $0 == 0 || Int.random(in: 0..<10, using: &random) == 0 ? [] : [Int.random(in: 0..<$0, using: &random)]
            }
        case .anyDensity:
            let density = Double.random(in: 0...1, using: &random)
            let share = density * density
            return (0..<count).map { node in (0..<node).filter { _ in Double.random(in: 0..<1, using: &random) < share } }
        case .layered, .diamonds:
            var dependencies: [[Int]] = []
            var layer: Range<Int> = 0..<0
            while dependencies.count < count {
                let isJoin = shape == .diamonds && layer.count > 1
                let width = shape == .diamonds && (layer.isEmpty || isJoin) ? 1 : Int.random(in: 1...9, using: &random)
                let next = dependencies.count..<min(dependencies.count + width, count)
                for _ in next {
                    dependencies.append(shape == .diamonds ? Array(layer) : layer.filter { _ in Bool.random(using: &random) })
                }
                layer = next
            }
            return dependencies
        }
    }
}
