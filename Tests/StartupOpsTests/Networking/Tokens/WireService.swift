import Foundation
import Sequencer

@testable import StartupNetworking
@testable import StartupStorage

/// The sample service's wire contract, in process: issues tokens that rotate, turns down those that have expired, counts what it is asked.
final class WireService: HTTPSending {
    typealias Reply = @Sendable (HTTPRequest, Deadline) async throws(NetworkError) -> HTTPResponse

    private struct State {
        var requests: [HTTPRequest] = []
        var refreshTokens: [String: String] = [:]
        var accessTokens: [String: (user: String, expiry: Date)] = [:]
        var replies: [String: [Reply]] = [:]
        var serial = 0
        var now = Date(timeIntervalSince1970: 1_800_000_000)
    }

    private let state = Locked(State())
    /// How long tokens live.
    let lifetime: TimeInterval

    init(lifetime: TimeInterval = 3600) {
        self.lifetime = lifetime
    }

    // MARK: What tests do with it

    var now: Date { state.withLock { $0.now } }

    func advance(_ seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// All requests, in the order in which they arrived.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// How often it was asked this, such as "POST /oauth/token".
    func count(_ key: String) -> Int { requests.count { "\($0.method.rawValue) \($0.url.path())" == key } }

    /// A session of `user`, as the service would open it.
    func issue(_ user: String = "u1", lifetime: TimeInterval? = nil, anonymous: Bool = false) -> Session {
        let grant = grant(user, lifetime ?? self.lifetime)
        return Session(accessToken: Secret(grant.access), refreshToken: Secret(grant.refresh), isAnonymous: anonymous)
    }

    /// All access tokens have expired, whatever they say.
    func expireTokens() { state.withLock { $0.accessTokens = [:] } }

    /// All refresh tokens are invalid.
    func endSessions() { state.withLock { $0.refreshTokens = [:] } }

    /// The next request of this kind is answered by `reply`; several are used in order.
    func next(_ key: String, _ reply: @escaping Reply) {
        state.withLock { $0.replies[key, default: []].append(reply) }
    }

    func next(_ key: String, status: Int = 200, type: String = "application/json", _ body: String) {
        next(key) { _, _ in HTTPResponse(status: status, headers: ["Content-Type": type], body: Data(body.utf8)) }
    }

    func next(_ key: String, fails code: NetworkError.Code) {
        next(key) { (request, _) throws(NetworkError) in throw NetworkError(code, request: request.description, "scripted") }
    }

    /// The next request of this kind is held until `gate` opens, then answered as usual.
    func hold(_ key: String, at gate: AsyncGate) {
        next(key) { [unowned self] (request, deadline) throws(NetworkError) in
            guard await gate.wait(until: deadline) else {
                throw NetworkError(deadline.isOver ? .timedOut : .cancelled, request: request.description, "held")
            }
            return answer(request)
        }
    }

    // MARK: Serving

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let key = "\(request.method.rawValue) \(request.url.path())"
        let reply: Reply? = state.withLock { state in
            state.requests.append(request)
            guard var replies = state.replies[key], !replies.isEmpty else { return nil }
            let first = replies.removeFirst()
            state.replies[key] = replies
            return first
        }
        if let reply { return try await reply(request, deadline) }
        return answer(request)
    }

