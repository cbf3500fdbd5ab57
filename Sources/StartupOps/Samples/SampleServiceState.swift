import Foundation
import StartupOps

/// The state and the decisions of the sample service: no lock, no clock, no transport.
struct SampleServiceState {
    private struct PlannedFault {
        let fault: SampleFault
        var timesLeft: Int?
    }

    var options: SampleServiceOptions
    var memory = Memory()
    var versionPolicy = HTTPResponse.json(["minimumVersion": "1.0.0"])
    private(set) var counts: [String: Int] = [:]
    private var faults: [String: PlannedFault] = [:]

    init(_ options: SampleServiceOptions) { self.options = options }

    /// The part that outlives the service, if it has a store: the accounts and the current user.
    struct Memory: Codable, Sendable {
        var accounts = SampleAccounts()
        var sessions = SampleSessions()
        /// Where the service is, for the sessions that apps keep are of one place.
        var host: String?
    }

    mutating func reset() { self = SampleServiceState(options) }

    mutating func setFault(_ fault: SampleFault, for path: String, times: Int?) {
        faults[path] = PlannedFault(fault: fault, timesLeft: times)
    }

    mutating func removeFaults() { faults = [:] }

    mutating func answer(_ request: HTTPRequest, now: Date) -> SampleAnswer {
        let path = request.url.path(percentEncoded: false)
        // Never counted, and never made to fail: tests steer by it.
        if path.hasPrefix("/_admin/") { return .response(administer(request, path), after: .zero) }
        counts["\(request.method.rawValue) \(path)", default: 0] += 1
        guard let fault = takeFault(path) else { return .response(response(to: request, path, now: now), after: .zero) }
        return fault.answer(to: request) { response(to: request, path, now: now) }
    }

    private mutating func takeFault(_ path: String) -> SampleFault? {
        guard let planned = faults[path] else { return nil }
        guard let left = planned.timesLeft else { return planned.fault }
        if left <= 1 { faults[path] = nil } else { faults[path]?.timesLeft = left - 1 }
        return left > 0 ? planned.fault : nil
    }

    private mutating func response(to request: HTTPRequest, _ path: String, now: Date) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, "/v1/version-policy"): versionPolicy
        case (.get, "/v1/countries"): .json(Self.countries)
        case (.get, "/v1/configuration"): configuration(request)
        case (.get, "/v1/flags"): flags
        case (.post, "/oauth/token"): token(request, now: now)
        case (.post, "/v1/accounts"): createAccount(request)
        case (.post, "/v1/accounts/verify"): verifyAccount(request)
        case (.get, "/v1/profile"): profile(request, now: now)
        case (.get, "/v1/entitlements"): entitlements(request, now: now)
        case (.post, "/graphql"): graphQL(request, now: now)
        case (.put, let path) where path.hasPrefix("/v1/devices/") && path.count > "/v1/devices/".count: registerDevice(request, now: now)
        default: .problem(404, "not_found", "there is nothing at this path, or not for this method")
        }
    }

    /// The account whose access token comes with the request; nil without a valid one.
    func account(of request: HTTPRequest, now: Date) -> SampleAccounts.Account? {
        guard let token = request.bearerToken, let id = memory.sessions.account(for: token, now: now) else { return nil }
        return memory.accounts[id]
    }

    // MARK: - The routes under `/_admin`, with which tests and demonstrations steer the service

    private struct FaultOrder: Decodable {
        let path: String
        let fault: String
        let times: Int?
    }

    mutating func administer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, "/_admin/counts"): return .json(counts)
        case (.post, "/_admin/reset"): reset()
        case (.post, "/_admin/expire-tokens"): memory.sessions.expireAccessTokens()
        case (.post, "/_admin/end-sessions"): memory.sessions.endSessions()
        case (.put, "/_admin/version-policy"): return replaceVersionPolicy(request)
        case (.put, "/_admin/faults"): return orderFault(request)
        case (.delete, "/_admin/faults"): removeFaults()
        default: return .problem(404, "not_found", "there is no such administration route")
        }
        return .done
    }

    /// The policy is kept as it is written, so that clients can be shown one that makes no sense.
    private mutating func replaceVersionPolicy(_ request: HTTPRequest) -> HTTPResponse {
        guard let body = request.body, (try? JSONSerialization.jsonObject(with: body)) is [String: Any] else {
            return .problem(400, "invalid_request", "expected a version policy as a JSON object")
        }
        versionPolicy = .json(data: body)
        return .done
    }

    private mutating func orderFault(_ request: HTTPRequest) -> HTTPResponse {
        guard let order = request.json(FaultOrder.self), order.path.hasPrefix("/"), order.times.map({ $0 > 0 }) ?? true else {
            return .problem(400, "invalid_request", "expected a JSON object with path, fault and perhaps times, which is 1 or more")
        }
        do {
            setFault(try SampleFault(parsing: order.fault), for: order.path, times: order.times)
            return .done
        } catch {
            return .problem(422, "invalid_fault", "\(error)")
        }
    }
}

extension HTTPResponse {
    /// An answer in JSON, its members in the order of their names.
    static func json(_ value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        // Sorted: equal values are equal bytes, and have equal tags.
        guard let body = try? JSONEncoder.sorted(.withoutEscapingSlashes).encode(value) else { return HTTPResponse(status: 500) }
        return json(data: body, status: status, headers: headers)
    }

    /// An answer in JSON that is there already.
    static func json(data: Data, status: Int = 200, headers: HTTPHeaders = [:]) -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, body: data)
        response.headers["Content-Type"] = "application/json"
        return response
    }

    /// An answer that names the error of the request.
    static func problem(_ status: Int, _ error: String, _ message: String, headers: HTTPHeaders = [:]) -> HTTPResponse {
        json(["error": error, "message": message], status: status, headers: headers)
    }

    /// 401: the token is missing or not valid (RFC 6750, section 3).
    static let unauthorized = problem(401, "unauthorized", "a valid access token is needed", headers: ["WWW-Authenticate": "Bearer"])

    /// 204: done, and there is nothing to say.
    static let done = HTTPResponse(status: 204)
}

extension HTTPRequest {
    /// A parameter of the address, decoded.
    func parameter(_ name: String) -> String? {
        Self.fields(url.query() ?? "")[name]
    }

    /// The body's form fields (application/x-www-form-urlencoded), in which a blank is a plus.
    var form: [String: String] { Self.fields(String(decoding: body ?? Data(), as: UTF8.self).replacing("+", with: "%20")) }

    /// Of two with the same name, the first one.
    private static func fields(_ query: String) -> [String: String] {
        let items = URLComponents(string: "?\(query)")?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// The body's JSON; null without a body in JSON.
    var json: JSONValue { json(JSONValue.self) ?? .null }

    /// The body's JSON, as a value.
    func json<Value: Decodable>(_ type: Value.Type) -> Value? {
        body.flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    /// The token of the `Authorization` header; nil without one.
    var bearerToken: String? {
        // Schemes of authentication are written in either case: RFC 9110, section 11.1.
        guard let value = headers["Authorization"], value.prefix(7).lowercased() == "bearer " else { return nil }
        return String(value.dropFirst(7))
    }
}
