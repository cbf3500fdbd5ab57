import Foundation

/// The header tables of the two transports: who is asking, in the terms of each.
enum APIHeaders {
    /// Who is asking: what a request carries of a session. The user is the token's, so that the two never disagree.
    struct Identity: Sendable {
        var bearer: Secret?
        var userID: String?
    }

    static func graphQL(_ identity: Identity, _ client: ClientInfo) -> HTTPHeaders {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if let bearer = identity.bearer { headers["Authorization"] = "Bearer \(field(bearer.value))" }
        headers["x-hasura-role"] = identity.userID == nil ? "guest" : "user"
        headers["x-hasura-user-id"] = identity.userID.map(field)
        headers["device-id"] = field(client.deviceID)
        return headers
    }

    /// - Parameter additional: what the app says about its user; it does not replace what is in the table.
    static func rest(_ identity: Identity, _ client: ClientInfo, additional: HTTPHeaders = [:]) -> HTTPHeaders {
        var headers = HTTPHeaders()
        for (name, value) in additional { headers[name] = field(value) }
        headers["Content-Type"] = "application/json"
        headers["Authorization"] = identity.bearer.map { "Bearer \(field($0.value))" }
        headers["\(client.headerPrefix)-Platform"] = field(client.platform)
        headers["\(client.headerPrefix)-App-Version"] = field(client.appVersion)
        headers["\(client.headerPrefix)-User-Id"] = identity.userID.map(field)
        return headers
    }

    /// A text without what would end a field or begin another one (RFC 9110, section 5.5).
    private static func field(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
