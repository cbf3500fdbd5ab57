import Foundation

/// What the sample service knows and decides: no lock, no clock, no transport.
struct SampleServiceState {
    private struct PlannedFault {
        let fault: SampleFault
        var timesLeft: Int?
    }

    var options: SampleServiceOptions
    var accounts = SampleAccounts()
    var sessions = SampleSessions()
    var versionPolicy: HTTPResponse
    private(set) var counts: [String: Int] = [:]
    private var faults: [String: PlannedFault] = [:]

    init(_ options: SampleServiceOptions) {
        self.options = options
        versionPolicy = .json(options.versionPolicy)
    }

    /// What a service must not forget when it is stopped: who there is, and who is logged in.
    struct Memory: Codable, Sendable {
        var accounts: SampleAccounts
        var sessions: SampleSessions
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

    /// The account whose access token comes with the request; nil when there is none that is valid.
    func account(of request: HTTPRequest, now: Date) -> SampleAccounts.Account? {
        guard let token = request.bearerToken, let id = sessions.account(for: token, now: now) else { return nil }
        return accounts[id]
    }
}
