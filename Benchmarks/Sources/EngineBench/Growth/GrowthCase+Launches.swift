import Sequencer

extension GrowthCase {
    /// Launches in which each operation has an option.
    static let launches: [GrowthCase] = [
        launch("handles") { OperationGraph($0, Workload(count: $0.count, purpose: .counting)) },
        launch("names") { OperationGraph(named: $0) },
        launch("async") { OperationGraph($0, Workload(count: $0.count, purpose: .counting), .async) },
        launch("suspending") { OperationGraph($0, Workload(count: $0.count, purpose: .counting), .suspending) },
        launch("ConcurrentOperation") { OperationGraph($0, Workload(count: $0.count, purpose: .counting), .operation) },
        launch("16 lanes", options: LaunchOptions(lanes: 16)) { OperationGraph(named: $0) },
        launch("on main") { shape in
            var graph = OperationGraph(shape.name)
            for node in 0..<shape.count { graph.add(shape.identifiers[node], after: shape.names(before: node), on: .main) {} }
            return graph
        },
        launch("values") { shape in
            var graph = OperationGraph(shape.name)
            var steps: [Step<Int>] = []
            for node in 0..<shape.count {
                let id = shape.identifiers[node]
                guard let first = shape.dependencies(of: node).first else {
                    steps.append(graph.add(id) { 1 })
                    continue
                }
                steps.append(graph.add(id, using: steps[Int(first)].optional, after: shape.names(before: node)) { ($0 ?? 0) &+ 1 })
            }
            return graph
        },
        launch("expected") { shape in OperationGraph(named: shape) { .all([.expected(.microseconds(1)), shape.milestone($0)]) } },
        launch("one fallback") { fallbacks($0) { node, shape in node == shape.count / 2 } },
        launch("fallbacks") { fallbacks($0) { _, _ in true } },
        launch("fallbacks, budget too short", budget: .milliseconds(1)) { fallbacks($0, expected: .milliseconds(1)) { _, _ in true } },
        launch("fallbacks, used") { fallbacks($0, fails: true) { _, _ in true } },
        launch("deferrable") { shape in
            OperationGraph(named: shape) { $0 == shape.count - 1 ? .milestone : .all([.deferrable, .expected(.microseconds(1))]) }
        },
        launch("deferrable, budget too short", budget: .milliseconds(1)) { shape in
            OperationGraph(named: shape) { $0 == shape.count - 1 ? .milestone : .all([.deferrable, .expected(.milliseconds(1))]) }
        },
        launch("one resource") { OperationGraph(named: $0) { _ in .exclusive(.userInterface) } },
        launch("one resource, few processors", options: fewProcessors) { shape in
            OperationGraph(named: shape) { .all([.exclusive(.userInterface), .expected(.microseconds(1)), shape.milestone($0)]) }
        },
        launch("many resources") { shape in
            OperationGraph(named: shape) { .exclusive("disk \($0 % 7)", "socket \($0 % 100)", "file \($0)") }
        },
        launch("retry") { shape in
            OperationGraph(named: shape) { _ in
                .retry(attempts: 2, backoff: .zero)
            } body: { _, launch in
                if launch.attempt == 1 { throw EngineFailure("the first attempt") }
            }
        },
        launch("conditions") { shape in OperationGraph(named: shape) { node in .when { node % 3 > 0 } } },
        launch("interactive") { OperationGraph(named: $0) { _ in .interactive } },
        launch("timeouts") { OperationGraph(named: $0) { _ in .timeout(.seconds(60)) } },
        launch("qualities of service") { OperationGraph(named: $0) { .qualityOfService($0 % 2 == 0 ? .userInitiated : .utility) } },
        launch("titles and notes") { shape in
            OperationGraph(named: shape) {
                .title("Step \($0)")
            } body: { _, launch in
                launch.note("went well")
            }
        },
        launch("skipped") { shape in
            var graph = OperationGraph(named: shape)
            for node in stride(from: 0, to: shape.count, by: 2) { try graph.skip(shape.identifiers[node], because: "of safe mode") }
            return graph
        },
        launch("dependents of a failure") { shape in
            OperationGraph(named: shape) { _ in
                .onFailure(.skipDependents)
            } body: { node, _ in
                if node == 0 { throw EngineFailure("the first step") }
            }
        },
        launch("failures that go on") { shape in
            OperationGraph(named: shape) { _ in
                .onFailure(.continue)
            } body: { _, _ in
                throw EngineFailure("each step")
            }
        },
        launch("abort") { shape in OperationGraph(named: shape, body: { node, launch in if node == 0 { launch.abort("at once") } }) },
        launch("something held for each second step") { shape in
            var graph = OperationGraph(shape.name)
            for node in 0..<shape.count {
                if node.isMultiple(of: 2) {
                    graph.add(shape.identifiers[node]) {}
                } else {
                    try graph.hold(shape.identifiers[node], over: shape.identifiers[node - 1]) {
                    } release: { _ in
                    }
                }
            }
            return graph
        },
        launch("something held for all, and much for one") { shape in
            var graph = OperationGraph(shape.name)
            for node in 0..<shape.count {
                if node <= shape.count / 2 {
                    graph.add(shape.identifiers[node]) {}
                } else {
                    let held = node == shape.count - 1 ? Array(shape.identifiers[...(shape.count / 2)]) : [shape.identifiers[0]]
                    try graph.hold(shape.identifiers[node], over: held) {
                    } release: { _ in
                    }
                }
            }
            return graph
        },
        launch("all options") { shape in
            OperationGraph(named: shape) { node in
                .all([
                    .title("Step \(node)"), .timeout(.seconds(60)), .retry(attempts: 2), .when { true }, .expected(.microseconds(1)),
                    .exclusive("disk \(node % 7)"), .onFailure(.continue), shape.milestone(node),
                ])
            }
        },
    ]

    /// More lanes than processors: an operation may have to wait for a processor, and for its resource.
    private static let fewProcessors = LaunchOptions(lanes: 16, processors: 2)

    /// A graph with fallbacks for the steps that `has` says.
    private static func fallbacks(
        _ shape: Shape,
        expected: Duration = .microseconds(1),
        fails: Bool = false,
        _ has: (Int, Shape) -> Bool
    ) -> OperationGraph {
        var graph = OperationGraph(shape.name)
        for node in 0..<shape.count {
            let options = StepOption.all([.expected(expected), shape.milestone(node)])
            let fallback = has(node, shape) ? 0 : nil
            graph.add(shape.identifiers[node], options, after: shape.names(before: node), fallback: fallback) {
                if fails { throw EngineFailure("the step") }
                return 1
            }
        }
        return graph
    }
}
