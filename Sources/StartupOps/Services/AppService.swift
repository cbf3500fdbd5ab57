import Foundation
import StartupNetworking

/// The app's service, as the operations of a launch use it: one client for REST and GraphQL, one session.
///
/// ```swift
/// let service = AppService(at: .service(at: url), http: HTTPClient(), directory: directory, app: app, deviceID: id)
/// let services = StartupServices(updates: service, configurations: service, accounts: service, entitlements: service, speakers: speakers)
/// ```
public final class AppService: Sendable {
    /// The client, for everything else that the app asks the service.
    public let client: APIClient
    /// The session.
    package let tokens: TokenManager
    /// The logged-in user. Each answer of the service about them is an event of ``accountUpdates``.
    let user: CurrentUser
    let endpoint: TokenEndpoint
    let secure: any SecureStore
    private let sessions: SessionStore
    let app: AppInfo
    let deviceID: String
    private let installation: InstallationMark

    private static let account: StoreKey = "account"

    /// The account as last heard of, nil when nobody is logged in or a stored session has not been looked at yet, and
    /// then each change: as soon as the login step or `restore` begins, a stored session has the account that the last
    /// launch knew, before the service has answered. Every call gives a sequence of its own.
    public var accountUpdates: AsyncStream<Account?> { user.updates { .some($0.map(Account.init)) } }

    /// The key of the logged-in user's stored profile.
    var accountKey: StoreKey { sessions.key(beside: Self.account) }

    /// The service at `environment`.
    ///
    /// - Parameters:
    ///   - environment: where the service is, such as `.service(at: url)`; tokens are at `oauth/token` below REST's
    ///     base. A service may have no REST: such requests fail before anything is sent, and tokens are at
    ///     `oauth/token` beside the GraphQL endpoint. A session is this service's alone: its scheme, host and port are
    ///     stored with it, and a session of another one is neither used nor ended.
    ///   - http: sends the requests.
    ///   - directory: keeps the session, and answers that can be fetched again. Of all processes that have it, one
    ///       refreshes the session at a time.
    ///   - deviceID: this installation's identifier.
    ///   - headerPrefix: the prefix of the headers that identify the client: "X-Sequencer" makes
    ///     "X-Sequencer-Platform".
    ///   - guestOperations: the operations that need no token while nobody is logged in, each as "GET v1/news",
    ///       or by its GraphQL name.
    ///   - dataSource: says in place of `guestOperations` which operations need a token; held weakly, see
    ///     `APIDataSource`; one that is a `TokenSource` gives the tokens, too. Of the service's own it is asked about
    ///     `GET v1/profile`, `GET v1/entitlements`, `POST v1/accounts/verify` and `Speakers`.
    ///   - now: the time of day, which tokens' expiry is compared with.
    public init(
        at environment: APIEnvironment,
        http: any HTTPSending,
        directory: StateDirectory,
        app: AppInfo,
        deviceID: String,
        headerPrefix: String = "X-Sequencer",
        guestOperations: Set<String> = [],
        dataSource: (any APIDataSource)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.app = app
        self.deviceID = deviceID
        installation = InstallationMark(store: directory.state)
        let secure = directory.secure
        self.secure = secure
        let cache = ResponseCache(store: directory.cache)
        // The session belongs to this address.
        let base = environment.rest ?? environment.graphQL
        // Without REST the token endpoint is beside the GraphQL endpoint.
        let tokenURL =
            environment.rest?.appending(path: "oauth/token") ?? URL(string: "oauth/token", relativeTo: environment.graphQL)?.absoluteURL
        let endpoint = TokenEndpoint(url: tokenURL ?? base, http: http, now: now)
        self.endpoint = endpoint
        var sessions = SessionStore(secure, of: base, sharedIn: directory.location, alsoClear: { cache.removeAll() })
        sessions.companions = [Self.account]
        if let source = dataSource as? any TokenSource { sessions.source = { [weak source] in source } }
        self.sessions = sessions
        tokens = TokenManager(store: sessions, now: now) { [source = sessions.source] session, deadline in
            guard let source else { return try await endpoint.refresh(session, deadline: deadline) }
            return try await source()?.refresh(session, by: deadline)
        }
        client = APIClient(
            environment,
            client: ClientInfo(
                deviceID: deviceID,
                platform: app.platform,
                appVersion: app.version.description,
                headerPrefix: headerPrefix,
                language: directory.launchState().chosenRegion.value?.language ?? app.region.language
            ),
            http: http,
            cache: cache,
            tokens: tokens,
            guestOperations: guestOperations,
            dataSource: dataSource,
            now: now
        )
        user = CurrentUser(client: client)
        // Each step that opens a session asks for its profile itself.
        user.follow(tokens, asks: false)
    }
}

