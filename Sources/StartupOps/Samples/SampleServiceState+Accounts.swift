import Foundation

/// Accounts and tokens.
extension SampleServiceState {
    /// The token endpoint (RFC 6749, sections 4.3 and 6), with an additional grant for guests.
    mutating func token(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        let form = request.form
        let account: String
        switch form["grant_type"] {
        case "password":
            guard let name = form["username"], let password = form["password"] else { return Self.incomplete("username and password are") }
            guard let opened = memory.accounts.open(name, password: password) else {
                return Self.refused("invalid_grant", "there is no such account, or the password is another one")
            }
            account = opened.id
        case "refresh_token":
            guard let token = form["refresh_token"] else { return Self.incomplete("refresh_token is") }
            guard let owner = memory.sessions.redeem(refreshToken: token) else {
                return Self.refused("invalid_grant", "the refresh token was used before, or is not valid any more")
            }
            account = owner
        case "anonymous":
            guard let device = form["device_id"], !device.isEmpty else { return Self.incomplete("device_id is") }
            account = memory.accounts.guest(device: device).id
        // RFC 6749, section 5.2, tells the two apart: a grant that is missing, and one that is not known.
        case nil: return Self.incomplete("grant_type is")
        default: return Self.refused("unsupported_grant_type", "grant_type is one of password, refresh_token and anonymous")
        }
        // RFC 6749, section 5.1: tokens are never kept by caches.
        return .json(memory.sessions.issue(for: account, lifetime: options.tokenLifetime, now: now), headers: ["Cache-Control": "no-store"])
    }

    private static func incomplete(_ what: String) -> HTTPResponse { refused("invalid_request", "\(what) needed") }

    private static func refused(_ error: String, _ description: String) -> HTTPResponse {
        // 400 also where credentials are wrong: RFC 6749, section 5.2.
        .json(["error": error, "error_description": description], status: 400)
    }

    mutating func createAccount(_ request: HTTPRequest) -> HTTPResponse {
        guard let email = request.json["email"]?.text, email.contains("@"),
            let password = request.json["password"]?.text, !password.isEmpty
        else {
            return .problem(422, "invalid_account", "an email address and a password are needed")
        }
        guard let account = memory.accounts.create(email, password: password) else {
            return .problem(409, "account_exists", "there is an account with this address")
        }
        return .json(account.profile, status: 201)
    }

    mutating func verifyAccount(_ request: HTTPRequest) -> HTTPResponse {
        let (email, code) = (request.json["email"]?.text, request.json["code"]?.text)
        if let email, code == "000000", memory.accounts.verify(email) { return .done }
        return .problem(422, "invalid_code", "there is no such account, or the code is another one")
    }

    func profile(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        account(of: request, now: now).map { .json($0.profile) } ?? .unauthorized
    }

    func entitlements(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        account(of: request, now: now).map { .json(["entitlements": $0.entitlements]) } ?? .unauthorized
    }

    func registerDevice(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        if account(of: request, now: now) == nil { return .unauthorized }
        // Read only to be checked: the service has no use for devices.
        let isDevice = ["platform", "appVersion"].allSatisfy { request.json[$0]?.text != nil }
        return isDevice ? .done : .problem(422, "invalid_device", "platform and appVersion are needed")
    }
}

/// The sample service's accounts. Passwords are kept as they are: they are samples, and nobody should bring their own.
struct SampleAccounts: Codable {
    struct Account: Codable {
        let id: String
        let name: String
        let email: String?
        let password: String?
        var isVerified: Bool
        var entitlements: [String] = []

        var profile: [String: JSONValue] {
            var profile: [String: JSONValue] = ["id": .string(id), "name": .string(name)]
            profile["email"] = email.map { .string($0) }
            profile["emailVerified"] = .bool(isVerified)
            profile["isAnonymous"] = .bool(email == nil)
            return profile
        }
    }

    private var accounts: [String: Account] = [:]
    private var guests: [String: String] = [:]
    private var count = 0

    init() {
        create("person@example.com", password: "correct horse", isVerified: true, entitlements: ["premium"])
        create("new@example.com", password: "correct horse")
    }

