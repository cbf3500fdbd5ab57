/// What a service is registered and asked for under: a name, and the type of what is registered.
public struct ServiceKey<Value: Sendable>: Sendable, Hashable, CustomStringConvertible {
    /// The name. Names are unique, whatever the type.
    public let name: String

    /// A key.
    public init(_ name: String, of type: Value.Type = Value.self) { self.name = name }

    /// The name.
    public var description: String { name }
}

/// One registration has to come after another, and why.
public struct OrderConstraint: Sendable, Hashable {
    /// What has to come first.
    public let predecessor: String
    /// What goes wrong otherwise.
    public let reason: String

    /// After `predecessor`, for `reason`.
    public static func after(_ predecessor: String, because reason: String) -> OrderConstraint {
        OrderConstraint(predecessor: predecessor, reason: reason)
    }
}

/// What is expected of one registration.
public struct RegistrationRule: Sendable, Hashable {
    /// The name of the registration.
    public let name: String
    /// Whether there is no launch without it. What is not required may be absent: a module that is not activated.
    public let isRequired: Bool
    /// Why nothing may be registered before it; nil when something may.
    public let rootReason: String?
    /// What has to come before it.
    public let constraints: [OrderConstraint]

    /// A rule.
    public init(_ name: String, isRequired: Bool = false, rootBecause rootReason: String? = nil, _ constraints: OrderConstraint...) {
        self.name = name
        self.isRequired = isRequired
        self.rootReason = rootReason
        self.constraints = constraints
    }
}