extension AppService: UpdatePolicyService, ConfigurationService, EntitlementService, AccountService {
    /// `GET v1/version-policy`, without a token. A policy that comes with status 426 or 503 counts as any other.
    public func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
        try await client.get(
            "v1/version-policy",
            query: ["platform": app.platform, "version": version.description],
            options: RequestOptions(requirement: .optional, limits: .policy),
            deadline: deadline
        ) { response, request throws(NetworkError) in
            var accepted = response
            if [426, 503].contains(response.status) { accepted.status = 200 }
            // Most error bodies are not policies, and must not replace the known policy.
            if accepted.status != response.status, let policy = try? accepted.decoded(UpdatePolicy.self, for: request, limits: .policy),
                policy.minimumVersion != nil || policy.maintenance != nil
            {
                return policy
            }
            return try response.decoded(for: request, limits: .policy)
        }
    }

    private static let configurationOptions = RequestOptions(requirement: .optional, limits: .configuration)

    /// `GET v1/countries`, without a token.
    public func countries(by deadline: Deadline) async throws -> [Country] {
        try await client.get("v1/countries", options: Self.configurationOptions, deadline: deadline)
    }

    /// `GET v1/configuration`, without a token; 404 for a region without one. From then on the client asks in its
    /// language.
    public func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
        let query: QueryParameters = ["country": region.country, "language": region.language]
        let options = Self.configurationOptions
        let configuration: AppConfiguration =
            try await client.get("v1/configuration", query: query, options: options, deadline: deadline)
        // From here on the service answers in the language that the user has chosen.
        client.language = configuration.language
        return configuration
    }

    /// `GET v1/flags`, without a token; 404 of a service that has none.
    public func flags(by deadline: Deadline) async throws -> FeatureFlags? {
        do {
            return try await client.get("v1/flags", as: FeatureFlags.self, options: Self.configurationOptions, deadline: deadline)
        } catch let error where error.status == 404 {
            return nil
        }
    }

    /// `GET v1/entitlements`, of the logged-in user.
    public func entitlements(by deadline: Deadline) async throws -> Entitlements {
        try await client.get("v1/entitlements", options: RequestOptions(limits: .profile), deadline: deadline)
    }

    /// The session in the secure store, without asking the service.
    public func storedSession() -> StoredAnswer<StoredSession> { tokens.session.map(stored) }

    /// The service has ended the session, it has expired without a refresh token, or the account is there without its
    /// tokens, which could not be stored, or read.
    public var lossOfSession: String? {
        guard case .absent = tokens.session else { return nil }
        if let reason = sessions.endedBecause { return reason.description }
        // Stored after the session, and removed with it.
        return secure.value(Account.self, for: accountKey).value?.isAnonymous == false ? "the tokens of the last login were lost" : nil
    }

    private func stored(_ session: Session) -> StoredSession {
        // The stored account may be of the user before: never show it to the next one.
        let account = secure.value(Account.self, for: accountKey).value.flatMap { belongs($0, to: session) ? $0 : nil }
        var stored = StoredSession(userID: session.userID, isAnonymous: session.isAnonymous, account: account)
        stored.isOfThisInstallation = session.installation.map(installation.isOf) ?? false
        return stored
    }

    /// Asks the service for the profile of the stored session; refreshes its token first if that has expired. Without
    /// REST, the session itself names the account.
    public func restore(by deadline: Deadline) async throws -> Account {
        switch tokens.session {
        case .absent: throw AccountError(.noSession, "nobody is logged in")
        case .unavailable(let error): throw AccountError(.unavailable, "the stored session cannot be read now: \(error)")
        case .value: break
        }
        do {
            if !knowsProfiles { return try await accountOfSession(by: deadline) }
            // Observers see the account of the last launch until the service answers.
            return keep(Account(try await user.load(by: deadline)))
        } catch {
            // The service has turned the session down; every other failure may pass.
            if case .absent = tokens.session {
                let reason = tokens.lastLogout == .expired ? LogoutReason.expired : .rejected
                throw AccountError(.sessionEnded, reason.description)
            }
            if error.status == 401 { throw AccountError(.sessionEnded, "the service does not accept the session") }
            throw error
        }
    }

    /// Asks for tokens with a password, keeps them, and asks for the profile.
    public func logIn(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        do {
            // Before it is sent: the answer may quote it (T26).
            KnownSecrets.add(password, from: .person)
            let session = try await open {
                try await $0.logIn(email: email, password: password, by: deadline)
            } orElse: {
                try await $0.session(username: email, password: password, deadline: deadline)
            }
            // Nobody waits for it any more.
            try Task.checkCancellation()
            begin(session)
        } catch is SessionRejected {
            throw AccountError(.invalidCredentials, "the address or the password is wrong")
        }
        return knowsProfiles ? try await loadAccount(by: deadline) : try await accountOfSession(email: email, by: deadline)
    }

    /// Creates the account, then logs in with it.
    public func createAccount(email: String, password: Secret, by deadline: Deadline) async throws -> Account {
        // Before it is sent: the answer may quote it (T26).
        KnownSecrets.add(password, from: .person)
        do {
            let body = ["email": email, "password": password.value]
            let options = RequestOptions(requirement: .optional)
            try await client.send(.post, "v1/accounts", body: body, options: options, deadline: deadline)
        } catch let error where error.status == 409 {
            throw AccountError(.accountExists, "there is an account with this address already")
        }
        return try await logIn(email: email, password: password, by: deadline)
    }

    /// Asks for tokens with this device's identifier, and keeps them.
    public func logInAnonymously(by deadline: Deadline) async throws -> Account {
        let session = try await open {
            try await $0.logInAnonymously(by: deadline)
        } orElse: {
            try await $0.anonymousSession(deviceID: deviceID, deadline: deadline)
        }
        // A session that nobody waits for must not replace the one that is there.
        try Task.checkCancellation()
        begin(session)
        return keep(Account(id: session.userID ?? Account.guest.id, name: Account.guest.name, isAnonymous: true))
    }

    /// Sends the code, and asks for the profile again.
    public func verify(email: String, code: Secret, by deadline: Deadline) async throws -> Account {
        KnownSecrets.add(code, from: .person)
        do {
            try await client.send(.post, "v1/accounts/verify", body: ["email": email, "code": code.value], deadline: deadline)
        } catch let error where error.status == 422 {
            throw AccountError(.invalidCode, "the code is wrong")
        }
        return try await loadAccount(by: deadline)
    }

    /// Forgets tokens, the account and everything that was cached for it; listeners are told the reason.
    public func logOut(because reason: String) async {
        client.clearAppCache(because: LogoutReason(reason))
    }

    /// Keeps the tokens and the account in memory: a process that ends half-way leaves the session that was opened
    /// last.
    public func sessionKeeper() -> (@Sendable () async -> Void)? {
        guard let session = tokens.session.value, let putBack = tokens.sessionKeeper() else { return nil }
        let account = stored(session).account
        return { [self] in
            // An ended session stays ended. A session with other tokens of the same user has only been refreshed.
            guard putBack() else { return }
            try? secure.remove(accountKey)
            if let account { _ = keep(account) }
        }
    }

    /// Whether the service has profiles, which say more of a user than the session does.
    private var knowsProfiles: Bool { client.environment.rest != nil }

    /// The account that the session names, for a service without REST. An expired token is refreshed, as for any
    /// request.
    private func accountOfSession(email: String? = nil, by deadline: Deadline) async throws(NetworkError) -> Account {
        _ = try await tokens.token(for: .required, deadline: deadline)
        guard let session = tokens.session.value else { throw NetworkError(.missingAccessToken, request: "session", "it has ended") }
        let known = stored(session).account
        return keep(known ?? Account(id: session.userID ?? Account.guest.id, name: "", email: email, isAnonymous: session.isAnonymous))
    }

    private func loadAccount(by deadline: Deadline) async throws -> Account {
        keep(Account(try await user.getProfile(by: deadline)))
    }

    /// Opens a session at the app's own source of tokens, or else at the service.
    private func open(
        at source: (any TokenSource) async throws -> Session,
        orElse service: (TokenEndpoint) async throws -> Session
    ) async throws -> Session {
        guard let own = sessions.source else { return try await service(endpoint) }
        guard let own = own() else { throw AccountError(.unavailable, "the app has let go of the source of its tokens") }
        return try await source(own)
    }

    /// Begins a session, and forgets the account of the one before.
    private func begin(_ session: Session) {
        tokens.begin(installation.make().map(session.opened) ?? session, isIssuedNow: true)
        try? secure.remove(accountKey)
    }

    /// Keeps an account for a launch without a network. If it cannot be kept, it is asked for again.
    private func keep(_ account: Account) -> Account {
        // The session may be another one by the time of the answer.
        func isCurrent() -> Bool { tokens.session.value.map { belongs(account, to: $0) } ?? false }
        guard isCurrent() else { return account }
        try? secure.save(account, for: accountKey)
        // A logout, or another login, may have removed it just before.
        if !isCurrent() { try? secure.remove(accountKey) }
        return account
    }

    private func belongs(_ account: Account, to session: Session) -> Bool { session.userID.map { areSame($0, account.id) } ?? true }
}

extension Account {
    fileprivate init(_ profile: UserProfile) {
        self.init(
            id: profile.id,
            name: profile.name,
            email: profile.email,
            isEmailVerified: profile.emailVerified,
            isAnonymous: profile.isAnonymous
        )
    }
}
