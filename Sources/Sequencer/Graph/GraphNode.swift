import Foundation

/// One step of a graph: 48 bytes, since most steps have only an identifier and a closure. "building, instructions" in `Benchmarks/instructions.json`, and
/// the row "memory" of the benchmarks, pay for it.
struct GraphNode: Sendable {
    /// The step's options and types, behind one reference, since most steps have no options and produce nothing.
    private enum Details: Sendable {
        case none
        case valueType(Boxed<any Sendable.Type>)
        case policy(Boxed<StepPolicy>)
    }

    var id: String
    var work: StepWork
    private var details: Details

    /// A step that nothing was said about, and that produces a value of that type.
    init(id: consuming String, work: consuming StepWork, valueType: any Sendable.Type) {
        self.id = id
        self.work = work
        details = valueType == Void.self ? .none : .valueType(Boxed(valueType))
    }

    /// Nil when nothing was said: the default policy.
    var policy: Boxed<StepPolicy>? {
        @inline(__always) get { if case .policy(let policy) = details { policy } else { nil } }
    }

    var valueType: any Sendable.Type {
        switch details {
        case .none: Void.self
        case .valueType(let type): type.value
        case .policy(let policy): policy.value.valueType
        }
    }

    /// Whether it produces anything but the fact that it has ended.
    var hasValue: Bool {
        if case .none = details { false } else { valueType != Void.self }
    }

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
        return policy.condition != nil && policy.skipReason == nil
    }

    /// Changes the step's options; its value stays the same.
    mutating func set(_ policy: StepPolicy) {
        var policy = policy
        policy.valueType = valueType
        details = .policy(Boxed(policy))
    }

    /// Lets something be held while the step runs.
    mutating func hold(_ range: HeldRange) {
        var policy = policy?.value ?? .standard
        policy.valueType = valueType
        // Before the change: the list would be copied if the node kept it too, and a step may be held by thousands.
        details = .none
        policy.holds.append(range)
        details = .policy(Boxed(policy))
    }

    /// The Foundation operation that exists already and that the step runs, itself or inside a closure.
    var operation: Operation? {
        if case .operation(let operation) = work { return operation }
        return policy?.value.operation
    }
}

/// One dependency: `node` waits for `target`. Eight bytes, sorted by the million when graphs are large: the row "memory" of the benchmarks.
struct GraphEdge: Sendable {
    var node: Int32
    /// The target, times two, and one more when its value is needed.
    private(set) var bits: Int32

    init(node: Int32, target: Int32, needsValue: Bool) {
        self.node = node
        bits = target << 1 | (needsValue ? 1 : 0)
    }

    var target: Int32 {
        // The shift keeps the sign: a target by name is negative.
        get { bits >> 1 }
        set { bits = newValue << 1 | (bits & 1) }
    }

    var needsValue: Bool { bits & 1 == 1 }
}

extension [GraphEdge] {
    /// How many dependencies each of `count` operations has.
    func degrees(_ count: Int) -> [Int32] {
        var degrees = [Int32](repeating: 0, count: count)
        for edge in self { degrees[Int(edge.node)] += 1 }
        return degrees
    }
}

/// An immutable value behind one reference, so that rare options cost a step eight bytes.
@usableFromInline
final class Boxed<Value: Sendable>: Sendable {
    let value: Value

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }
}
