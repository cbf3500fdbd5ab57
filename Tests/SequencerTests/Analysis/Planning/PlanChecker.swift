@testable import Sequencer
@testable import SequencerAnalysis

extension LaunchPlan {
    /// Everything about this plan that no launch could be: nothing, for a plan that is right. Computed from the graph, not from the planner's data.
    func faults() -> [String] {
        var faults: [String] = []
        let planned = operations
        func length(_ node: Int) -> Duration {
            graph.isJoin(node) ? .zero : options.whatIf[graph.id(node)] ?? graph.policy(node).expected ?? .zero
        }
        for (node, operation) in planned.enumerated() {
            if operation.id != graph.id(node) { faults.append("\(operation.id) is in the wrong place") }
            if operation.start < .zero { faults.append("\(operation.id) starts before the launch") }
            let isLonger = graph.policy(node).suspends && operation.isMain && operation.duration > length(node) && length(node) > .zero
            if operation.duration != length(node), !isLonger { faults.append("\(operation.id) takes \(operation.duration)") }
            if operation.isMain != graph.graph.nodes[node].isMain { faults.append("\(operation.id) is on the wrong thread") }
            if (operation.lane == nil) != (operation.isMain || graph.isJoin(node) || graph.isEvent(node)) {
                faults.append("\(operation.id) has lane \(String(describing: operation.lane))")
            }
            if let lane = operation.lane, !(1...lanes).contains(lane) { faults.append("\(operation.id) is on lane \(lane) of \(lanes)") }
            if operation.slack < .zero || operation.slack > makespan - operation.end {
                faults.append("\(operation.id) has slack \(operation.slack)")
            }
            for dependency in graph.predecessors[node] where planned[dependency.index].end > operation.start {
                faults.append("\(operation.id) starts before \(graph.id(dependency.index)) ends")
            }
        }
        let keepers = planned.indices.filter { planned[$0].isMain && !graph.policy($0).suspends }
        faults += overlaps(keepers, "the main thread")
        for operation in planned where operation.isMain {
            for keeper in keepers.map({ planned[$0] }) where keeper.id != operation.id {
                let moments = [operation.start, operation.end]
                guard moments.contains(where: { keeper.start < $0 && $0 < keeper.end }) else { continue }
                faults.append("\(operation.id) starts or ends while \(keeper.id) keeps the main thread")
            }
        }
        for lane in Set(planned.compactMap(\.lane)) {
            faults += overlaps(planned.indices.filter { planned[$0].lane == lane }, "lane \(lane)")
        }
        for resource in Set((0..<graph.count).flatMap { graph.policy($0).exclusive }) {
            let holders = planned.indices.filter { graph.policy($0).exclusive.contains(resource) && planned[$0].duration > .zero }
            let limit = graph.limit(of: resource)
            for start in holders.map({ planned[$0].start }) {
                let count = holders.count { planned[$0].start <= start && start < planned[$0].end }
                if count > limit { faults.append("\(count) operations hold \(resource.name) at \(start)") }
            }
        }
        if makespan != planned.map(\.end).max() ?? .zero { faults.append("the makespan is \(makespan)") }
        if makespan < lowerBound || provenLowerBound < lowerBound { faults.append("the lower bound is \(lowerBound), \(provenLowerBound)") }
        if provenLowerBound > makespan { faults.append("proven to be \(provenLowerBound) at least, and is \(makespan)") }
        if !(0...1.000_000_1).contains(utilization) { faults.append("the utilization is \(utilization)") }
        return faults
    }

    private func overlaps(_ nodes: [Int], _ place: String) -> [String] {
        let planned = operations
        let sorted = nodes.filter { planned[$0].duration > .zero }.sorted { planned[$0].start < planned[$1].start }
        return zip(sorted, sorted.dropFirst()).compactMap { first, second in
            planned[first].end > planned[second].start ? "\(planned[first].id) and \(planned[second].id) overlap on \(place)" : nil
        }
    }
}

/// A graph made up from a seed, with steps on the main thread, exclusive resources and joins.
struct RandomPlanGraph: Sendable {
    let random: RandomGraph
    let lanes: Int?
    let graph: OperationGraph

    init(seed: UInt64, operations: ClosedRange<Int>, isPlain: Bool = false) {
        var generator = SplitMix64(seed: seed &+ 1_000)
        let random = RandomGraph(seed: seed, operations: operations)
        let kinds = (0..<random.count).map { _ in isPlain ? 9 : Int.random(in: 0..<10, using: &generator) }
        self.random = random
        lanes = [nil, 1, 2, 3, 8].randomElement(using: &generator) ?? nil
        graph = random.graph(
            options: { node in
                var options: [StepOption] = [.expected(random.durations[node])]
                if kinds[node] == 1 || kinds[node] == 3 { options.append(.exclusive("ui")) }
                if kinds[node] == 2 || kinds[node] == 3 { options.append(.exclusive("database")) }
                if kinds[node] == 4 { options.append(.interactive) }
                return options
            },
            work: { kinds[$0] == 0 || kinds[$0] == 1 ? .main { _ in } : kinds[$0] == 5 ? .nothing : .synchronous { _ in } }
        )
    }
}
