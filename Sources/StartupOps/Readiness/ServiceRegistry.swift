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
final class ServiceRegistry: Sendable {
    private struct State {
        var values: [String: any Sendable] = [:]
        /// The registrations, in order.
        var registered: [String] = []
        /// The problems of the registrations that were made.
        var problems: [RegistryProblem] = []
    }

    private let rules: [RegistrationRule]
    private let state = Locked(State())
    private let isMainThread: @Sendable () -> Bool

    /// An empty registry.
    ///
    /// - Parameters:
    ///   - rules: the expected registrations, each after those that it comes after; without rules everything is accepted in any order.
    ///   - isMainThread: whether the calling thread is the one that set-up belongs to.
    init(rules: [RegistrationRule] = [], isMainThread: @escaping @Sendable () -> Bool = { MainThreadCheck.isCurrent }) {
        self.rules = rules
        self.isMainThread = isMainThread
    }

    /// The registrations, in order.
    var registered: [String] { state.withLock { $0.registered } }

    /// The problems of the registrations that were made.
    var recordedProblems: [RegistryProblem] { state.withLock { $0.problems } }

    /// Everything that is wrong so far, and everything that is missing.
    var problems: [RegistryProblem] {
        let (recorded, registered) = state.withLock { ($0.problems, $0.registered) }
        return recorded
            + rules.filter { $0.isRequired && !registered.contains($0.name) }.map { rule in
                let place =
                    rule.rootReason != nil ? "first of all" : "after " + rule.constraints.map(\.predecessor).joined(separator: " and ")
                return RegistryProblem(.missing, rule.name, "\(rule.name) is required and was not registered; register it \(place)")
            }
    }

    /// Registers a service.
    ///
    /// Registering the same object again does nothing. Registering another value is reported, and the first one stays.
    ///
    /// - Returns: the mistakes that this registration has revealed; `problems` keeps them.
    @discardableResult
    func register<Value>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        // Identity is for objects: two values of a structure are never the same object.
        register(value, key.name) { type(of: $0) is AnyClass && Value.self is AnyClass && ($0 as AnyObject) === (value as AnyObject) }
    }

    /// Registers a value that can be compared: registering an equal one again does nothing.
    @discardableResult
    func register<Value: Equatable>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        register(value, key.name) { $0 as? Value == value }
    }

    /// Registers that something has been done, where there is nothing to keep.
    @discardableResult
    func mark(_ name: String) -> [RegistryProblem] { register(true, for: ServiceKey<Bool>(name)) }

    private func register(_ value: any Sendable, _ name: String, isSame: (any Sendable) -> Bool) -> [RegistryProblem] {
        let isOffMain = !isMainThread()
        let stored = state.withLock { state in
            // The first value stays: others may work with it already.
            if let stored = state.values[name] { return stored as (any Sendable)? }
            state.values[name] = value
            return nil
        }
        // Comparing runs the app's code, and so without the lock.
        let isRepeated = stored.map { !isSame($0) } ?? false
        return state.withLock { state in
            var found: [RegistryProblem] = []
            if isOffMain {
                let text = "\(name) was not registered on the main thread; call it from there, such as from didFinishLaunching"
                found.append(RegistryProblem(.offMain, name, text))
            }
            if isRepeated {
                let text = "\(name) was registered twice with different values: the first one stays; register it once"
                found.append(RegistryProblem(.repeated, name, text))
            }
            if stored == nil {
                found += problemsOfOrder(name, after: state.registered)
                state.registered.append(name)
            }
            state.problems += found
            return found
        }
    }

    private func problemsOfOrder(_ name: String, after registered: [String]) -> [RegistryProblem] {
        var found: [RegistryProblem] = []
        let own = rule(name)
        if own == nil, !rules.isEmpty {
            let hint = nearestName(to: name, in: rules.map(\.name)).map { "; did you mean \($0)?" } ?? ""
            let text = "there is no rule for a registration called \(printable(name, limit: 80))\(hint)"
            found.append(RegistryProblem(.unknown, name, text))
        }
        for root in rules where root.name != name && !registered.contains(root.name) {
            guard let reason = root.rootReason else { continue }
            let text = "\(name) was registered before \(root.name), which must come first of all: \(reason)"
            found.append(RegistryProblem(.beforeRoot, name, other: root.name, text))
        }
        // A required registration comes some time, so it is known at once that it comes too late; of any other it is known when it comes.
        for constraint in own?.constraints ?? []
        where rule(constraint.predecessor)?.isRequired == true && !registered.contains(constraint.predecessor) {
            found.append(.misordered(name, constraint))
        }
        if own?.isRequired == true { return found }
        for earlier in registered {
            for constraint in rule(earlier)?.constraints ?? [] where constraint.predecessor == name {
                found.append(.misordered(earlier, constraint))
            }
        }
        return found
    }

    private func rule(_ name: String) -> RegistrationRule? { rules.first { $0.name == name } }

    /// The service.
    ///
    /// - Throws: `ServiceAccessError` when it is not registered, naming the accessor and the missing registrations.
    func value<Value>(_ key: ServiceKey<Value>, for accessor: String = #function) throws(ServiceAccessError) -> Value {
        let (stored, registered) = state.withLock { ($0.values[key.name], $0.registered) }
        if let value = stored as? Value { return value }
        throw ServiceAccessError(
            accessor: printable(accessor, limit: 120),
            registration: key.name,
            missing: missing(for: key.name, registered),
            mismatch: stored.map { "what is registered is a \(type(of: $0)), not a \(Value.self)" }
        )
    }

    /// The missing registrations that have to come before `name`, in order, and `name` itself.
    private func missing(for name: String, _ registered: [String]) -> [String] {
        var needed: Set<String> = [name]
        // From the end: a rule is listed after those that it names.
        for rule in rules.reversed() where needed.contains(rule.name) || rule.rootReason != nil {
            needed.insert(rule.name)
            for constraint in rule.constraints where rule.name == name || self.rule(constraint.predecessor)?.isRequired == true {
                needed.insert(constraint.predecessor)
            }
        }
        needed.subtract(registered + [name])
        return rules.map(\.name).filter(needed.contains) + [name]
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
}

