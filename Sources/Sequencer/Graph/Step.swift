import Foundation

/// A handle to a step of an ``OperationGraph``: its identifier and the type of the value it produces.
///
/// Adding a step returns its handle, and only a handle (or an identifier) can be named as a dependency. A handle exists only after its
/// step does, so a graph written with handles cannot hold a cycle, and `using:` reads only values that a declared dependency produces,
/// checked by the compiler:
///
/// ```swift
/// let config = graph.add("fetch-config") { try await api.configuration() }        // Step<Configuration>
/// let login = graph.add("login", using: config) { config in try await auth.session(for: config.country) }
/// ```
///
/// Its description is its identifier. A handle belongs to the graph that returned it, and to that graph's copies: ``OperationGraph/validated()`` and the launches of any other graph
/// refuse it. Graphs are numbered with 32 bits: after 4,294,967,296 graphs, a process uses the first number again.
@frozen
public struct Step<Value: Sendable>: Sendable {
    /// The identifier the step was added under.
    public let id: String
    /// The graph that made the handle.
    @usableFromInline
    let graph: UInt32
    /// Whether a step that reads this one runs without a value too.
    @usableFromInline
    let isOptional: Bool

    @inlinable
    init(id: String, graph: UInt32, isOptional: Bool = false) {
        (self.id, self.graph, self.isOptional) = (id, graph, isOptional)
    }

    /// The type that the step itself produces.
    var producedType: Any.Type {
        // By a cast: the compiler does not know here that `Value` is an optional then.
        isOptional ? (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self : Value.self
    }

    /// The substitute that a reading step gets without a value; nil when it must not run without one.
    var absent: Value? {
        isOptional ? (Value.self as? any OptionalValue.Type)?.none(as: Value.self) : nil
    }

    /// The part of the produced value that a reading step gets; nil without a value.
    func value(in slot: (any Sendable)?) -> Value? {
        guard let slot else { return nil }
        return isOptional ? (Value.self as? any OptionalValue.Type)?.some(slot, as: Value.self) : slot as? Value
    }

    /// The same step, read as an optional: `nil` when it was skipped by its condition, or failed under ``FailurePolicy/continue``.
    ///
    /// A step that reads `config` is skipped without a configuration; a step that reads `config.optional` runs with `nil`.
    public var optional: Step<Value?> {
        Step<Value?>(id: id, graph: graph, isOptional: true)
    }
}

extension Step: DescribedValue {
    package var ownDescription: String { id }
}

/// An optional type, as far as a handle has to know it.
private protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    static func none<Value>(as type: Value.Type) -> Value?
    static func some<Value>(_ value: any Sendable, as type: Value.Type) -> Value?
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    static func none<Value>(as type: Value.Type) -> Value? { same(.none) }

    static func some<Value>(_ value: any Sendable, as type: Value.Type) -> Value? {
        guard let value = value as? Wrapped else { return nil }
        return same(.some(value))
    }

    /// The value as one of the type that it is of. A cast of an optional itself looks into it, and makes of no value one that is nil.
    private static func same<Value>(_ value: Self) -> Value? {
        (Unopened(value: value) as? Unopened<Value>)?.value
    }
}

private struct Unopened<Value> {
    let value: Value
}

/// Something that names the steps another one waits for: a ``Step``, an identifier, or an array of either.
public protocol StepReference: Sendable {
    /// Adds the steps this value names to `list`.
    func add(to list: inout DependencyList)
}

/// Steps that name dependencies, as the engine writes them. Apps call none of it.
package protocol DependencySource: StepReference {
    func name(in list: inout DependencyList)
}

extension DependencySource {
    // Public, although the protocol is not: it is how public types conform to the public `StepReference`.
    /// Adds the steps this value names to `list`.
    public func add(to list: inout DependencyList) { name(in: &list) }
}

/// The dependencies of steps, in the order they were written.
public struct DependencyList: Sendable {
    /// What was written: a handle, or an identifier.
    struct Reference: Sendable {
        var id: String
        /// The graph of the handle; nil when only the identifier is known.
        var graph: UInt32?
        var needsValue = false

        /// The same step, without its value.
        var awaited: Reference { Reference(id: id, graph: graph) }

        /// The step of another name.
        func renamed(_ id: String) -> Reference { Reference(id: id, needsValue: needsValue) }
    }

    /// The step that waits for those that are added next.
    var node = 0
    var edges: [NamedEdge] = []

    init(of node: Int = 0) { self.node = node }

    mutating func add(_ dependency: Reference) { edges.append(NamedEdge(node: node, dependency: dependency)) }
}

/// A step whose value is read, and the type of the value.
@usableFromInline
struct StepInput: Sendable {
    let reference: DependencyList.Reference
    let type: Any.Type
}

extension Step: StepReference, DependencySource {
    package func name(in list: inout DependencyList) { list.add(DependencyList.Reference(id: id, graph: graph)) }

    /// This step as one whose value is read.
    @usableFromInline
    var input: StepInput {
        // A step that reads an optional runs without the value, too.
        StepInput(reference: DependencyList.Reference(id: id, graph: graph, needsValue: !isOptional), type: producedType)
    }
}

extension String: StepReference, DependencySource {
    package func name(in list: inout DependencyList) { list.add(DependencyList.Reference(id: self)) }
}

/// A dependency that is named by its identifier, in a graph that was read.
package struct NamedDependency: DependencySource {
    private let id: String
    /// Whether the step that waits is skipped without a result of this one, as a step is that reads a missing value.
    private let needsResult: Bool

    package init(_ id: String, needsResult: Bool) {
        self.id = id
        self.needsResult = needsResult
    }

    package func name(in list: inout DependencyList) {
        list.add(DependencyList.Reference(id: id, needsValue: needsResult))
    }
}

extension Array: StepReference, DependencySource where Element: StepReference {
    package func name(in list: inout DependencyList) {
        for element in self { element.add(to: &list) }
    }
}

/// The work of a step.
@usableFromInline
enum StepWork: Sendable {
    /// Nothing: the step joins others.
    case nothing
    /// Runs on a lane, and has ended when it returns.
    case synchronous(@Sendable (StepContext) throws -> any Sendable)
    /// Starts on a lane, and may suspend: its lane's thread goes on with other work meanwhile.
    case asynchronous(@Sendable (StepContext) async throws -> any Sendable)
    /// Runs on the main thread.
    case main(@MainActor @Sendable (StepContext) async throws -> any Sendable)
    /// Runs on the main thread, within the start of the launch.
    case prologue(@MainActor @Sendable (StepContext) throws -> any Sendable)
    /// A Foundation operation that exists already.
    case operation(Operation)
    /// A Foundation operation made for each run.
    case makeOperation(@Sendable (StepContext) throws -> Operation)
    /// Nothing but the wait for something that happens outside: without a lane and without a thread.
    case event(EventStorage)
}
