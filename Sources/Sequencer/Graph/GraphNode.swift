import Foundation

/// A step of a graph.
struct GraphNode: Sendable {
    var id: String
    var work: StepWork
    /// The type of the value that it produces.
    let valueType: any Sendable.Type
    /// The step's options, behind one reference, since most steps have none: nil for the default policy.
    private(set) var policy: Boxed<StepPolicy>?

    /// Whether it produces anything but the fact that it has ended.
    var hasValue: Bool { valueType != Void.self }

    /// Whether it begins on the main thread.
    var isMain: Bool {
        switch work {
        case .main, .prologue: true
        case .operation, .makeOperation: policy?.value.startsOnMain == true
        case .nothing, .synchronous, .asynchronous, .event: false
        }
    }

    /// Whether its own condition decides if it runs; one that was left out on purpose has another.
    var isConditional: Bool {
        guard let policy = policy?.value else { return false }
        return policy.isConditional && policy.skipReason == nil
    }

    mutating func set(_ policy: StepPolicy) { self.policy = Boxed(policy) }

    /// Whether it does anything but join the steps that it waits for.
    var hasWork: Bool {
        if case .nothing = work { false } else { true }
    }

    /// Lets something be held while the step runs.
    mutating func hold(_ range: HeldRange) {
        var policy = policy?.value ?? .standard
        // Before the change: the list would be copied if the node kept it too, and a step may be held by thousands.
        self.policy = nil
        policy.holds.append(range)
        set(policy)
    }

    /// The Foundation operation that exists already and that the step runs, itself or inside a closure.
    var operation: Operation? {
        if case .operation(let operation) = work { return operation }
        return policy?.value.operation
    }
}

/// A dependency as it was written: by name, for a step of that name may be added later, or take the place of another
/// one.
struct NamedEdge: Sendable {
    /// The step that waits.
    var node: Int
    var dependency: NamedDependency

    var needsValue: Bool { dependency.needsValue }
}

/// A dependency between two steps of the graph: `node` waits for `target`.
struct GraphEdge: Sendable, Hashable {
    var node: Int
    var target: Int
    /// Whether the value of `target` must exist.
    var needsValue = false
}