/// The key of a service: a name, and the type of the service.
public struct ServiceKey<Value: Sendable>: Sendable, Hashable {
    /// The name, unique among services of all types.
    let name: String

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
    var isRequired = false
    /// Why nothing may be registered before it; nil when something may.
    var rootReason: String?
    /// The registrations that have to come before it.
    var constraints: [OrderConstraint] = []

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
            name: "platform",
            isRequired: true,
            rootReason: "it reports the crashes and counts the events of everything that follows"
        ),
        required("client-keys", .after("platform", because: "a crash while keys are read has to be reported")),
        required("core-keys", .after("platform", because: "the core counts events as soon as it has its keys")),
        required("screen-configuration", .after("client-keys", because: "screens lead to addresses that are among the client's keys")),
        required("ui-configuration", .after("client-keys", because: "the theme is the client's")),
        required("analytics", .after("client-keys", because: "events are sent with the client's keys")),
        optional("module-setup", .after("ui-configuration", because: "modules copy the theme when they are set up")),
        required(
            "configuration",
            .after("core-keys", because: "its parts ask the core for their keys"),
            .after("screen-configuration", because: "the screens that it knows are those that are configured by then"),
            .after("ui-configuration", because: "what it makes looks as it was configured by then"),
            .after("analytics", because: "it sends events while it is made"),
            .after("module-setup", because: "modules that are set up later do not become part of it")
        ),
        optional("module-delegates", .after("configuration", because: "they answer modules, which work with it")),
        optional("delegates", .after("configuration", because: "they are handed to objects that it makes")),
        optional("third-party", .after("configuration", because: "some need the person's identifier")),
        // An app whose images the system decodes has none.
        optional("image-codec"),
        optional("coordinator", .after("image-codec", because: "its first screen shows images, which stay empty without a codec")),
        optional("observers", .after("coordinator", because: "they live as long as the app, and tell the coordinator")),
    ]

    static func required(_ name: String, _ constraints: OrderConstraint...) -> RegistrationRule {
        RegistrationRule(name: name, isRequired: true, constraints: constraints)
    }

    static func optional(_ name: String, _ constraints: OrderConstraint...) -> RegistrationRule {
        RegistrationRule(name: name, constraints: constraints)
    }
}
