import Foundation
import Sequencer

/// Keeps what the parts of an app register while it is set up, and says what is missing, and what came in the wrong order and why that matters.
///
/// Nothing traps: a service that is asked for too early is a thrown error which names who asked and what has to run first, and ``validate()``,
/// called before the launch goes on, finds what was forgotten before anybody asks for it. Registrations are kept even when they came in the
/// wrong order. Every method can be called from any thread; registering anywhere but on the main thread is reported.
///
/// ```swift
/// let registry = ServiceRegistry(rules: RegistrationRule.bootstrap)
/// registry.register(keys, for: .clientKeys)
/// try registry.validate()
/// let keys = try registry.value(.clientKeys)
/// ```
public final class ServiceRegistry: Sendable {
    private struct State {
        var machine: RegistryStateMachine
        var values: [String: any Sendable] = [:]
    }

    private let state: Locked<State>
    private let isMainThread: @Sendable () -> Bool

    /// An empty registry.
    ///
    /// - Parameters:
    ///   - rules: what is expected; without any everything is accepted in any order.
    ///   - isMainThread: whether the calling thread is the one that set-up belongs to.
    public init(rules: [RegistrationRule] = [], isMainThread: @escaping @Sendable () -> Bool = { Thread.isMainThread }) {
        state = Locked(State(machine: RegistryStateMachine(rules)))
        self.isMainThread = isMainThread
    }

    /// What has been registered, in order.
    public var registered: [String] { state.withLock { $0.machine.registered } }

    /// Everything that is wrong so far, and everything that is missing.
    public var problems: [RegistryProblem] { state.withLock { $0.machine.allProblems() } }

    /// Registers a service.
    ///
    /// Registering the same object again does nothing. Registering another value is reported, and the first one stays.
    ///
    /// - Returns: what this registration has shown to be wrong; ``problems`` keeps it.
    @discardableResult
    public func register<Value>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        register(value, key.name) { Self.isSameObject($0, value) }
    }

    /// Registers a value that can be compared: registering an equal one again does nothing.
    @discardableResult
    public func register<Value: Equatable>(_ value: Value, for key: ServiceKey<Value>) -> [RegistryProblem] {
        register(value, key.name) { $0 as? Value == value }
    }

    /// Registers that something has been done, where there is nothing to keep.
    @discardableResult
    public func mark(_ name: String) -> [RegistryProblem] { register(true, for: ServiceKey<Bool>(name)) }

    /// The service.
    ///
    /// - Throws: ``ServiceAccessError`` when it is not registered, naming who asked and what has to run first.
    public func value<Value>(_ key: ServiceKey<Value>, for accessor: String = #function) throws(ServiceAccessError) -> Value {
        let (stored, missing) = state.withLock { state in
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
    public func optional<Value>(_ key: ServiceKey<Value>) -> Value? { state.withLock { $0.values[key.name] } as? Value }

    /// Checks that everything required is there and that nothing is wrong; call it before the launch goes on.
    ///
    /// - Throws: ``RegistryError`` with every problem.
    public func validate() throws(RegistryError) {
        let problems = problems
        if !problems.isEmpty { throw RegistryError(problems: problems) }
    }

    private func register(_ value: any Sendable, _ name: String, isSame: (any Sendable) -> Bool) -> [RegistryProblem] {
        let onMain = isMainThread()
        let (stored, problems): ((any Sendable)?, [RegistryProblem]) = state.withLock { state in
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
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return (left as AnyObject) === (right as AnyObject)
    }
}
