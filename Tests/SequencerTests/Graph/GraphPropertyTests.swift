import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

@Suite("Random graphs answer as their definition says", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphPropertyTests {
    private static let graphs = RandomGraph.many(Nightly.times(day: 14, night: 90))
    private static let small = RandomGraph.many(Nightly.times(day: 14, night: 90), operations: 1...24)

    private func expected(_ random: RandomGraph) -> (Int) -> [StepOption] {
        { [.expected(random.durations[$0])] }
    }

    @Test("edges, neighbours, ancestors and descendants", arguments: graphs)
    func relations(random: RandomGraph) throws {
        let (graph, model) = (try random.graph().validated(), GraphModel(random))
        #expect(graph.edges == model.edges)
        for operation in stride(from: 0, to: random.count, by: max(1, random.count / 10)) {
            let id = random.id(operation)
            #expect(try graph.dependencies(of: id) == Set(random.edges[operation].1.map(random.id)))
            #expect(try graph.ancestors(of: id) == model.ids(model.ancestors[operation]))
            #expect(try graph.descendants(of: id) == model.descendants(of: operation))
            #expect(try graph.dependents(of: id) == Set(random.edges.filter { $0.1.contains(operation) }.map { random.id($0.0) }))
        }
    }

    @Test("the topological order has every operation once, after all it waits for", arguments: graphs)
    func topologicalOrder(random: RandomGraph) throws {
        let order = try random.graph().validated().topologicalOrder
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        #expect(places.count == random.count)
        for (node, dependencies) in random.edges {
            let place = try #require(places[random.id(node)])
            #expect(dependencies.allSatisfy { places[random.id($0)] ?? .max < place })
        }
    }

    @Test("a level is the length of the longest chain before its operations", arguments: graphs)
    func levels(random: RandomGraph) throws {
        var levels: [[String]] = []
        for (operation, depth) in GraphModel(random).depths.enumerated() {
            while levels.count <= depth { levels.append([]) }
            levels[depth].append(random.id(operation))
        }
        #expect(try random.graph().validated().levels == levels)
    }

    @Test("A2: adding operations in any order gives the same graph", arguments: graphs)
    func anyOrder(random: RandomGraph) throws {
        var generator = SplitMix64(seed: random.seed)
        let order = (0..<random.count).shuffled(using: &generator)
        let written = try random.graph(options: expected(random), work: RandomGraph.idle).validated()
        let shuffled = try random.graph(order: order, options: expected(random), work: RandomGraph.idle).validated()
        #expect(shuffled.edges == written.edges)
        #expect(shuffled.levels.map(Set.init) == written.levels.map(Set.init))
        #expect(shuffled.impliedEdges == written.impliedEdges)
        #expect(shuffled.criticalPathDuration == written.criticalPathDuration)
        #expect(shuffled.difference(from: written).isEmpty)
        let operation = random.id(order[0])
        #expect(try shuffled.slack(of: operation) == written.slack(of: operation))
    }

    @Test("implied edges are those that the definition names, and without them the same operations wait for each other", arguments: graphs)
    func reduction(random: RandomGraph) throws {
        let (graph, model) = (try random.graph().validated(), GraphModel(random))
        let reduced = graph.reduced()
        #expect(graph.impliedEdges == model.impliedEdges)
        #expect(reduced.edges == model.edges.subtracting(model.impliedEdges))
        #expect(reduced.impliedEdges.isEmpty)
        for operation in stride(from: 0, to: random.count, by: max(1, random.count / 10)) {
            #expect(try reduced.ancestors(of: random.id(operation)) == graph.ancestors(of: random.id(operation)))
        }
        #expect(try reduced.graph.validated().edges == reduced.edges)
    }

    @Test("no dependency can be left out of a reduced graph", arguments: small)
    func minimality(random: RandomGraph) throws {
        let reduced = try random.graph().validated().reduced()
        for left in reduced.graph.dependencies.edges.indices {
            var graph = reduced.graph
            let edge = graph.dependencies.edges.remove(at: left)
            let ancestors = try graph.validated().ancestors(of: reduced.id(edge.node))
            #expect(!ancestors.contains(edge.dependency.id))
        }
    }

    @Test("the critical path is the longest one, and slack is what is missing to it", arguments: graphs)
    func criticalPath(random: RandomGraph) throws {
        let graph = try random.graph(options: expected(random), work: RandomGraph.idle).validated()
        let through = GraphModel(random).longestPathThrough
        let (path, length) = (graph.criticalPath, graph.criticalPathDuration)
        let isAnyExpected = random.durations.contains { $0 > .zero }
        #expect(length == through.max())
        for (id, next) in zip(path, path.dropFirst()) {
            let dependencies = try graph.dependencies(of: next)
            #expect(dependencies.contains(id))
        }
        #expect(try graph.dependencies(of: path.first ?? "").isEmpty)
        #expect(try graph.dependents(of: path.last ?? "").isEmpty)

        let positions = try path.map { try graph.index(of: $0) }
        #expect(!isAnyExpected || positions.reduce(.zero) { $0 + random.durations[$1] } == length)
        let expectedPath = graph.expectedPath
        let slacks = (0..<random.count).map { expectedPath.slack($0) }
        #expect(!isAnyExpected || slacks == through.map { (length - $0).nanoseconds })
        #expect(slacks.allSatisfy { $0 >= 0 })
        #expect(positions.allSatisfy { slacks[$0] == 0 })
        #expect(try graph.slack(of: random.id(random.count - 1)) == length - through[random.count - 1])
    }

    @Test("two operations can overlap unless one waits for the other, or both hold the same resource", arguments: small)
    func overlap(random: RandomGraph) throws {
        let model = GraphModel(random)
        let graph = try random.graph { $0.isMultiple(of: 3) ? [.exclusive(.userInterface)] : [] }.validated()
        for left in 0..<random.count {
            for right in 0..<random.count {
                let isFree = !model.ancestors[left][right] && !model.ancestors[right][left] && left != right
                let canOverlap = isFree && !(left.isMultiple(of: 3) && right.isMultiple(of: 3))
                #expect(try graph.canOverlap(random.id(left), random.id(right)) == canOverlap)
            }
        }
    }

    @Test("a difference has what one graph needs to become the other", arguments: 0..<UInt64(Nightly.times(day: 20, night: 140)))
    func difference(seed: UInt64) throws {
        let old = try RandomGraph(seed: seed, operations: 1...60).graph().validated()
        let new = try RandomGraph(seed: seed + 1000, operations: 1...60).graph().validated()
        #expect(old.difference(from: old).isEmpty)

        let difference = new.difference(from: old)
        #expect(new.count == old.count + difference.addedSteps.count - difference.removedSteps.count)
        #expect(Set(new.graph.identifiers) == Set(old.graph.identifiers).subtracting(difference.removedSteps).union(difference.addedSteps))
        let changed = Set(difference.addedSteps + difference.removedSteps)
        func shared(_ graph: ValidatedGraph) -> Set<ValidatedGraph.Edge> {
            graph.edges.filter { !changed.contains($0.operation) && !changed.contains($0.dependency) }
        }
        #expect(shared(new) == shared(old).subtracting(difference.removedEdges).union(difference.addedEdges))

        let back = old.difference(from: new)
        #expect(back.addedSteps == difference.removedSteps)
        #expect(back.removedSteps == difference.addedSteps)
        #expect(back.addedEdges == difference.removedEdges)
        #expect(back.removedEdges == difference.addedEdges)
    }

    @Test("a step in another one's place has its neighbours, and nothing else changes", arguments: graphs)
    func replacement(random: RandomGraph) throws {
        let old = try random.graph().validated()
        var generator = SplitMix64(seed: random.seed)
        let step = random.id(Int.random(in: 0..<random.count, using: &generator))
        var graph = old.graph
        graph.join("new")
        try graph.replace(step, with: "new")
        let new = try graph.validated()
        #expect(try new.dependencies(of: "new") == old.dependencies(of: step))
        #expect(try new.dependents(of: "new") == old.dependents(of: step))
        #expect(new.difference(from: old).description == "- \(step)\n+ new")
    }

    @Test("removing steps leaves what the others wait for as it was", arguments: small)
    func removal(random: RandomGraph) throws {
        let model = GraphModel(random)
        var generator = SplitMix64(seed: random.seed)
        let removed = (0..<random.count).filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
        var graph = random.graph()
        for operation in removed { #expect(graph.remove(random.id(operation)) == true) }
        let valid = try graph.validated()
        let gone = Set(removed.map(random.id))
        for operation in 0..<random.count where !removed.contains(operation) {
            #expect(try valid.ancestors(of: random.id(operation)) == model.ids(model.ancestors[operation]).subtracting(gone))
        }
    }

    @Test("an edge back closes a cycle, and the error shows one that is there", arguments: graphs)
    func cycles(random: RandomGraph) throws {
        var generator = SplitMix64(seed: random.seed)
        let dependents = random.edges.filter { !$0.1.isEmpty }.map(\.0)
        guard let last = dependents.randomElement(using: &generator) else { return }
        let model = GraphModel(random)
        let earlier = try #require((0..<last).filter { model.ancestors[last][$0] }.randomElement(using: &generator))
        var graph = random.graph(order: (0..<random.count).shuffled(using: &generator))
        graph.addDependency(random.id(last), to: random.id(earlier))

        let problem = try #require(graph.problems.first)
        let edges = model.edges.union([.init(random.id(earlier), after: random.id(last))])
        #expect(graph.problems.count == 1, "every cycle goes through the one edge back")
        #expect(problem.code == .cycle)
        #expect(problem.path.count > 2 && problem.path.first == problem.path.last)
        #expect(Set(problem.path).count == problem.path.count - 1)
        #expect(zip(problem.path, problem.path.dropFirst()).allSatisfy { edges.contains(.init($0, after: $1)) })
        #expect(problem.positions == problem.path.dropLast().map { graph.identifiers.firstIndex(of: $0) })
        #expect(problem.positions.min() == problem.positions.first)
    }
}
