import Foundation
import StartupNetworking
import StartupOps

/// The state and the decisions of the sample service: no lock, no clock, no transport.
struct SampleServiceState {
    private struct PlannedFault {
        let fault: SampleFault
        var timesLeft: Int?
    }

    var options: SampleServiceOptions
    var accounts = SampleAccounts()
    var sessions = SampleSessions()
    var versionPolicy = HTTPResponse.json(["minimumVersion": "1.0.0"])
    private(set) var counts: [String: Int] = [:]
    private var faults: [String: PlannedFault] = [:]

    init(_ options: SampleServiceOptions) { self.options = options }

    /// The part that outlives the service, where it has a store: the accounts and who is logged in.
    struct Memory: Codable, Sendable {
        var accounts: SampleAccounts
        var sessions: SampleSessions
        /// Where the service is, for the sessions that apps keep are of one place.
        var host: String?
    }

    var memory: Memory {
        get { Memory(accounts: accounts, sessions: sessions) }
        set { (accounts, sessions) = (newValue.accounts, newValue.sessions) }
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
        let method = request.method
        switch path {
        case "/v1/version-policy": return method == .get ? versionPolicy : Self.allowed("GET")
        case "/v1/countries": return method == .get ? .json(SampleCountry.all) : Self.allowed("GET")
        case "/v1/configuration": return method == .get ? configuration(request) : Self.allowed("GET")
        case "/v1/flags": return method == .get ? flags : Self.allowed("GET")
        case "/oauth/token": return method == .post ? token(request, now: now) : Self.allowed("POST")
        case "/v1/accounts": return method == .post ? createAccount(request) : Self.allowed("POST")
        case "/v1/accounts/verify": return method == .post ? verifyAccount(request) : Self.allowed("POST")
        case "/v1/profile": return method == .get ? profile(request, now: now) : Self.allowed("GET")
        case "/v1/entitlements": return method == .get ? entitlements(request, now: now) : Self.allowed("GET")
        case "/graphql": return method == .post ? graphQL(request, now: now) : Self.allowed("POST")
        case let path where path.hasPrefix("/v1/devices/") && path.count > "/v1/devices/".count:
            return method == .put ? registerDevice(request, now: now) : Self.allowed("PUT")
        default: return .problem(404, "not_found", "there is nothing at this path")
        }
    }

    static func allowed(_ method: String) -> HTTPResponse {
        .problem(405, "method_not_allowed", "only \(method) is allowed here", headers: ["Allow": method])
    }

    /// The account whose access token comes with the request; nil without a valid one.
    func account(of request: HTTPRequest, now: Date) -> SampleAccounts.Account? {
        guard let token = request.bearerToken, let id = sessions.account(for: token, now: now) else { return nil }
        return accounts[id]
    }
}

/// The routes under `/_admin`: what tests and demonstrations steer the service with.
extension SampleServiceState {
    private struct FaultOrder: Decodable {
        let path: String
        let fault: String
        let times: Int?
    }

    mutating func administer(_ request: HTTPRequest, _ path: String) -> HTTPResponse {
        switch (request.method, path) {
        case (.get, "/_admin/counts"): return .json(counts)
        case (.post, "/_admin/reset"): reset()
        case (.post, "/_admin/expire-tokens"): sessions.expireAccessTokens()
        case (.post, "/_admin/end-sessions"): sessions.endSessions()
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
        let encoder = JSONEncoder()
        // Sorted: equal values are equal bytes, and have equal tags.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return HTTPResponse(status: 500) }
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
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }

    /// The body's form fields (application/x-www-form-urlencoded); of two with the same name, the first one.
    var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body ?? Data(), as: UTF8.self).split(separator: "&") {
            // The plus before the percent: decoded first, `%2B` would become a space.
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "" }
            if let name = halves.first, fields[name] == nil { fields[name] = halves.count == 2 ? halves[1] : "" }
        }
        return fields
    }

    /// The body's JSON.
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
