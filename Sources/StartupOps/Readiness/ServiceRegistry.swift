import Foundation
import Sequencer

/// Keeps the services that the parts of an app register while it is set up, and names those that are missing or came in the wrong order, and the reason.
///
/// Nothing traps: a service that is asked for too early is a thrown error which names the accessor and the missing registrations, and `validate()`,
/// called before the launch goes on, finds a forgotten service before anybody asks for it. Registrations are kept even when they came in the
/// wrong order. Every method can be called from any thread; registering anywhere but on the main thread is reported.
///
/// ```swift
/// let registry = ServiceRegistry(rules: RegistrationRule.bootstrap)
/// registry.register(keys, for: .clientKeys)
/// try registry.validate()
/// let keys = try registry.value(.clientKeys)
/// ```
package final class ServiceRegistry: Sendable {
    private struct State {
        var machine: RegistryStateMachine
        var values: [String: any Sendable] = [:]
    }

    private let state: Locked<State>
    private let isMainThread: @Sendable () -> Bool

    /// An empty registry.
    ///
    /// - Parameters:
    ///   - rules: the expected registrations; without rules everything is accepted in any order.
    ///   - isMainThread: whether the calling thread is the one that set-up belongs to.
    init(rules: [RegistrationRule] = [], isMainThread: @escaping @Sendable () -> Bool = { MainThreadCheck.isCurrent }) {
        state = Locked(State(machine: RegistryStateMachine(rules)))
        self.isMainThread = isMainThread
    }

    /// The registrations, in order.
    package var registered: [String] { state.withLock { $0.machine.registered } }

    /// The problems of the registrations that were made.
    var recordedProblems: [RegistryProblem] { state.withLock { $0.machine.problems } }

    /// Everything that is wrong so far, and everything that is missing.
    var problems: [RegistryProblem] { state.withLock { $0.machine.allProblems() } }

    /// Registers a service.
    ///
    /// Registering the same object again does nothing. Registering another value is reported, and the first one stays.
    ///
    /// - Returns: the mistakes that this registration has revealed; `problems` keeps them.
    @discardableResult
    func register<Value>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        register(value, key.name) { Self.isSameObject($0, value) }
    }

    /// Registers a value that can be compared: registering an equal one again does nothing.
    @discardableResult
    func register<Value: Equatable>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        register(value, key.name) { $0 as? Value == value }
    }

    /// Registers that something has been done, where there is nothing to keep.
    @discardableResult
    func mark(_ name: String) -> [RegistryProblem] { register(true, for: ServiceKey<Bool>(name)) }

    /// The service.
    ///
    /// - Throws: `ServiceAccessError` when it is not registered, naming the accessor and the missing registrations.
    package func value<Value>(_ key: ServiceKey<Value>, for accessor: String = #function) throws(ServiceAccessError) -> Value {
        let (stored, missing) = state.withLock { state in
            // Only where it is absent: the search goes through the rules.
            (state.values[key.name], state.values[key.name] == nil ? state.machine.missing(for: key.name) : [])
        }
        if let value = stored as? Value { return value }
        throw ServiceAccessError(
            accessor: printable(accessor, limit: 120),
            registration: key.name,
            missing: missing,
            mismatch: stored.map { "what is registered is a \(type(of: $0)), not a \(Value.self)" }
        )
    }

    /// The service, or nil when it is absent: for modules that an app may have or not.
    func optional<Value>(_ key: ServiceKey<Value>) -> Value? { state.withLock { $0.values[key.name] } as? Value }

    /// Checks that everything required is there and that nothing is wrong; call it before the launch goes on.
    ///
    /// - Throws: ``RegistryError`` with every problem.
    func validate() throws(RegistryError) {
        let problems = problems
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private func register(_ value: any Sendable, _ name: String, isSame: (any Sendable) -> Bool) -> [RegistryProblem] {
        let onMain = isMainThread()
        let (stored, problems): ((any Sendable)?, [RegistryProblem]) = state.withLock { state in
            // The first value stays: others may work with it already.
            if let stored = state.values[name] { return (stored, []) }
            state.values[name] = value
            return (nil, state.machine.register(name, onMain: onMain))
        }
        guard let stored else { return problems }
        // Comparing runs the app's code, and so without the lock.
        let same = isSame(stored)
        return state.withLock { $0.machine.repeated(name, isSame: same, onMain: onMain) }
    }

    private static func isSameObject(_ left: any Sendable, _ right: any Sendable) -> Bool {
        // Identity is for objects: two values of a structure are never the same object.
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return (left as AnyObject) === (right as AnyObject)
    }
}

