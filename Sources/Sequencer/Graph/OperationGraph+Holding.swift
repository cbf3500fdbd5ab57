// Something that is held while some steps run.

extension OperationGraph {
    /// Adds a step that takes something, such as a background assertion or a lock, before the first of these steps
    /// starts; when the last one of them has ended, in any way, it is released.
    ///
    /// ```swift
    /// let migrate = graph.add("migrate") { try database.migrate() }
    /// let upload = graph.add("upload", after: migrate) { try await api.upload() }
    /// try graph.hold("background-time", .onFailure(.continue), over: migrate, upload) {
    ///     try BackgroundTime.begin()
    /// } release: { time in
    ///     time.end()
    /// }
    /// ```
    ///
    /// It is a step as others are, and these steps wait for it; where it fails, its failure policy counts. The value
    /// that `take` has returned is released once: when all the steps have ended, each in any way. So a failure, an
    /// abort, a cancel, a timeout or the launch's deadline releases it as well, as soon as the steps that ran have
    /// ended or were left behind. Of several values whose steps end together, the last taken is released first: a pool
    /// before its database. If `take` returns only after that, its value is released at once. Nothing is released that
    /// was not taken.
    ///
    /// Its exclusive resources are held as long, where it succeeds: with ``limit(_:to:)``, no more than so many chains
    /// of steps are begun at a time. These steps, and others that they wait for meanwhile, must not need the resource
    /// themselves; two chains take the same resources in one order. ``validated()`` refuses others.
    ///
    /// ```swift
    /// graph.limit("images", to: 4)
    /// try graph.hold("place-\(number)", .exclusive("images"), over: download, decode) {} release: { _ in }
    /// ```
    ///
    /// `release` is code of the app that the launch does not wait for: it is called once for each launch of the graph,
    /// outside every lock, on a separate thread in real time, and in virtual time at that moment. The end of the
    /// process calls nobody.
    ///
    /// - Parameters:
    ///   - id: the step's identifier.
    ///   - steps: those that it is held for. They are in the graph already.
    ///   - take: takes it. With
    ///       ``StepOption/retry(attempts:timeout:backoff:multiplier:maximumBackoff:jitter:unless:)``, each attempt that
    ///       throws must have taken nothing.
    ///   - release: releases what `take` has returned. It must not block for long.
    /// - Returns: the step; its value is the one that `take` has returned.
    /// - Throws: a ``GraphError`` when one of the steps is not in the graph, or there is none; the graph is as before.
    @discardableResult
    public mutating func hold<Held: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        over steps: any StepReference...,
        take: @escaping @Sendable () async throws -> Held,
        release: @escaping @Sendable (Held) -> Void
    ) throws(GraphError) -> Step<Held> {
        var list = DependencyList()
        for step in steps { step.add(to: &list) }
        if list.edges.isEmpty {
            let complaint = "\(printable(id)): it is held over no steps; name some in 'over'"
            throw GraphError(graph: name, problems: [GraphProblem(.invalidOption, complaint)])
        }
        var range: [Int] = []
        // Before anything is added: after an error the graph is as it was.
        for edge in list.edges { range.append(try position(of: edge.dependency.id)) }

        // Its type is known only here: a graph may hold things of many types.
        let held = HeldRange { value in
            if let value = value as? Held { release(value) }
        }
        let work = StepWork.asynchronous { step in
            let value = try await take()
            // Not at the step's end: one that was left behind has none that counts.
            step.host.took(value, for: held)
            return value
        }
        let options = options + [StepOption { $0.taking = held }]
        let taking: Step<Held> = insert(id, options, after: dependencies, fallback: nil, work: work)
        for step in steps { addDependency(taking, to: step) }
        // A step may be named twice, and holds it once.
        for index in Set(range) { nodes[index].hold(held) }
        return taking
    }

    /// Holds what a step takes over these steps, which wait for it: for a graph that was read.
    package mutating func hold(_ id: String, over ids: [String]) {
        guard let taker = target(of: id) else { return }
        let held = HeldRange { _ in }
        setPolicy(of: taker) { $0.taking = held }
        for step in ids {
            addDependency(id, to: step)
            if let node = target(of: step) { nodes[node].hold(held) }
        }
    }

    /// The steps that may wait for ever for something that is held over others.
    func holdProblems(_ graph: ValidatedGraph) -> [GraphProblem] {
        let takers = graph.heldOver.filter { !graph.policy($0.taker).exclusive.isEmpty }
        if takers.isEmpty { return [] }
        // No other step is looked at: most need nothing, and are before none that does.
        var needs = [Bool](repeating: false, count: count)
        for node in graph.order {
            needs[node] = !graph.policy(node).exclusive.isEmpty || graph.predecessors[node].contains { needs[$0.index] }
        }
        var problems: [GraphProblem] = []
        // With the steps that may wait for other resources meanwhile.
        var chains: [(taker: Int, steps: [Int], before: Set<Int>, users: [Int])] = []
        for (taker, steps) in takers {
            let before = graph.predecessors.reachable(from: [taker]) { needs[$0] }
            let rest = graph.predecessors.reachable(from: steps) { needs[$0] && !before.contains($0) }
            let held = graph.policy(taker).exclusive.filter { $0 != .turn }
            for user in rest.inOrder(by: <) {
                for resource in held where graph.policy(user).exclusive.contains(resource) {
                    // With more units, only one that comes after the taker is sure to need one more.
                    let isBehind = graph.predecessors.reachable(from: user).contains(taker)
                    guard graph.limit(of: resource) == 1 || isBehind else { continue }
                    let how = steps.contains(user) ? "is held over it" : "'\(label(taker))' holds over steps behind it"
                    let advice = isBehind ? "leave out its '.exclusive'" : "let '\(label(taker))' wait for it"
                    let complaint = "\(label(user)): it waits for '\(printable(resource.name))', which \(how); \(advice)"
                    problems.append(GraphProblem(.invalidOption, positions: [user], complaint))
                }
            }
            let users = rest.filter {
                graph.policy($0).exclusive.contains { graph.limit(of: $0) == 1 && $0 != .turn && !held.contains($0) }
            }
            if !users.isEmpty { chains.append((taker, steps, before, Array(users))) }
        }
        /// A resource of `taker` that is needed by one of `users` that has not ended when `taker` begins.
        func conflict(_ taker: Int, _ before: Set<Int>, _ users: [Int]) -> ExclusiveResource? {
            graph.policy(taker).exclusive.first { resource in
                graph.limit(of: resource) == 1 && resource != .turn
                    && users.contains { !before.contains($0) && graph.policy($0).exclusive.contains(resource) }
            }
        }
        /// What a chain waits for and the next one holds.
        func awaited(_ chain: Int, _ next: Int) -> ExclusiveResource? {
            conflict(chains[next].taker, chains[next].before, chains[chain].users)
        }
        /// Whether neither of them is over before the other one begins.
        func mayMeet(_ one: Int, _ other: Int) -> Bool {
            !chains[one].steps.allSatisfy(chains[other].before.contains)
                && !chains[other].steps.allSatisfy(chains[one].before.contains)
        }
        let next = chains.indices.map { chain in
            chains.indices.filter { $0 != chain && mayMeet(chain, $0) && awaited(chain, $0) != nil }
        }
        for first in chains.indices {
            // Breadth first: the first way back is a shortest one. It is told of at the first chain of the circle.
            var (ways, met, place) = ([[first]], Set<Int>(), 0)
            while place < ways.count {
                let way = ways[place], last = way[way.count - 1]
                place += 1
                if next[last].contains(first) {
                    let held = zip([last] + way, way).map { awaited($0, $1).map { printable($0.name) } ?? "" }
                    let holds = zip(way, zip(held, held.dropFirst() + held.prefix(1))).map { chain, resources in
                        "'\(label(chains[chain].taker))' holds '\(resources.0)' over steps that wait for '\(resources.1)'"
                    }
                    let advice = "each may wait for the next, so take these resources in one order"
                    let complaint = "\(holds.joined(separator: ", ")); \(advice)"
                    problems.append(GraphProblem(.invalidOption, positions: way.map { chains[$0].taker }, complaint))
                    break
                }
                for chain in next[last] where chain > first && !met.contains(chain) {
                    guard way.allSatisfy({ mayMeet($0, chain) }) else { continue }
                    met.insert(chain)
                    ways.append(way + [chain])
                }
            }
        }
        return problems
    }
}

extension ValidatedGraph {
    /// The steps that hold something over others, and these, each in the order in which they were added.
    package var heldOver: [(taker: Int, steps: [Int])] {
        var steps: [ObjectIdentifier: [Int]] = [:]
        // Not `policy(_:)`, which copies the standard one for each of the many that have none.
        for node in nodes.indices {
            for range in nodes[node].policy?.value.holds ?? [] { steps[ObjectIdentifier(range), default: []].append(node) }
        }
        return nodes.indices.compactMap { node in
            nodes[node].policy?.value.taking.map { (taker: node, steps: steps[ObjectIdentifier($0)] ?? []) }
        }
    }
}

/// Something that is held while some steps run. Which steps these are, they say themselves: steps can be taken out of a
/// graph.
final class HeldRange: Sendable {
    let release: @Sendable (any Sendable) -> Void

    init(release: @escaping @Sendable (any Sendable) -> Void) { self.release = release }
}
