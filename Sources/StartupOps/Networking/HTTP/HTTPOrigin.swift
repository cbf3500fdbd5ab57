import Foundation

/// Whom a request talks to: scheme, host and port (RFC 6454).
struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host()?.lowercased() ?? ""
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether it is this machine, so that what is sent cannot be read by others on the way.
    var isLoopback: Bool { ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host) }

    var description: String { "\(scheme)://\(host):\(port)" }
}

extension URL {
    /// Host and port, for sentences.
    var placeText: String {
        let origin = HTTPOrigin(self)
        return "\(origin.host):\(origin.port)"
    }
}
