/// Something that an app registers, or does, before its configuration is made: its keys, its theme, its image codec.
///
/// ```swift
/// plan.registrations = [
///     .action("platform") { Platform.configure() },
///     .value(keys, for: ServiceKey("client-keys")),
///     .value(keys, for: ServiceKey("core-keys")),
/// ]
/// ```
public struct BootstrapRegistration: Sendable {
    /// The name that ``RegistrationRule/bootstrap`` knows it by.
    public let name: String
    let register: @Sendable (ServiceRegistry) -> [RegistryProblem]
    let action: (@MainActor @Sendable () throws -> Void)?

    /// A service.
    public static func value<Value: Sendable>(_ value: Value, for key: ServiceKey<Value>) -> BootstrapRegistration {
        BootstrapRegistration(name: key.name, register: { $0.register(value, for: key) }, action: nil)
    }

    /// A service that can be compared: registering an equal one again is no problem.
    public static func value<Value: Sendable & Equatable>(_ value: Value, for key: ServiceKey<Value>) -> BootstrapRegistration {
        BootstrapRegistration(name: key.name, register: { $0.register(value, for: key) }, action: nil)
    }

    /// Something to do, where there is nothing to keep. What it throws fails the launch.
    public static func action(_ name: String, _ body: @escaping @MainActor @Sendable () throws -> Void) -> BootstrapRegistration {
        BootstrapRegistration(name: name, register: { $0.mark(name) }, action: body)
    }
}
