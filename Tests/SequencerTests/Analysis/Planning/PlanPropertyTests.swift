import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Plans of random graphs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PlanPropertyTests {
    @Test("Every plan could be a launch, and searching makes none longer", arguments: 0..<Nightly.times(day: 20, night: 60))
    func valid(seed: Int) throws {
        let sample = RandomPlanGraph(seed: UInt64(seed), operations: 1...25)
        let graph = try sample.graph.validated()
        let first = try graph.plan(PlanOptions(lanes: sample.lanes, effort: 0))
        let plan = try graph.plan(PlanOptions(lanes: sample.lanes))
        #expect(first.faults() == [])
        #expect(plan.faults() == [])
        #expect(first.evaluations == 1)
        #expect(plan.makespan <= first.makespan)
        #expect(
            plan.lowerBound
                == max(plan.bounds.criticalPath, plan.bounds.lanes, plan.bounds.main, plan.bounds.resources.values.max() ?? .zero)
        )
    }

    @Test("On large graphs too", arguments: [2_000])
    func large(count: Int) throws {
        let graph = try RandomGraph(seed: 7, operations: count...count, shape: .layered).graph(
            options: { [.expected(.milliseconds(1 + $0 % 7))] },
            work: { _ in .synchronous { _ in } }
        ).validated()
        #expect(try graph.plan(PlanOptions(lanes: 4, effort: 0)).faults() == [])
    }

    @Test(
        "Ten thousand operations that all need the same resource are planned in the order of their keys, without looking at each again and again",
        .nightly
    )
    func contended() throws {
        var graph = OperationGraph("graph")
        for number in 0..<10_000 {
            let resources: [ExclusiveResource] = number % 3 == 0 ? ["ui", "disk"] : ["disk"]
            if number % 5 == 0 {
                graph.add("n\(number)", .expected(.milliseconds(1 + number % 7)), .exclusive(resources), on: .main) {}
            } else {
                graph.add("n\(number)", .expected(.milliseconds(number % 7)), .exclusive(resources)) {}
            }
        }
        let plan = try graph.plan(PlanOptions(lanes: 4))
        #expect(plan.faults() == [])
        #expect(plan.makespan == plan.work)
    }

    @Test("A chain of 100,000 joins and steps is planned without recursion")
    func chain() throws {
        let graph = try RandomGraph(seed: 7, operations: 100_000...100_000, shape: .chain).graph(
            options: { $0 % 10 == 0 ? [.expected(.hours24)] : [] },
            work: { $0 % 10 == 0 ? .synchronous { _ in } : .nothing }
        ).validated()
        let plan = try graph.plan(PlanOptions(lanes: 2, effort: 0))
        #expect(plan.makespan == .seconds(864_000_000))
        #expect(plan.isShortest)
    }

    @Test(
        "An operation that ends later by its slack, and no more, leaves the plan as long as it was",
        arguments: 0..<Nightly.times(day: 15, night: 40)
    )
    func slack(seed: Int) throws {
        let sample = RandomPlanGraph(seed: UInt64(seed), operations: 1...15)
        let graph = try sample.graph.validated()
        let plan = try graph.plan(PlanOptions(lanes: sample.lanes))
        for (node, operation) in plan.operations.enumerated() where !graph.isJoin(node) {
            #expect(plan.makespan(delaying: node, by: operation.slack) == plan.makespan, "\(operation.id)")
            #expect(plan.makespan(delaying: node, by: operation.slack + .nanoseconds(1)) > plan.makespan, "\(operation.id)")
        }
    }

    @Test("The shortest plan of a tiny graph, found by trying all orders, is found", arguments: 0..<Nightly.times(day: 40, night: 120))
    func tiny(seed: Int) throws {
        let sample = RandomPlanGraph(seed: UInt64(seed), operations: 1...6)
        let lanes = sample.lanes ?? 2
        let plan = try sample.graph.plan(PlanOptions(lanes: lanes))
        let problem = plan.problem
        var scheduler = ListScheduler(problem, lanes: lanes)
        var (shortestList, shortest) = (Nanoseconds.max, Nanoseconds.max)
        forEachPermutation(problem.count) { keys in
            shortestList = min(shortestList, scheduler.schedule(keys.map(Int64.init)))
            shortest = min(shortest, serialMakespan(problem, lanes: lanes, keys))
        }
        #expect(plan.makespan == .nanoseconds(shortestList))
        // No schedule at all, one that lets lanes idle included, is shorter than the bounds.
        #expect(plan.provenLowerBound <= .nanoseconds(shortest))
        #expect(shortest <= shortestList)
    }
}

