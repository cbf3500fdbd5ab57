import Foundation

/// Which base URLs credentials may be sent to.
enum SDKBaseURL {
    /// The URL, when it is `https` with a plain host, and nothing in it that does not belong into a base URL.
    static func check(_ text: String, allowsInsecureLoopback: Bool) throws(SDKError) -> URL {
        // The rules look at the text as it is: URL types decode hosts (g%6fod.example), and disagree about what they accept.
        func refuse(_ reason: String) -> SDKError {
            SDKError(.invalidBaseURL, "baseUrl", reason, resolution: "give one like https://api.example.com")
        }
        guard let colon = text.range(of: "://") else { throw refuse("it has no scheme") }
        let scheme = text[..<colon.lowerBound].lowercased()
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { !"/?#\\".contains($0) }
        if rest.contains("?") || rest.contains("#") { throw refuse("it has a query or a fragment") }
        if authority.contains("@") { throw refuse("it has a user or a password in it") }
        guard let (host, port) = split(authority) else { throw refuse("its port is no number from 1 to 65535") }
        guard isHost(host) else { throw refuse("it has no valid host") }
        switch scheme {
        case "https": break
        case "http" where allowsInsecureLoopback && ["127.0.0.1", "localhost", "[::1]"].contains(host.lowercased()): break
        case "http": throw refuse("it is http, and credentials would travel in the clear: https is required")
        default: throw refuse("its scheme is not https")
        }
        let path = rest.dropFirst(authority.count)
        if path.contains("\\") || !path.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7F }) {
            throw refuse("its path has characters that have to be percent-encoded")
        }
        guard let url = URL(string: "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)"), url.host != nil else {
            throw refuse("it is no URL")
        }
        return url
    }

    /// Host and port; nil when there is a port that is none.
    private static func split(_ authority: Substring) -> (host: String, port: Int?)? {
        // The colons of an IPv6 address are inside its brackets.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].firstIndex(of: ":") else { return (String(authority), nil) }
        let digits = authority[authority.index(after: colon)...]
        guard (1...5).contains(digits.count), digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(digits),
            (1...65_535).contains(port)
        else { return nil }
        return (String(authority[..<colon]), port)
    }

    /// Labels of letters, digits and hyphens (RFC 1123, section 2.1), or an IPv6 address in brackets.
    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") {
            let address = host.dropFirst().dropLast()
            return address.contains(":") && address.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == ":" || $0 == ".") }
        }
        guard (1...253).contains(host.utf8.count) else { return false }
        return host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
