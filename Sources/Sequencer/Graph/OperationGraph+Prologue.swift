/// The prologue: steps that have been done when the launch has started.
///
/// They run on the main thread, one after the other, inside ``start(budget:options:completion:)``, in the order in
/// which they were added, and everything else after them. Use it for work that has to be done before an app has
/// finished launching: a crash reporter, the database, the registration of background tasks.
///
/// ```swift
/// graph.addPrologue("crash-reporter") { CrashReporter.install() }
/// let database = graph.addPrologue("open-database") { try Database.open() }
/// graph.add("main-app", .milestone, using: database, on: .main) { database in await screen.show(database) }
///
/// func application(_ application: UIApplication, didFinishLaunchingWithOptions: ...) -> Bool {
///     launch = try graph.start(budget: .seconds(3))  // the database is open
///     return true
/// }
/// ```
///
/// They are steps as others are, in reports, plans and drawings, where each waits for the one before it, and all else
/// for the last one. One that throws, or aborts, ends the launch before anything else has begun, and
/// ``RunningLaunch/failure`` has the error; ``StepOption/onFailure(_:)`` and a fallback count as always. Such a step
/// may wait for, and read, steps of the prologue alone, and neither ask a person, nor be tried again after a pause, be
/// put off or be a milestone: ``validated()`` says so.
///
/// ``start(budget:options:completion:)`` and ``run(budget:options:)`` refuse such a graph off the main thread, with a
/// ``GraphError``. In virtual time the prologue takes no time. A timeout, or the deadline, ends such a step in the
/// launch, but gives the main thread back only when its code returns.
extension OperationGraph {
    /// Adds a step to the prologue.
    @discardableResult
    public mutating func addPrologue<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable () throws -> Value
    ) -> Step<Value> {
        let work = StepWork.prologue { _ in try body() }
        return insert(id, options + [.inPrologue], after: dependencies, fallback: .of(value, nil), work: work)
    }

    /// Adds a step to the prologue, which is given its context.
    @discardableResult
    public mutating func addPrologue<Value: Sendable>(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (StepContext) throws -> Value
    ) -> Step<Value> {
        insert(id, options + [.inPrologue], after: dependencies, fallback: .of(value, nil), work: .prologue(body))
    }

    /// Adds a step to the prologue, which reads the values of others.
    @discardableResult
    public mutating func addPrologue<Value: Sendable, Input: Sendable, each More: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using input: Step<Input>,
        _ more: repeat Step<each More>,
        after dependencies: any StepReference...,
        fallback value: Value? = nil,
        body: @escaping @MainActor @Sendable (Input, repeat each More) throws -> Value
    ) -> Step<Value> {
        let work = StepWork.prologue { try body($0.input(input), repeat try $0.input(each more)) }
        let options = options + [.inPrologue]
        return insert(id, options, input, repeat each more, after: dependencies, fallback: .of(value, nil), work: work)
    }

    // MARK: Validation

    /// Lets the steps of the prologue wait for one another, and all else for the last one.
    ///
    /// - Parameter edges: the dependencies between steps that exist.
    func addPrologueDependencies(to edges: inout [GraphEdge], _ problems: inout [GraphProblem]) {
        let prologue = nodes.indices.filter { nodes[$0].isInPrologue }
        guard let last = prologue.last else { return }
        let complaints = prologueProblems(edges)
        problems += complaints
        // With them it would come to circles, which say less.
        guard complaints.isEmpty else { return }
        // Whether nothing that a step waits for comes after the last one of the prologue.
        var isFirst = [Bool](repeating: true, count: count)
        var known: Set<GraphEdge> = []
        for edge in edges {
            if nodes[edge.node].isInPrologue {
                known.insert(GraphEdge(node: edge.node, target: edge.target))
            } else if edge.target == last || !nodes[edge.target].isInPrologue {
                isFirst[edge.node] = false
            }
        }
        for (first, second) in zip(prologue, prologue.dropFirst()) {
            let edge = GraphEdge(node: second, target: first)
            if !known.contains(edge) { edges.append(edge) }
        }
        for node in nodes.indices where isFirst[node] && !nodes[node].isInPrologue { edges.append(GraphEdge(node: node, target: last)) }
    }

    private func prologueProblems(_ edges: [GraphEdge]) -> [GraphProblem] {
        edges.compactMap { edge in
            let (node, target) = (edge.node, edge.target)
            guard nodes[node].isInPrologue else { return nil }
            guard target > node || !nodes[target].isInPrologue else { return nil }
            let complaint =
                nodes[target].isInPrologue
                ? "which comes later; they run in the order in which they were added, so add that one first"
                : "which is not one; add that with addPrologue too, or this one with add"
            let message = "\(label(node)) is a step of the prologue and waits for '\(label(target))', \(complaint)"
            return GraphProblem(.prologue, positions: [node, target], message)
        }
    }
}

extension ValidatedGraph {
    /// Whether an operation is a step of the prologue.
    func isInPrologue(_ node: Int) -> Bool { nodes[node].isInPrologue }

    /// The first step of the prologue. Nil without a prologue, and when a step of it was wrapped into code that may
    /// suspend, such as an injected fault: the prologue then runs as steps of the main thread do, in the same order,
    /// and does not begin within the start.
    var firstOfPrologue: Int? {
        let prologue = nodes.lazy.filter(\.isInPrologue)
        let isWhole = prologue.allSatisfy { if case .prologue = $0.work { true } else { false } }
        return isWhole ? nodes.firstIndex(where: \.isInPrologue) : nil
    }
}

extension GraphNode {
    var isInPrologue: Bool { policy?.value.isInPrologue == true }
}

extension StepOption {
    fileprivate static let inPrologue = StepOption { $0.isInPrologue = true }
}
