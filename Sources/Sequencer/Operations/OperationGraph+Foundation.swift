import Foundation

/// Steps that are Foundation operations.
extension OperationGraph {
    /// Adds an `Operation` that exists already; a graph that holds one runs once.
    ///
    /// Dependencies made with `addDependency` between operations of the graph count as dependencies of the graph; a
    /// dependency on an operation outside of the graph is an error, for it might never end. If others wait in this way
    /// for an operation whose step ends without having started it, it is cancelled and then started, which ends it
    /// without its work, as in an operation queue. An operation that ends cancelled ends as ``Outcome/cancelled``; a
    /// ``ConcurrentOperation`` can end as failed. The engine calls `start()` itself, leaves `completionBlock` alone,
    /// and does not put the operation into a queue. An operation belongs to one launch at a time: another that is
    /// started meanwhile is refused.
    ///
    /// - Parameters:
    ///   - operation: the operation. It must not be in a queue: Foundation ends the process when one that waits in a
    ///     queue is started by somebody else. A start refuses one that it finds in ``LaunchOptions/queue``, in the main
    ///     queue or in the current one, and the step fails whose operation a queue has started; the engine cannot see
    ///     that one waits in any other queue.
    ///   - id: its identifier; the operation's `name` if it has one, else its type's name in lower case with hyphens
    ///     and without `Operation` and generic arguments.
    ///   - thread: `.main` to start it on the main thread; nil to start it on a lane.
    @discardableResult
    public mutating func add(
        _ operation: some Operation,  // Generic, so that the compiler prefers the next method for a value operation.
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        on thread: MainThread? = nil
    ) -> Step<Void> {
        insert(operation, id, options, after: dependencies, on: thread)
    }

    /// Adds a ``ValueOperation`` that exists already, as any other `Operation` is added; other steps can read the value
    /// it leaves.
    ///
    /// ```swift
    /// let config = graph.add(FetchConfigOperation(), .timeout(.seconds(1)), fallback: .bundled)
    /// ```
    ///
    /// For a computed fallback, use ``addValueOperation(_:_:using:after:on:fallback:make:fallback:)``.
    ///
    /// - Parameter fallback: the value to use when the operation fails, times out or is cancelled alone.
    ///   Nil for none; if the value is an optional, write a nil fallback as `.some(nil)`.
    @discardableResult
    public mutating func add<Value: Sendable>(
        _ operation: ValueOperation<Value>,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        on thread: MainThread? = nil,
        fallback: Value? = nil
    ) -> Step<Value> {
        insert(operation, id, options, after: dependencies, on: thread, fallback: .of(fallback, nil))
    }

    /// Adds a step whose `Operation` is made anew for each run, and for each attempt; one that cannot be made fails the
    /// attempt.
    ///
    /// It is made on the thread that starts it: with `on: .main` the main thread.
    ///
    /// ```swift
    /// graph.addOperation("tutorial", .retry(attempts: 2), using: config, after: login) { _, config in PresentTutorialOperation(config) }
    /// ```
    @discardableResult
    @inlinable
    public mutating func addOperation<each Input: Sendable>(
        _ id: String,
        _ options: StepOption...,
        using inputs: repeat Step<each Input>,
        after dependencies: any StepReference...,
        on thread: MainThread? = nil,
        make: @escaping @Sendable (StepContext, repeat each Input) throws -> Operation
    ) -> Step<Void> {
        insert(
            id,
            options + .on(thread),
            repeat each inputs,
            after: dependencies,
            fallback: nil,
            work: .makeOperation { context in try make(context, repeat try context.input(each inputs)) }
        )
    }

    private mutating func insert<Value: Sendable>(
        _ operation: Operation,
        _ id: String?,
        _ options: [StepOption],
        after dependencies: [any StepReference],
        on thread: MainThread?,
        fallback: StepFallback? = nil
    ) -> Step<Value> {
        let id = id ?? Self.identifier(for: operation)
        return insert(id, options + .on(thread), after: dependencies, fallback: fallback, work: .operation(operation))
    }

    static func identifier(for operation: Operation) -> String {
        if let name = operation.name, !name.isEmpty { return name }
        return identifier(for: type(of: operation))
    }

    /// `PresentTutorialOperation` → `present-tutorial`, `HTTPFetchOperation<User>` → `http-fetch`.
    static func identifier(for type: Operation.Type) -> String {
        let name = Array(String(describing: type).prefix { $0 != "<" })
        var words = ""
        for (index, character) in name.enumerated() {
            if character.isUppercase, index > 0 {
                // A capital begins a word after a small letter or a digit, and as the last of several ("HTTPFetch").
                let (last, isFollowedBySmall) = (name[index - 1], index + 1 < name.count && name[index + 1].isLowercase)
                if last.isLowercase || last.isNumber || last.isUppercase && isFollowedBySmall { words.append("-") }
            }
            words.append(character.lowercased())
        }
        let suffix = "-operation"
        return words.hasSuffix(suffix) ? String(words.dropLast(suffix.count)) : words
    }

    /// Makes dependencies of the graph out of those that Foundation operations have among themselves, and checks that
    /// each can run here.
    ///
    /// - Returns: where they are.
    func addOperationDependencies(to edges: inout [GraphEdge], _ problems: inout [GraphProblem]) -> [Int] {
        let operations = nodes.indices.compactMap { position in nodes[position].operation.map { (position, $0) } }
        if operations.isEmpty { return [] }
        var owner = [ObjectIdentifier: Int](minimumCapacity: operations.count)
        func refuse(_ positions: [Int], _ complaint: String) {
            problems.append(GraphProblem(.foreignOperation, positions: positions, complaint))
        }
        for (position, operation) in operations {
            let id = printable(nodes[position].id)
            if let first = owner.updateValue(position, forKey: ObjectIdentifier(operation)) {
                refuse([first, position], "'\(printable(nodes[first].id))' and '\(id)' are the same Operation; an Operation runs once")
            }
            if nodes[position].policy?.value.retry != nil {
                refuse(
                    [position],
                    "\(id) has a retry, but an Operation runs once; add it with addOperation, which makes one for each attempt"
                )
            }
            // Started once more, it would end the process, inside Foundation (G19).
            if operation.isExecuting || operation.isFinished {
                let state = operation.isFinished ? "has finished" : "runs"
                refuse([position], "\(id): its Operation \(state) already; an Operation runs once, make a new one")
            }
        }
        // In a separate pass: an operation may depend on one that was added after it.
        for (position, operation) in operations {
            // A finished operation holds nothing up, in the graph or not.
            for dependency in operation.dependencies where !dependency.isFinished {
                if let target = owner[ObjectIdentifier(dependency)] {
                    if target != position { edges.append(GraphEdge(node: position, target: target)) }
                } else {
                    // It might never run, and nothing of the launch would say why this one waits (G5).
                    let name = Self.identifier(for: dependency)
                    let complaint = "waits, by addDependency, for the Operation '\(printable(name))', which is not in the graph; add it"
                    refuse([position], "\(printable(nodes[position].id)) \(complaint)")
                }
            }
        }
        return operations.map(\.0)
    }
}

extension [StepOption] {
    /// Where an operation is started: nothing to say of one that is started on a lane.
    @usableFromInline
    static func on(_ thread: MainThread?) -> [StepOption] {
        thread == nil ? [] : [StepOption { $0.startsOnMain = true }]
    }
}
