import Foundation
import Sequencer

/// A graph whose bodies each keep a processor busy for a time of their own.
struct TimedGraph: Sendable {
    let shape: Shape
    /// In nanoseconds.
    let durations: [UInt64]

    init(_ shape: Shape, durations: [UInt64]) {
        self.shape = shape
        self.durations = durations
    }

    /// Twenty layers of two to eight nodes, each after one to three of the layer before, with bodies of 0.2 to 2 ms.
    static func random(_ random: inout SplitMix64) -> TimedGraph {
        var dependencies: [[Int]] = []
        var before: Range<Int> = 0..<0
        for _ in 0..<20 {
            let layer = dependencies.count..<(dependencies.count + 2 + random.index(below: 7))
            for _ in layer {
                let count = before.isEmpty ? 0 : 1 + random.index(below: 3)
                dependencies.append(Set((0..<count).map { _ in before.lowerBound + random.index(below: before.count) }).sorted())
            }
            before = layer
        }
        let durations = dependencies.map { _ in UInt64(200_000 + random.index(below: 1_800_000)) }
        return TimedGraph(Shape("random layers", count: dependencies.count) { dependencies[$0] }, durations: durations)
    }

    /// The shortest time that so many lanes allow, in nanoseconds: the longest path, or the lanes' share of the work.
    func lowerBound(_ lanes: Int) -> Double {
        max(shape.longestPath { Double(durations[$0]) }, Double(durations.reduce(0, +)) / Double(lanes))
    }

    /// How long the engine takes, in nanoseconds, told what is to be expected of each operation.
    @MainActor
    func runSequencer(_ lanes: Int) async throws -> Double {
        var graph = OperationGraph(shape.name)
        for node in 0..<shape.count {
            let duration = durations[node]
            let dependencies = shape.dependencies(of: node).map { shape.identifiers[Int($0)] }
            graph.add(shape.identifiers[node], .expected(.nanoseconds(Int64(duration))), after: dependencies) { spin(duration) }
        }
        let begin = now()
        let launch = try await graph.run(options: LaunchOptions(lanes: lanes))
        let time = Double(now() - begin)
        let outcome = launch.report.outcome
        if outcome != .completed { throw EngineFailure("the launch ended as \(outcome.name)") }
        return time
    }

    /// How long Foundation's queue takes, in nanoseconds.
    @MainActor
    func runOperationQueue(_ lanes: Int) -> Double {
        var operations: [Operation] = []
        for node in 0..<shape.count {
            let duration = durations[node]
            let operation = BlockOperation { spin(duration) }
            for dependency in shape.dependencies(of: node) { operation.addDependency(operations[Int(dependency)]) }
            operations.append(operation)
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = lanes
        queue.qualityOfService = .userInitiated
        let begin = now()
        queue.addOperations(operations, waitUntilFinished: true)
        return Double(now() - begin)
    }
}
