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
    ///   - id: its identifier; the operation's `name` if it has one, else its type's name in lower case with hyphens and without `Operation`
    ///     and generic arguments.
    @discardableResult
    public mutating func add(
        _ operation: Operation,
        id: String? = nil,
        _ options: StepOption...,
        after dependencies: any StepReference...
    ) -> Step<Void> {
        let id = id ?? Self.identifier(for: operation)
        let index = insert(
            id,
            options: options,
            inputs: DependencyList(),
            dependencies: dependencies,
            valueType: Void.self,
            work: .operation(operation)
        )
        return Step(id: id, index: index)
    }

    /// Adds a step whose `Operation` is made anew for each run, and for each attempt; one that cannot be made fails the attempt.
    ///
    /// ```swift
    /// graph.addOperation("tutorial", .retry(attempts: 2), after: login) { _ in PresentTutorialOperation() }
    /// ```
    @discardableResult
    public mutating func addOperation(
        _ id: String,
        _ options: StepOption...,
        after dependencies: any StepReference...,
        make: @escaping @Sendable (Launch) throws -> Operation
    ) -> Step<Void> {
        let index = insert(
            id,
            options: options,
            inputs: DependencyList(),
            dependencies: dependencies,
            valueType: Void.self,
            work: .makeOperation(make)
        )
        return Step(id: id, index: index)
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
}