extension Duration {
    fileprivate static var hours24: Duration { .seconds(86_400) }
}

extension LaunchPlan {
    /// How long the plan is when one operation takes longer, and all keep their places and their order.
    fileprivate func makespan(delaying delayed: Int, by delay: Duration) -> Duration {
        var ends: [Int: Duration] = [:]
        var (lanes, main, resources): ([Int: Duration], Duration, [ExclusiveResource: Duration]) = ([:], .zero, [:])
        let planned = operations
        for node in sequence.map(Int.init) {
            var start = graph.predecessors[node].map { ends[$0.index] ?? .zero }.max() ?? .zero
            let needed = graph.policy(node).exclusive
            if let lane = planned[node].lane { start = max(start, lanes[lane] ?? .zero) }
            if planned[node].isMain { start = max(start, main) }
            for resource in needed { start = max(start, resources[resource] ?? .zero) }
            let end = start + planned[node].duration + (node == delayed ? delay : .zero)
            ends[node] = end
            if let lane = planned[node].lane { lanes[lane] = end }
            if planned[node].isMain { main = end }
            for resource in needed { resources[resource] = end }
        }
        return ends.values.max() ?? .zero
    }
}

/// The makespan when each operation, one after the other, is put in the first gap it fits in: for some order, the shortest there is
/// (A. Sprecher, R. Kolisch, A. Drexl, "Semi-active, active, and non-delay schedules", 1995).
private func serialMakespan(_ problem: PlanningProblem, lanes: Int, _ keys: [Int]) -> Nanoseconds {
    var ends: [Int: Nanoseconds] = [:]
    var placed: [(node: Int, start: Nanoseconds, end: Nanoseconds)] = []
    while ends.count < problem.count {
        let ready = (0..<problem.count).filter { node in
            ends[node] == nil && problem.predecessors[node].allSatisfy { ends[Int($0)] != nil }
        }
        guard let node = ready.min(by: { keys[$0] < keys[$1] }) else { break }
        let earliest = problem.predecessors[node].compactMap { ends[Int($0)] }.max() ?? 0
        let starts = ([earliest] + placed.map(\.end).filter { $0 > earliest }).sorted()
        for start in starts {
            let end = start + problem.durations[node]
            guard fits(problem, lanes, node, start, end, placed) else { continue }
            ends[node] = end
            placed.append((node, start, end))
            break
        }
    }
    return ends.values.max() ?? 0
}

private func fits(
    _ problem: PlanningProblem,
    _ lanes: Int,
    _ node: Int,
    _ start: Nanoseconds,
    _ end: Nanoseconds,
    _ placed: [(node: Int, start: Nanoseconds, end: Nanoseconds)]
) -> Bool {
    let others = placed.filter { $0.start < end && start < $0.end }
    for moment in [start] + others.map(\.start).filter({ $0 >= start }) {
        let running = others.filter { $0.start <= moment && moment < $0.end }.map(\.node)
        if problem.places[node] == .lane, running.count(where: { problem.places[$0] == .lane }) >= lanes { return false }
        if problem.places[node] == .main, running.contains(where: { problem.places[$0] == .main }) { return false }
        let held = Set(running.flatMap { problem.resources[$0] })
        if problem.resources[node].contains(where: held.contains) { return false }
    }
    return true
}

/// Calls `body` with every order of `count` numbers (B. R. Heap, "Permutations by Interchanges", 1963).
private func forEachPermutation(_ count: Int, _ body: ([Int]) -> Void) {
    var numbers = Array(0..<count)
    var counters = [Int](repeating: 0, count: count)
    body(numbers)
    var place = 0
    while place < count {
        if counters[place] < place {
            numbers.swapAt(place % 2 == 0 ? 0 : counters[place], place)
            body(numbers)
            counters[place] += 1
            place = 0
        } else {
            counters[place] = 0
            place += 1
        }
    }
}
