import Foundation

/// Web addresses that a launch may talk to: `https`, or `http` on this machine, and no credentials in them. By which
/// names this machine may be called is what requests accept, too.
///
/// The text is checked before `URL` sees it, because `URL` decodes escapes in host names and so may go elsewhere than a
/// reader of the file believes. Messages never repeat the address: its query may hold a secret.
enum URLText {
    static func parse(_ text: String) throws(ValueError) -> URL {
        guard !text.isEmpty else { throw ValueError(message: "the address is empty") }
        // Visible ASCII only: RFC 3986 knows no other characters.
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !forbidden.contains($0) }) else {
            throw ValueError(message: "the address holds a character that must be percent-encoded")
        }
        // An escape that is not one would be taken differently by each reader.
        let escapes = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().map { $0.prefix(2) }
        guard escapes.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            throw ValueError(message: "the address holds a '%' without two hexadecimal digits after it")
        }
        guard let colon = text.range(of: "://") else {
            throw ValueError(message: "the address is not absolute; expected it to begin with 'https://'")
        }
        let scheme = text[..<colon.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else {
            throw ValueError(message: "unknown scheme \(quoted(scheme)); expected 'https'")
        }
        // As RFC 3986 divides an address: the authority ends at the first of these.
        let authority = text[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // Before the sign anything may stand that looks like a host to a person (RFC 3986, section 7.6).
        if authority.contains("@") {
            throw ValueError(message: "the address holds a user name or a password, which do not belong in an address")
        }
        let host = try host(of: authority)
        if scheme == "http", !isLoopback(host) {
            throw ValueError(message: "the address is not encrypted; expected 'https' ('http' is for localhost, 127.0.0.1 and [::1] only)")
        }
        // Foundation may still refuse it.
        guard let url = URL(string: text), url.host != nil else { throw ValueError(message: "the address is not a valid URL") }
        return url
    }

    /// Reads the address of the services that the built-in steps talk to, without anything behind its path: the paths
    /// of services are put there.
    static func parseBackend(_ text: String) throws(ValueError) -> URL {
        let url = try parse(text)
        // In the text, for an empty query is one, too.
        if text.contains(where: { $0 == "?" || $0 == "#" }) {
            throw ValueError(message: "the address of services ends with its path; expected no '?' and no '#'")
        }
        return url
    }

    /// Whether the byte may stand in a token of HTTP, such as the name of a header.
    static func isToken(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

    private static let forbidden = Set("\"<>\\^`{|}".utf8)

    /// The host of `host`, `host:port` or `[address]:port`, in lower case.
    private static func host(of authority: Substring) throws(ValueError) -> String {
        let host: Substring
        let rest: Substring
        if authority.first == "[" {
            guard let close = authority.firstIndex(of: "]") else { throw ValueError(message: "the address's host lacks its ']'") }
            host = authority[...close]
            rest = authority[authority.index(after: close)...]
            // The system's own reader: the forms of an IPv6 address are many.
            var parsed = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &parsed) == 1 else {
                throw ValueError(message: "the address's host \(quoted(String(host))) is not an IPv6 address")
            }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            let labels = host.split(separator: ".", omittingEmptySubsequences: false)
            // No escape and no underscore, and a label between any two dots.
            let isName = labels.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") } }
            // RFC 1035: a name has at most 253 characters as a text.
            guard isName, host.utf8.count <= 253 else {
                let problem = host.isEmpty ? "the address has no host" : "the address's host \(quoted(String(host))) is not a host name"
                throw ValueError(message: problem)
            }
        }
        if !rest.isEmpty {
            // UInt16 takes a plus sign, which an address may not have.
            guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0, rest.dropFirst().utf8.allSatisfy(isAlphanumeric) else {
                throw ValueError(message: "the address's port is not a number from 1 to 65535")
            }
        }
        // Hosts do not depend on case (RFC 3986, section 3.2.2).
        return host.lowercased()
    }

    private static func isLoopback(_ host: String) -> Bool { ["localhost", "127.0.0.1", "[::1]"].contains(host) }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}
