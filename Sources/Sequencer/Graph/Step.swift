import Foundation

/// A handle to a step of an ``OperationGraph``: its identifier and the type of the value it produces.
///
/// Adding a step returns its handle, and only a handle (or an identifier) can be named as a dependency. A handle exists
/// only after its step does, so a graph written with handles cannot hold a cycle, and `using:` reads only values that a
/// declared dependency produces, checked by the compiler:
///
/// ```swift
/// let config = graph.add("fetch-config") { try await api.configuration() }        // Step<Configuration>
/// let login = graph.add("login", using: config) { config in try await auth.session(for: config.country) }
/// ```
///
/// Its description is its identifier. A handle belongs to the graph that returned it, and to that graph's copies:
/// ``OperationGraph/validated()`` and the launches of any other graph refuse it. Graphs are numbered with 32 bits:
/// after 4,294,967,296 graphs, a process uses the first number again.
@frozen
public struct Step<Value: Sendable>: Sendable, CustomStringConvertible {
    /// The identifier the step was added under.
    public let id: String
    /// The graph that made the handle.
    @usableFromInline
    let graph: UInt32
    /// How a step reads this one that runs without its value, too; nil for one that needs the value.
    @usableFromInline
    let optionalReading: OptionalReading<Value>?

    @inlinable
    init(id: String, graph: UInt32, optionalReading: OptionalReading<Value>? = nil) {
        (self.id, self.graph, self.optionalReading) = (id, graph, optionalReading)
    }

    /// The substitute that a reading step gets without a value; nil when it must not run without one.
    var absent: Value? { optionalReading?.absent }

    /// The type that the step itself produces.
    var producedType: Any.Type { optionalReading?.producedType ?? Value.self }

    /// The part of the produced value that a reading step gets; nil without a value.
    func value(in slot: (any Sendable)?) -> Value? {
        slot.flatMap { value in optionalReading.map { $0.present(value) } ?? value as? Value }
    }

    /// The same step, read as an optional: `nil` when it was skipped by its condition, or failed under
    /// ``FailurePolicy/continue``.
    ///
    /// A step that reads `config` is skipped without a configuration; a step that reads `config.optional` runs with
    /// `nil`.
    @_disfavoredOverload
    public var optional: Step<Value?> {
        let reading = OptionalReading<Value?>(producedType: producedType, absent: .none) { [self] value in
            // Not `as? Value?`, which takes no value for one that is nil.
            self.value(in: value).map { .some($0) }
        }
        return Step<Value?>(id: id, graph: graph, optionalReading: reading)
    }

    /// The identifier.
    public var description: String { id }
}

// The compiler takes both `optional` for equally good, were the other one not disfavoured.
extension Step where Value: ExpressibleByNilLiteral {
    /// The same step, read also where it leaves no value: as nil, and not as an optional of an optional.
    ///
    /// ```swift
    /// let account = graph.add("restore-account", .onFailure(.continue)) { try keychain.account() }  // Step<Account?>
    /// graph.add("main-app", .milestone, using: account.optional, on: .main) { account in await screen.show(account) }
    /// ```
    public var optional: Step<Value> {
        let reading = OptionalReading<Value>(producedType: producedType, absent: nil) { [self] in self.value(in: $0) }
        return Step(id: id, graph: graph, optionalReading: reading)
    }
}

extension Step where Value == StepContext {
    /// The context that a step runs in, for its closure: as if it was the value of a step.
    ///
    /// ```swift
    /// graph.add("log-in", using: .context, config) { launch, config in
    ///     launch.note("country: \(config.country)")
    /// }
    /// ```
    ///
    /// A closure without values is given its context as a parameter, without this.
    public static var context: Step<StepContext> { Step(id: "context", graph: noGraph) }
}

/// In place of the number of a graph: ``Step/context`` is a step of none.
let noGraph: UInt32 = 0

/// How a step reads the value of another one as an optional. A class: so all handles are of one size, which the compiler
/// knows.
@usableFromInline
final class OptionalReading<Value: Sendable>: Sendable {
    /// The type that the other step produces.
    let producedType: Any.Type
    /// Stands for a value that is not there.
    let absent: Value
    /// Wraps a value that is there; nil for one of another type.
    let present: @Sendable (any Sendable) -> Value?

    init(producedType: Any.Type, absent: Value, present: @escaping @Sendable (any Sendable) -> Value?) {
        (self.producedType, self.absent, self.present) = (producedType, absent, present)
    }
}

/// Something that names the steps another one waits for: a ``Step``, an identifier, or an array of either.
public protocol StepReference: Sendable {
    /// Adds the steps this value names to `list`.
    func add(to list: inout DependencyList)
}

/// The dependencies of steps, in the order they were written.
public struct DependencyList: Sendable {
    /// The step that waits for those that are added next.
    var node = 0
    var edges: [NamedEdge] = []

    mutating func add(_ dependency: NamedDependency) { edges.append(NamedEdge(node: node, dependency: dependency)) }
}

/// A step whose value is read, and the type of the value.
@usableFromInline
struct StepInput: Sendable {
    let reference: NamedDependency
    let type: Any.Type
}

extension Step: StepReference {
    /// Adds the steps this value names to `list`.
    public func add(to list: inout DependencyList) {
        if graph != noGraph { list.add(NamedDependency(id: id, graph: graph)) }
    }

    /// This step, as one whose value is read; none for the context.
    @usableFromInline
    var inputs: [StepInput] {
        if graph == noGraph { return [] }
        // A step that reads an optional runs without the value, too.
        let reference = NamedDependency(id: id, graph: graph, needsValue: optionalReading == nil)
        return [StepInput(reference: reference, type: producedType)]
    }
}

extension String: StepReference {
    /// Adds the steps this value names to `list`.
    public func add(to list: inout DependencyList) { list.add(NamedDependency(id: self)) }
}

/// A dependency as it was written: by a handle, or by an identifier.
package struct NamedDependency: StepReference {
    var id: String
    /// The graph of the handle; nil when only the identifier is known.
    var graph: UInt32?
    /// Whether the step that waits is skipped without a result of this one, as a step is that reads a missing value.
    var needsValue = false

    package func add(to list: inout DependencyList) { list.add(self) }

    /// The same step, without its value.
    var awaited: NamedDependency { NamedDependency(id: id, graph: graph) }

    /// The step of another name.
    func renamed(_ id: String) -> NamedDependency { NamedDependency(id: id, needsValue: needsValue) }
}

extension NamedDependency {
    /// A dependency of a graph that was read.
    package init(_ id: String, needsValue: Bool) { self.init(id: id, needsValue: needsValue) }
}

extension Array: StepReference where Element: StepReference {
    /// Adds the steps this value names to `list`.
    public func add(to list: inout DependencyList) {
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
    /// Starts on a lane, and may suspend: its lane's thread continues with other work meanwhile.
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
