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
public struct Step<Value: Sendable>: Sendable, Hashable {
    /// The identifier the step was added under.
    public let id: String
    /// Where the step was in its graph when the handle was made: a hint that saves a lookup, checked before it is used.
    @usableFromInline
    let index: Int32
    /// Whether a step that reads this one runs without a value too.
    @usableFromInline
    let isOptional: Bool

    // 24 bytes in all: what fits into an existential without a box of its own.
    @inlinable
    init(id: String, index: Int32, isOptional: Bool = false) {
        self.id = id
        self.index = index
        self.isOptional = isOptional
    }

    /// The type that the step itself produces.
    @usableFromInline
    var producedType: Any.Type {
        isOptional ? (Value.self as? any OptionalValue.Type)?.wrappedType ?? Value.self : Value.self
    }

    /// What a step that reads this one gets when there is no value; nil when it must not run without one.
    var absent: Value? {
        isOptional ? (Value.self as? any OptionalValue.Type)?.none(as: Value.self) : nil
    }

    /// The same step, read as an optional: `nil` when it was skipped by its condition, or failed under ``FailurePolicy/continue``.
    ///
    /// A step that reads `config` is skipped when there is no configuration; a step that reads `config.optional` runs with `nil`.
    public var optional: Step<Value?> {
        Step<Value?>(id: id, index: index, isOptional: true)
    }

    /// Two handles are equal when they name the same identifier.
    public static func == (left: Step, right: Step) -> Bool {
        left.id == right.id
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// An optional type, as far as a handle has to know it.
private protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    static func none<Value>(as type: Value.Type) -> Value?
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    static func none<Value>(as type: Value.Type) -> Value? { type == Self.self ? Self.none as? Value : nil }
}

/// Something that names the steps another one waits for: a ``Step``, an identifier, or an array of either.
public protocol StepReference: Sendable {
    /// Adds the steps this value names to `list`.
    func add(to list: inout DependencyList)
}

/// The dependencies named for one step, in the order they were written.
public struct DependencyList: Sendable {
    @usableFromInline
    struct Reference: Sendable {
        var id: String
        /// -1 when only the identifier is known.
        var index: Int32
        var needsValue: Bool
    }

    var references: [Reference] = []

    @usableFromInline
    init() {}

    /// Adds the step with the identifier `id`.
    public mutating func add(id: String) {
        references.append(Reference(id: id, index: -1, needsValue: false))
    }
}

extension Step: StepReference {
    /// Adds this step to `list`.
    public func add(to list: inout DependencyList) {
        list.references.append(DependencyList.Reference(id: id, index: index, needsValue: false))
    }

    /// Adds this step to `list` as one whose value is read.
    @usableFromInline
    func addAsInput(to list: inout DependencyList) {
        list.references.append(DependencyList.Reference(id: id, index: index, needsValue: !isOptional))
    }
}

extension String: StepReference {
    /// Adds the step with this identifier to `list`.
    public func add(to list: inout DependencyList) {
        list.add(id: self)
    }
}

extension Array: StepReference where Element: StepReference {
    /// Adds every step of this array to `list`.
    public func add(to list: inout DependencyList) {
        for element in self { element.add(to: &list) }
    }
}
