import Foundation
import Sequencer

/// The app's service, as the operations of a launch use it: one client for REST and GraphQL, one session.
///
/// ```swift
/// let service = try AppService(at: URL(string: "https://api.example.com")!, http: HTTPClient(), directory: directory, app: app, deviceID: id)
/// let services = StartupServices(updates: service, configurations: service, accounts: service, entitlements: service, speakers: speakers)
/// ```
public final class AppService: Sendable {
    /// The client, for whatever else the app asks the service.
    public let client: APIClient
    /// The session.
    public let tokens: TokenManager
    /// Who is logged in.
    public let user: CurrentUser
    let endpoint: TokenEndpoint
    let secure: any SecureStore
    let app: AppInfo
    let deviceID: String
    /// The client holds its data source weakly.
    private let dataSource: SessionDataSource

    static let account: StoreKey = "account"

    /// The service at `baseURL`.
    ///
    /// - Parameters:
    ///   - baseURL: where the service is; REST paths begin here, tokens are at `oauth/token`.
    ///   - graphQL: the GraphQL endpoint; unless said otherwise, `graphql` at the service.
    ///   - http: sends the requests.
    ///   - directory: keeps the session, and answers that can be fetched again.
    ///   - deviceID: this installation's identifier.
    ///   - now: the time of day, which tokens' expiry is compared with.
    public init(
        at baseURL: URL,
        graphQL: URL? = nil,
        http: any HTTPSending,
        directory: StateDirectory,
        app: AppInfo,
        deviceID: String,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.app = app
        self.deviceID = deviceID
        let secure = directory.secure
        self.secure = secure
        let cache = ResponseCache(store: directory.cache)
        let endpoint = TokenEndpoint(url: baseURL.appending(path: "oauth/token"), http: http, now: now)
        self.endpoint = endpoint
        let sessions = SessionStore(
            secure,
            alsoClear: {
                cache.removeAll()
                try? secure.remove(Self.account)
            }
        )
        tokens = TokenManager(store: sessions, now: now) { session, deadline in
            try await endpoint.refresh(session, deadline: deadline)
        }
        dataSource = SessionDataSource(tokens: tokens)
        client = APIClient(
            APIEnvironment(graphQL: graphQL ?? baseURL.appending(path: "graphql"), rest: baseURL),
            client: ClientInfo(
                deviceID: deviceID,
                platform: app.platform,
                appVersion: app.version.description,
                language: app.region.language
            ),
            http: http,
            cache: cache,
            dataSource: dataSource,
            now: now
        )
        user = CurrentUser(client: client)
    }
}

extension AppService: UpdatePolicyService {
    /// `GET v1/version-policy`, without a token.
    public func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        try await client.get(
            "v1/version-policy",
            query: [("platform", app.platform), ("version", version.description)],
            options: RequestOptions(requirement: .optional),
            deadline: deadline
        )
    }
}

extension AppService: ConfigurationService {
    /// `GET v1/countries`, without a token.
    public func countries(by deadline: Deadline) async throws -> [Country] {
        try await client.get("v1/countries", options: RequestOptions(requirement: .optional), deadline: deadline)
    }

    /// `GET v1/configuration`, without a token; 404 where there is none for the region.
    public func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
        try await client.get(
            "v1/configuration",
            query: [("country", region.country), ("language", region.language)],
            options: RequestOptions(requirement: .optional),
            deadline: deadline
        )
    }
}

extension AppService: EntitlementService {
    /// `GET v1/entitlements`, of whoever is logged in.
    public func entitlements(by deadline: Deadline) async throws -> Entitlements {
        try await client.get("v1/entitlements", deadline: deadline)
    }
}