/// The key of a service: a name, and the type of the service.
public struct ServiceKey<Value: Sendable>: Sendable, Hashable {
    /// The name, unique among services of all types.
    package let name: String

    /// A key.
    public init(_ name: String, of type: Value.Type = Value.self) { self.name = name }
}

/// One registration has to come after another, and why.
public struct OrderConstraint: Sendable, Hashable {
    /// The registration that has to come first.
    let predecessor: String
    /// The consequence otherwise.
    let reason: String

    /// After `predecessor`, for `reason`.
    public static func after(_ predecessor: String, because reason: String) -> OrderConstraint {
        OrderConstraint(predecessor: predecessor, reason: reason)
    }
}

/// The rule for one registration.
struct RegistrationRule: Sendable, Hashable {
    /// The name of the registration.
    let name: String
    /// Whether the launch fails without it. One that is not required may be absent, such as a module that is not activated.
    let isRequired: Bool
    /// Why nothing may be registered before it; nil when something may.
    let rootReason: String?
    /// The registrations that have to come before it.
    let constraints: [OrderConstraint]

    /// A rule.
    init(_ name: String, isRequired: Bool = false, rootBecause rootReason: String? = nil, _ constraints: OrderConstraint...) {
        self.name = name
        self.isRequired = isRequired
        self.rootReason = rootReason
        self.constraints = constraints
    }
}

extension RegistrationRule {
    /// The set-up of a white-label app: one root, the services that every app has to register, and sixteen constraints.
    ///
    /// ```
    /// platform (root)
    ///   client-keys -> screen-configuration, ui-configuration, analytics -> configuration -> module-delegates, delegates, third-party
    ///                  ui-configuration -> module-setup -> configuration
    ///   core-keys -> configuration
    /// image-codec -> coordinator -> observers
    /// ```
    static let bootstrap: [RegistrationRule] = [
        RegistrationRule(
            "platform",
            isRequired: true,
            rootBecause: "it reports the crashes and counts the events of everything that follows"
        ),
        RegistrationRule("client-keys", isRequired: true, .after("platform", because: "a crash while keys are read has to be reported")),
        RegistrationRule("core-keys", isRequired: true, .after("platform", because: "the core counts events as soon as it has its keys")),
        RegistrationRule(
            "screen-configuration",
            isRequired: true,
            .after("client-keys", because: "screens lead to addresses that are among the client's keys")
        ),
        RegistrationRule("ui-configuration", isRequired: true, .after("client-keys", because: "the theme is the client's")),
        RegistrationRule("analytics", isRequired: true, .after("client-keys", because: "events are sent with the client's keys")),
        RegistrationRule("module-setup", .after("ui-configuration", because: "modules copy the theme when they are set up")),
        RegistrationRule(
            "configuration",
            isRequired: true,
            .after("core-keys", because: "its parts ask the core for their keys"),
            .after("screen-configuration", because: "the screens that it knows are those that are configured by then"),
            .after("ui-configuration", because: "what it makes looks as it was configured by then"),
            .after("analytics", because: "it sends events while it is made"),
            .after("module-setup", because: "modules that are set up later do not become part of it")
        ),
        RegistrationRule("module-delegates", .after("configuration", because: "they answer modules, which work with it")),
        RegistrationRule("delegates", .after("configuration", because: "they are handed to objects that it makes")),
        RegistrationRule("third-party", .after("configuration", because: "some need the person's identifier")),
        // An app whose images the system decodes has none.
        RegistrationRule("image-codec"),
        RegistrationRule("coordinator", .after("image-codec", because: "its first screen shows images, which stay empty without a codec")),
        RegistrationRule("observers", .after("coordinator", because: "they live as long as the app, and tell the coordinator")),
    ]
}
