import Foundation

/// Accounts and tokens.
extension SampleServiceState {
    private struct Credentials: Decodable {
        let email: String
        let password: String
    }

    private struct Verification: Decodable {
        let email: String
        let code: String
    }

    private struct CreatedAccount: Encodable {
        let id: String
        let email: String
        let emailVerified: Bool
    }

    private struct Profile: Encodable {
        let id: String
        let name: String
        let email: String?
        let emailVerified: Bool
        let isAnonymous: Bool
    }

    private struct Device: Decodable {
        let platform: String
        let appVersion: String
    }

    /// The token endpoint (RFC 6749, sections 4.3 and 6), with a grant of its own for guests.
    mutating func token(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        let form = request.form
        let account: String
        switch form["grant_type"] {
        case "password":
            guard let name = form["username"], let password = form["password"] else {
                return Self.refused("invalid_request", "username and password are needed")
            }
            guard let opened = accounts.open(name, password: password) else {
                return Self.refused("invalid_grant", "there is no such account, or the password is another one")
            }
            account = opened.id
        case "refresh_token":
            guard let token = form["refresh_token"] else { return Self.refused("invalid_request", "refresh_token is needed") }
            guard let owner = sessions.redeem(refreshToken: token) else {
                return Self.refused("invalid_grant", "the refresh token was used before, or is not valid any more")
            }
            account = owner
        case "anonymous":
            guard let device = form["device_id"], !device.isEmpty else {
                return Self.refused("invalid_request", "device_id is needed")
            }
            account = accounts.guest(device: device).id
        case nil: return Self.refused("invalid_request", "grant_type is needed")
        default: return Self.refused("unsupported_grant_type", "grant_type is one of password, refresh_token and anonymous")
        }
        // RFC 6749, section 5.1: tokens are never kept by caches.
        return .json(sessions.issue(for: account, lifetime: options.tokenLifetime, now: now), headers: ["Cache-Control": "no-store"])
    }

    private static func refused(_ error: String, _ description: String) -> HTTPResponse {
        .json(["error": error, "error_description": description], status: 400)
    }

    mutating func createAccount(_ request: HTTPRequest) -> HTTPResponse {
        guard let wanted = request.json(Credentials.self), wanted.email.contains("@"), !wanted.password.isEmpty else {
            return .problem(422, "invalid_account", "an email address and a password are needed")
        }
        guard let account = accounts.create(wanted.email, password: wanted.password) else {
            return .problem(409, "account_exists", "there is an account with this address")
        }
        return .json(CreatedAccount(id: account.id, email: wanted.email, emailVerified: false), status: 201)
    }

    mutating func verifyAccount(_ request: HTTPRequest) -> HTTPResponse {
        guard let verification = request.json(Verification.self), verification.code == "000000", accounts.verify(verification.email) else {
            return .problem(422, "invalid_code", "there is no such account, or the code is another one")
        }
        return .done
    }

    func profile(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        guard let account = account(of: request, now: now) else { return .unauthorized }
        return .json(
            Profile(
                id: account.id,
                name: account.name,
                email: account.email,
                emailVerified: account.isVerified,
                isAnonymous: account.email == nil
            )
        )
    }

    func entitlements(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        guard let account = account(of: request, now: now) else { return .unauthorized }
        return .json(["entitlements": account.entitlements])
    }

    func registerDevice(_ request: HTTPRequest, now: Date) -> HTTPResponse {
        if account(of: request, now: now) == nil { return .unauthorized }
        guard request.json(Device.self) != nil else {
            return .problem(422, "invalid_device", "platform and appVersion are needed")
        }
        return .done
    }
}
