import Foundation
import StartupNetworking
import StartupOps
import Testing

/// An app's service, without a network: it answers each path with a JSON text, and keeps the requests.
final class JSONService: HTTPSending, @unchecked Sendable {
    // @unchecked: `lock` guards all of its state.
    private let lock = NSLock()
    private var answers = [
        "/v1/version-policy": "{}",
        "/v1/countries": #"[{"code":"DE","name":"Deutschland","languages":["de"]}]"#,
        "/v1/configuration": #"{"version":"1","country":"DE","language":"de"}"#,
        "/v1/flags": #"{"features":{"chat":true}}"#,
        "/v1/profile": #"{"id":"ada","name":"Ada","emailVerified":true,"isAnonymous":false}"#,
        "/v1/entitlements": #"{"entitlements":["premium"]}"#,
        "/graphql": #"{"data":{"speakers":[]}}"#,
        "/oauth/token": #"{"access_token":"token","refresh_token":"refresh","expires_in":3600}"#,
    ]
    private var statuses: [String: Int] = [:]
    private var waits: [String: Signal] = [:]
    private var sent: [HTTPRequest] = []

    var requests: [HTTPRequest] { lock.withLock { sent } }

    /// The requests for a path.
    func requests(for path: String) -> [HTTPRequest] { requests.filter { $0.url.path() == path } }

    /// Answers a path with another text, or another status, from now on; its answers come when `signal` was given.
    func answer(_ path: String, _ json: String? = nil, status: Int? = nil, after signal: Signal? = nil) {
        lock.withLock {
            if let json { answers[path] = json }
            if let status { statuses[path] = status }
            if let signal { waits[path] = signal }
        }
    }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let path = request.url.path()
        let (json, status, signal) = lock.withLock {
            sent.append(request)
            return (answers[path], statuses[path], waits[path])
        }
        await signal?.wait()
        if Task.isCancelled { throw NetworkError(.cancelled, request: request.description, "it was cancelled") }
        guard let json else { return HTTPResponse(status: 404) }
        return HTTPResponse(status: status ?? 200, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }
}

extension BootstrapPlan {
    /// A plan with all that has to be registered.
    static func complete() throws -> BootstrapPlan {
        var plan = BootstrapPlan(
            endpoints: try APIEnvironment(graphQL: "https://api.example.com/graphql", rest: "https://api.example.com")
        )
        let names = ["platform", "client-keys", "core-keys", "screen-configuration", "ui-configuration", "analytics"]
        plan.registrations = names.map { .value("value", for: $0) }
        return plan
    }
}

/// Given once, and waited for by one task.
final class Signal: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Never.self)

    func give() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}

/// Lines, in the order in which they were written.
final class Lines: @unchecked Sendable {
    // @unchecked: `lock` guards all of its state.
    private let lock = NSLock()
    private var lines: [String] = []

    var all: [String] { lock.withLock { lines } }
    func add(_ line: String) { lock.withLock { lines.append(line) } }
}

extension Session {
    /// A session of Ada, whose token says when it expires.
    static func ada(expiringIn seconds: TimeInterval, _ refresh: Secret? = nil) -> Session {
        Session(accessToken: .token(expiringIn: seconds), refreshToken: refresh)
    }
}

extension Secret {
    /// An unsigned JSON Web Token about Ada.
    static func token(expiringIn seconds: TimeInterval) -> Secret {
        func part(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let expiry = Int(Date().timeIntervalSince1970 + seconds)
        return Secret([part(#"{"alg":"none"}"#), part(#"{"sub":"ada","exp":\#(expiry),"jti":"\#(UUID())"}"#), ""].joined(separator: "."))
    }
}
