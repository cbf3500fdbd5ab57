/// Another way to log in than with this app's own form, such as with an account somewhere else.
///
/// It has the person on the screen as long as it takes, and brings back a session of the app's own service.
@MainActor
public protocol AuthenticationProvider: Sendable {
    /// Lets the person log in.
    ///
    /// - Returns: nil when the person did not want to: the app's own form asks then.
    func authenticate(_ configuration: BootstrapConfiguration, by deadline: Deadline) async throws -> Session?
}
