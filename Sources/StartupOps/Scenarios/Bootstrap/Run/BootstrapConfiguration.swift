/// What the heavy part of a start makes, once: the client and everything around it. Modules and SDKs are made with it.
public struct BootstrapConfiguration: Sendable {
    /// Where the service is.
    public let endpoints: APIEnvironment
    /// What the app was built with.
    public let build: BuildFlags
    /// The client, for REST and GraphQL.
    public let client: APIClient
    /// The session.
    public let tokens: TokenManager
    /// The user, refreshed with each new token.
    public let user: CurrentUser
    /// Whose session was found; nil when nobody is logged in, or that could not be read.
    public let session: StoredSession?
    /// Identifies this installation.
    public let deviceIdentifier: String
    /// Whether no launch had completed before this one.
    public let isFirstLaunch: Bool
    /// Whether an account that survived a reinstallation is restored.
    public let enablesRestoreAccount: Bool
    /// Another way to log in; nil when there is none.
    public let authenticator: (any AuthenticationProvider)?
}

extension ServiceKey where Value == BootstrapConfiguration {
    /// What the registry knows it by.
    public static var configuration: ServiceKey { ServiceKey("configuration") }
}
