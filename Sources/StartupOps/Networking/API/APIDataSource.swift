/// What a client asks the app for: the session, and which operations need one. The client holds it weakly.
///
/// When it is gone, requests that say themselves that they need no token go on as a guest's; all others fail with `missingAccessToken`.
public protocol APIDataSource: AnyObject, Sendable {
    /// The session and its tokens: whether somebody is logged in, the access token, and how it is refreshed.
    var tokens: TokenManager { get }
    /// What REST requests say about the user beyond the user's identifier.
    var userInfoHeaders: HTTPHeaders { get }
    /// Whether an operation needs a token: a GraphQL operation by its name, a REST request as "GET v1/profile" unless it was given a name.
    func requiresToken(operation: String) -> Bool
}

extension APIDataSource {
    /// Nothing.
    public var userInfoHeaders: HTTPHeaders { [:] }
    /// Whether somebody is logged in.
    public var isLoggedIn: Bool { tokens.isLoggedIn }
    /// The token that could be sent now.
    public var accessToken: AccessToken? { tokens.accessToken }
    /// A token in place of one that the service has turned down: refreshed once for all who ask.
    public func refreshToken(replacing rejected: AccessToken, deadline: Deadline) async throws(NetworkError) -> AccessToken? {
        try await tokens.token(for: .required, replacing: rejected, deadline: deadline)
    }
}

/// A data source for which all operations need a token but those that are named.
public final class SessionDataSource: APIDataSource {
    /// The session and its tokens.
    public let tokens: TokenManager
    /// What REST requests say about the user.
    public let userInfoHeaders: HTTPHeaders
    private let guestOperations: Set<String>

    /// A source whose tokens are those of `tokens`.
    ///
    /// - Parameter guestOperations: the operations that go on without a token where there is none.
    public init(tokens: TokenManager, guestOperations: Set<String> = [], userInfoHeaders: HTTPHeaders = [:]) {
        self.tokens = tokens
        self.guestOperations = guestOperations
        self.userInfoHeaders = userInfoHeaders
    }

    /// Whether it is none of those that go on without.
    public func requiresToken(operation: String) -> Bool { !guestOperations.contains(operation) }
}
