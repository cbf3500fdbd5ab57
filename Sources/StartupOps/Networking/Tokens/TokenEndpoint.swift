import Foundation

/// The service's token endpoint (RFC 6749): opens sessions, and refreshes them.
public struct TokenEndpoint: Sendable {
    private let url: URL
    private let http: any HTTPSending
    private let now: @Sendable () -> Date

    /// The endpoint at `url`.
    ///
    /// - Parameters:
    ///   - url: the endpoint, such as "https://api.example.com/oauth/token".
    ///   - http: what sends the requests.
    ///   - now: the time of day, which "expires_in" counts from.
    public init(url: URL, http: any HTTPSending, now: @escaping @Sendable () -> Date = { Date() }) {
        self.url = url
        self.http = http
        self.now = now
    }

    /// Opens a session with a password.
    ///
    /// - Throws: ``SessionRejected`` when name or password is wrong, ``NetworkError`` otherwise.
    public func session(username: String, password: Secret, deadline: Deadline) async throws -> Session {
        // Before it is sent: the answer may quote it.
        KnownSecrets.add(password, from: .person)
        return try await request(["grant_type": "password", "username": username, "password": password.value], deadline)
    }

    /// Opens a guest's session.
    package func anonymousSession(deviceID: String, deadline: Deadline) async throws -> Session {
        try await request(["grant_type": "anonymous", "device_id": deviceID], isAnonymous: true, deadline)
    }

    /// Gets new tokens for a session; nil when it has no refresh token. Give this to a ``TokenManager``.
    ///
    /// - Throws: ``SessionRejected`` when the service answers with an `error`, and status 400, 401 or 200;
    ///     ``NetworkError`` for everything else, which may pass, and for the errors of RFC 6749 beside
    ///     "invalid_grant", which are of the moment or the app's.
    public func refresh(_ session: Session, deadline: Deadline) async throws -> Session? {
        guard let token = session.refreshToken else { return nil }
        let form: QueryParameters = ["grant_type": "refresh_token", "refresh_token": token.value]
        return try await request(form, isAnonymous: session.isAnonymous, isRefresh: true, deadline)
    }

    private func request(
        _ form: QueryParameters,
        isAnonymous: Bool = false,
        isRefresh: Bool = false,
        _ deadline: Deadline
    ) async throws -> Session {
        let headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded", "Accept": MediaType.json]
        var request = HTTPRequest(.post, url, headers: headers, body: Data(form.encoded.utf8))
        request.ticket.isForTokens = true
        let response = try await http.send(request, deadline: deadline)
        // RFC 6749, section 5.2: a word, with 400; some services say it with 401, or with 200.
        if [200, 400, 401].contains(response.status), AnswerLimits.tokens.excess(in: response.body) == nil,
            let word = (try? JSONDecoder().decode(Failure.self, from: response.body))?.error.unlessBlank
        {
            let reason = "the service answered \(ForeignText.shown(word, limit: 80))"
            let isOfTheToken = isRefresh && !Failure.ofOthers.contains(word.lowercased())
            if isOfTheToken || word.lowercased() == "invalid_grant" { throw SessionRejected(reason) }
            if response.status == 200 { throw request.error(.invalidData, reason, status: response.status) }
        }
        let tokens = try response.decoded(Tokens.self, for: request, limits: .tokens)
        // Refused here, where the service can be named, and not by every request that would carry it.
        if tokens.accessToken.unlessBlank == nil { throw request.error(.invalidData, "access_token is empty", status: response.status) }
        let session = Session(
            accessToken: Secret(tokens.accessToken),
            refreshToken: tokens.refreshToken.map { Secret($0) },
            isAnonymous: isAnonymous,
            expiresAt: tokens.lifetime.map { now().addingTimeInterval($0) }
        )
        guard [tokens.accessToken, session.userID ?? ""].allSatisfy(\.isFieldValue) else {
            let reason = "access_token, or the user it is about, holds a control character, which no header can carry"
            throw request.error(.invalidData, reason, status: response.status)
        }
        return session
    }

    private struct Failure: Decodable {
        let error: String

        /// Of the moment, or of the app: no user has to log in again for them.
        static let ofOthers: Set = [
            "temporarily_unavailable", "server_error", "slow_down", "invalid_client", "unauthorized_client", "invalid_request",
            "unsupported_grant_type", "invalid_scope",
        ]
    }

    private struct Tokens: Decodable {
        let accessToken: String
        let refreshToken: String?
        /// In seconds; nil when the service says nothing that makes sense.
        let lifetime: Double?

        private enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case lifetime = "expires_in"
        }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            accessToken = try values.decode(String.self, forKey: .accessToken)
            refreshToken = try values.decodeIfPresent(String.self, forKey: .refreshToken)
            let seconds = try? values.decode(Double.self, forKey: .lifetime)
            // Three hundred years: a sum with a date must stay a date.
            lifetime = seconds.flatMap { $0 > 0 ? min($0, 1e10) : nil }
        }
    }
}

/// The errors of asking for a token. They get the request's own name when the request is known.
extension NetworkError {
    private static func token(_ code: Code, _ reason: String, _ underlying: (any Error)? = nil) -> NetworkError {
        NetworkError(code, request: "access token", reason, underlying: underlying)
    }

    static let nobodyLoggedIn = token(.missingAccessToken, "a token is required, and nobody is logged in")
    static let noDataSource = token(
        .missingAccessToken,
        "a token is required, and the client's data source is gone: keep that object for as long as the client is used"
    )
    static let sessionReplaced = token(.cancelled, "the session it was asked for has ended, or is another user's now")
    static let tokenTimedOut = token(.timedOut, "no token before the deadline; the refresh goes on")
    static let tokenCancelled = token(.cancelled, "cancelled while waiting for a token")

    static func sessionUnavailable(_ error: StorageError?) -> NetworkError {
        let reason = error?.description ?? "the store has not been asked"
        return token(.sessionUnavailable, "whether somebody is logged in cannot be told now (\(reason))", error)
    }

    static func refreshFailed(_ reason: String, _ underlying: (any Error)?) -> NetworkError {
        token(.refreshTokenFailed, "the token could not be refreshed: \(reason)", underlying)
    }

    /// Errors of other types than the package's own are named by their type only: their texts may hold tokens.
    static func refreshFailed(_ error: any Error) -> NetworkError {
        if let error = error as? NetworkError { return refreshFailed("\(error)", error) }
        return refreshFailed(error is StorageError ? "\(error)" : "\(type(of: error))", nil)
    }

    /// Another process has been refreshing the token for as long as that may take.
    static func refreshedElsewhere(by process: Int32?) -> NetworkError {
        let who = process.map { "process \($0)" } ?? "another process"
        return token(.timedOut, "\(who) keeps the others from refreshing it; try again when it is done, or end it if it hangs")
    }
}