    private func answer(_ request: HTTPRequest) -> HTTPResponse {
        let path = request.url.path()
        switch "\(request.method.rawValue) \(path)" {
        case "POST /oauth/token": return token(request)
        case "GET /v1/countries": return json(200, #"[{"code":"DE","name":"Germany","languages":["de","en"]}]"#)
        case "GET /v1/configuration": return configuration(request)
        case "POST /v1/accounts": return json(201, #"{"id":"u9","email":"new@example.com","emailVerified":false}"#)
        case "POST /graphql": return graphQL(request)
        default: break
        }
        guard let user = user(request) else {
            return HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Bearer"])
        }
        switch "\(request.method.rawValue) \(path)" {
        case "GET /v1/profile":
            return json(200, #"{"id":"\#(user)","name":"Name of \#(user)","emailVerified":true,"isAnonymous":false}"#)
        case "GET /v1/entitlements": return json(200, #"{"entitlements":["premium"]}"#)
        case let key where key.hasPrefix("PUT /v1/devices/"), let key where key.hasPrefix("DELETE /v1/devices/"):
            return HTTPResponse(status: 204)
        case let key where key.hasPrefix("PATCH /v1/devices/"): return json(200, #"{"id":"d1"}"#)
        default: return json(404, "{}")
        }
    }

    private func configuration(_ request: HTTPRequest) -> HTTPResponse {
        if request.headers["If-None-Match"] == "\"7\"" { return HTTPResponse(status: 304, headers: ["ETag": "\"7\""]) }
        var response = json(200, #"{"version":"7"}"#)
        response.headers["ETag"] = "\"7\""
        return response
    }

    private func graphQL(_ request: HTTPRequest) -> HTTPResponse {
        guard let body = try? JSONDecoder().decode(GraphQLBody.self, from: request.body ?? Data()) else { return json(400, "{}") }
        let data: String
        switch body.operationName {
        case "Greeting": return json(200, #"{"data":{"greeting":{"text":"hello \#(body.variables["lang"] ?? "")"}}}"#)
        case "Speakers": data = #"{"speakers":[{"id":"s1","name":"Kitchen","host":"127.0.0.1","port":7400}]}"#
        case "Viewer": data = #"{"viewer":{"id":"u1","name":"Name of u1"}}"#
        case "RegisterSpeaker": data = #"{"registerSpeaker":[{"id":"s1","name":"Kitchen","host":"127.0.0.1","port":7400}]}"#
        default: return json(200, #"{"errors":[{"message":"unknown operation","extensions":{"code":"validation-failed"}}]}"#)
        }
        guard user(request) != nil else {
            return json(200, #"{"errors":[{"message":"Could not verify JWT","extensions":{"code":"invalid-jwt"}}]}"#)
        }
        return json(200, #"{"data":\#(data)}"#)
    }

    private func token(_ request: HTTPRequest) -> HTTPResponse {
        var components = URLComponents()
        components.percentEncodedQuery = String(decoding: request.body ?? Data(), as: UTF8.self)
        let form = Dictionary((components.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
        let user: String? =
            switch form["grant_type"] {
            case "password": form["username"] == "person@example.com" && form["password"] == "correct horse" ? "u1" : nil
            case "anonymous": "guest-\(form["device_id"] ?? "")"
            case "refresh_token": state.withLock { $0.refreshTokens.removeValue(forKey: form["refresh_token"] ?? "") }
            default: nil
            }
        guard let user else { return json(400, #"{"error":"invalid_grant","error_description":"\#(form["refresh_token"] ?? "")"}"#) }
        let grant = grant(user, lifetime)
        return json(
            200,
            """
            {"access_token":"\(grant.access)","token_type":"Bearer","expires_in":\(Int(lifetime)),"refresh_token":"\(grant.refresh)"}
            """
        )
    }

    private func grant(_ user: String, _ lifetime: TimeInterval) -> (access: String, refresh: String) {
        state.withLock { state in
            state.serial += 1
            let expiry = state.now + lifetime
            let access = Self.jwt(#"{"sub":"\#(user)","exp":\#(Int(expiry.timeIntervalSince1970)),"jti":\#(state.serial)}"#)
            let refresh = "refresh-\(user)-\(state.serial)"
            state.accessTokens[access] = (user, expiry)
            state.refreshTokens[refresh] = user
            return (access, refresh)
        }
    }

    private func user(_ request: HTTPRequest) -> String? {
        guard let bearer = request.bearer else { return nil }
        return state.withLock { state in
            guard let token = state.accessTokens[bearer], token.expiry > state.now else { return nil }
            return token.user
        }
    }

    private func json(_ status: Int, _ body: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["Content-Type": "application/json; charset=utf-8"], body: Data(body.utf8))
    }

    /// A token with these claims, and a signature that nobody checks.
    static func jwt(_ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, signature: String = "c2lnbmF0dXJl") -> String {
        [base64URL(header), base64URL(claims), signature].joined(separator: ".")
    }

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    struct GraphQLBody: Decodable {
        let query: String
        let operationName: String
        let variables: [String: String]
    }
}

extension HTTPRequest {
    /// The bearer token it carries.
    var bearer: String? {
        guard let field = headers["Authorization"], field.hasPrefix("Bearer ") else { return nil }
        return String(field.dropFirst("Bearer ".count))
    }
}

/// Collects the events of a manager from the moment it is made.
final class EventLog: Sendable {
    private let stream: AsyncStream<TokenEvent>

    init(_ tokens: TokenManager) { stream = tokens.events }

    /// The events so far: `tokens` has to say one more thing, which marks the end.
    func events(_ tokens: TokenManager) async -> [TokenEvent] {
        let mark = Session(accessToken: "mark", userID: "mark")
        tokens.begin(mark)
        var events: [TokenEvent] = []
        for await event in stream {
            if event == .sessionChanged(userID: "mark") { break }
            events.append(event)
        }
        return events
    }
}