    subscript(id: String) -> Account? { accounts[id] }

    /// A new account; nil when there is one with this address.
    @discardableResult
    mutating func create(_ email: String, password: String, isVerified: Bool = false, entitlements: [String] = []) -> Account? {
        if find(email) != nil { return nil }
        count += 1
        let name = String(email.prefix { $0 != "@" })
        var account = Account(id: "user-\(count)", name: name, email: email, password: password, isVerified: isVerified)
        account.entitlements = entitlements
        accounts[account.id] = account
        return account
    }

    /// The account of someone who did not say who they are: the same one each time for the same device.
    mutating func guest(device: String) -> Account {
        if let id = guests[device], let account = accounts[id] { return account }
        let account = Account(id: "guest-\(guests.count + 1)", name: "Guest", email: nil, password: nil, isVerified: false)
        guests[device] = account.id
        accounts[account.id] = account
        return account
    }

    /// The account that this address and this password open.
    func open(_ email: String, password: String) -> Account? {
        find(email).flatMap { $0.password == password ? $0 : nil }
    }

    /// Marks an account as verified; false for an unknown address.
    mutating func verify(_ email: String) -> Bool {
        guard let id = find(email)?.id else { return false }
        accounts[id]?.isVerified = true
        return true
    }

    private func find(_ email: String) -> Account? {
        accounts.values.first { $0.email?.lowercased() == email.lowercased() }
    }
}

/// The tokens that the sample service has given out, and whose they are.
struct SampleSessions: Codable {
    /// The answer of a token endpoint (RFC 6749, section 5.1).
    struct Tokens: Encodable {
        let access_token: String
        let token_type = "Bearer"
        let expires_in: Int64
        let refresh_token: String
    }

    private struct Access: Codable {
        let account: String
        let expires: Date
    }

    private var access: [String: Access] = [:]
    private var refresh: [String: String] = [:]

    /// New tokens for an account.
    mutating func issue(for account: String, lifetime: Duration, now: Date) -> Tokens {
        // Tokens that have expired would pile up in a service that runs for long.
        access = access.filter { $0.value.expires > now }
        let expires = now.addingTimeInterval(TimeInterval(lifetime.components.seconds))
        let token = Self.webToken(subject: account, issued: now, expires: expires)
        let next = Self.random(24)
        access[token] = Access(account: account, expires: expires)
        refresh[next] = account
        return Tokens(access_token: token, expires_in: lifetime.components.seconds, refresh_token: next)
    }

    /// The account of a refresh token. The token is worth nothing afterwards: the new tokens come with another one.
    mutating func redeem(refreshToken: String) -> String? { refresh.removeValue(forKey: refreshToken) }

    /// The account of an access token; nil when it has expired or was never given out.
    func account(for token: String, now: Date) -> String? {
        access[token].flatMap { $0.expires > now ? $0.account : nil }
    }

    // A token that is not known is refused as one that has expired is.
    mutating func expireAccessTokens() { access = [:] }

    mutating func endSessions() { refresh = [:] }

    /// A token in the form of a JSON Web Token (RFC 7519, RFC 7515).
    ///
    /// Its signature is random and cannot be verified; nobody has to. The service knows the tokens it gave out, and
    /// clients read no more than `exp`.
    private static func webToken(subject: String, issued: Date, expires: Date) -> String {
        let header = Base64URL.encode(Data(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        // Nothing in here needs an escape: accounts' identifiers are the service's own.
        let payload = #"{"exp":\#(seconds(expires)),"iat":\#(seconds(issued)),"iss":"sample","jti":"\#(random(9))","sub":"\#(subject)"}"#
        return "\(header).\(Base64URL.encode(Data(payload.utf8))).\(random(32))"
    }

    // The clock is the caller's, and a plain conversion would trap on a date that is out of range.
    private static func seconds(_ date: Date) -> Int64 { Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0 }

    private static func random(_ count: Int) -> String {
        Base64URL.encode(Data((0..<count).map { _ in UInt8.random(in: .min ... .max) }))
    }
}
