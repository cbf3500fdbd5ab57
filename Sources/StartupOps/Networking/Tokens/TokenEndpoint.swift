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
        try await request(["grant_type": "password", "username": username, "password": password.value], deadline)
    }

    /// Opens a guest's session.
    public func anonymousSession(deviceID: String, deadline: Deadline) async throws -> Session {
        try await request(["grant_type": "anonymous", "device_id": deviceID], isAnonymous: true, deadline)
    }

    /// Gets new tokens for a session; nil when it has no refresh token. Give this to a ``TokenManager``.
    ///
    /// - Throws: ``SessionRejected`` when the service answers "invalid_grant", ``NetworkError`` for everything else, which may pass.
    public func refresh(_ session: Session, deadline: Deadline) async throws -> Session? {
        guard let token = session.refreshToken else { return nil }
        return try await request(
            ["grant_type": "refresh_token", "refresh_token": token.value],
            isAnonymous: session.isAnonymous,
            deadline
        )
    }

    private func request(_ form: KeyValuePairs<String, String>, isAnonymous: Bool = false, _ deadline: Deadline) async throws -> Session {
        let body = form.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        let request = HTTPRequest(
            .post,
            url,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"],
            body: Data(body.utf8)
        )
        let response = try await http.send(request, deadline: deadline)
        if response.status == 400, let failure = try? JSONDecoder().decode(Failure.self, from: response.body) {
            if failure.error == "invalid_grant" { throw SessionRejected("the service answered invalid_grant") }
        }
        try response.checked(request.description)
        let tokens = try response.decoded(Tokens.self, request.description)
        guard !tokens.accessToken.isEmpty else {
            throw NetworkError(.invalidData, request: request.description, "access_token is empty", status: response.status)
        }
        return Session(
            accessToken: Secret(tokens.accessToken),
            refreshToken: tokens.refreshToken.map { Secret($0) },
            isAnonymous: isAnonymous,
            expiresAt: tokens.lifetime.map { now().addingTimeInterval($0) }
        )
    }

    private struct Failure: Decodable { let error: String }

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
            lifetime = seconds.flatMap { $0 > 0 ? min($0, 1e10) : nil }
        }
    }
}
