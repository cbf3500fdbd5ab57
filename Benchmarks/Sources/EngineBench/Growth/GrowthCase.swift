import Sequencer

/// Something that is done with graphs of several sizes, to see how the time that it takes grows.
struct GrowthCase: Sendable {
    let name: String
    /// Does it with a graph of a shape.
    ///
    /// - Returns: the processor time of what is measured, in nanoseconds.
    let measure: @Sendable (Shape) async throws -> UInt64

    static let families: [ShapeFamily] = [.chain, .wide, .layered]
    static let all: [GrowthCase] = launches + launchesThatAreWatched + graphs + exports

    /// A launch, from building its graph to its report.
    static func launch(
        _ name: String,
        budget: Budget? = .seconds(3),
        options: LaunchOptions = LaunchOptions(lanes: 2),
        _ graph: @escaping @Sendable (Shape) throws -> OperationGraph
    ) -> GrowthCase {
        GrowthCase(name: name) { shape in
            let begin = processorTime()
            let report = try await graph(shape).run(budget: budget, options: options).report
            if report.operations.count != shape.count { throw EngineFailure("the report has lost operations") }
            return processorTime() - begin
        }
    }

    /// Something that is done with what is made of a shape; only the doing is measured.
    static func work<Subject>(
        _ name: String,
        on subject: @escaping @Sendable (Shape) async throws -> Subject,
        _ work: @escaping @Sendable (inout Subject) throws -> Void
    ) -> GrowthCase {
        GrowthCase(name: name) { shape in
            var subject = try await subject(shape)
            let begin = processorTime()
            try work(&subject)
            return processorTime() - begin
        }
    }
}

extension OperationGraph {
    /// The graph of a shape, its dependencies given by names, with an option and a body for each step.
    init(
        named shape: Shape,
        _ option: (Int) -> StepOption = { _ in .all([]) },
        body: @escaping @Sendable (Int, StepContext) throws -> Void = { _, _ in }
    ) {
        self.init(shape.name)
        for node in 0..<shape.count {
            add(shape.identifiers[node], option(node), after: shape.names(before: node)) { launch in try body(node, launch) }
        }
    }
}

extension Shape {
    /// The identifiers of what a node waits for.
    func names(before node: Int) -> [String] {
        dependencies(of: node).map { identifiers[Int($0)] }
    }

    /// The option of the last node, which comes after all others in a chain and in a wide graph.
    func milestone(_ node: Int) -> StepOption {
        node == count - 1 ? .milestone : .all([])
    }
}
