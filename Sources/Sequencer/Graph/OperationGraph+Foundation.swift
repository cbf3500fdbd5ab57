import Foundation

/// Steps that are Foundation operations.
extension OperationGraph {
    /// Adds an `Operation` that exists already; a graph that holds one runs once.
    ///
    /// Dependencies made with `addDependency` between operations of the graph count as dependencies of the graph; one on an operation that is
    /// not in the graph is an error, for it might never end. An operation that ends cancelled ends as ``Outcome/cancelled``; a
    /// ``ConcurrentOperation`` can end as failed. The engine calls `start()` on a lane, sets `completionBlock` (and calls the one it found),
    /// and never puts the operation into a queue.
    ///
    /// - Parameters:
    ///   - operation: the operation. It must not be in a queue.
    ///   - id: its identifier; the operation's `name` if it has one, else its type's name in lower case with hyphens and without `Operation`.
    @discardableResult
    public mutating func add(
        _ operation: Operation, id: String? = nil, _ options: StepOption..., after dependencies: any StepReference...
    ) -> Step<Void> {
        let id = id ?? operation.name ?? Self.identifier(for: type(of: operation))
        insert(
            id, options: options, inputs: DependencyList(), dependencies: dependencies, valueType: Void.self, work: .operation(operation))
        return Step(id: id, index: Int32(nodes.count - 1))
    }

    /// Adds a step whose `Operation` is made anew for each run, and for each attempt; one that cannot be made fails the attempt.
    ///
    /// ```swift
    /// graph.addOperation("tutorial", .retry(attempts: 2), after: login) { _ in PresentTutorialOperation() }
    /// ```
    @discardableResult
    public mutating func addOperation(
        _ id: String, _ options: StepOption..., after dependencies: any StepReference...,
        make: @escaping @Sendable (Launch) throws -> Operation
    ) -> Step<Void> {
        insert(
            id, options: options, inputs: DependencyList(), dependencies: dependencies, valueType: Void.self, work: .makeOperation(make))
        return Step(id: id, index: Int32(nodes.count - 1))
    }

    /// `PresentTutorialOperation` → `present-tutorial`.
    static func identifier(for type: Operation.Type) -> String {
        var words = ""
        var previous: Character?
        for character in String(describing: type) {
            if character.isUppercase, let last = previous, last.isLowercase || last.isNumber { words.append("-") }
            words.append(character.lowercased())
            previous = character
        }
        let suffix = "-operation"
        return words.hasSuffix(suffix) ? String(words.dropLast(suffix.count)) : words
    }
}
