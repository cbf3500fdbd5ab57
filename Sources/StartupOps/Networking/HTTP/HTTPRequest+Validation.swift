import Foundation
import Sequencer

extension HTTPRequest {
    /// Throws `invalidRequest`, with the rule it breaks, unless it is a request that may be sent.
    ///
    /// It goes over https, or to this machine; its address names nobody; its fields are fields (RFC 9110, section 5.5).
    func validate() throws(NetworkError) {
        var violation = url.requestViolation ?? headers.violation
        // It has no meaning, and some servers close the connection on it (RFC 9110, section 9.3.1).
        if method == .get || method == .head, body?.isEmpty == false {
            violation = violation ?? "a \(method.rawValue) request cannot have a body"
        }
        if let violation { throw error(.invalidRequest, violation) }
    }

    /// What it asks: origin and path.
    var place: String { "\(HTTPOrigin(url))\(url.path())" }

    /// Host and port, for sentences.
    var placeText: String {
        let origin = HTTPOrigin(url)
        return placeShown("\(origin.host):\(origin.port)")
    }

    /// A place without the secrets, and the parts of one, that the server who chose it may have put there.
    func placeShown(_ place: String) -> String { isAddressForeign ? ForeignText.withoutSecrets(place) : place }
}

extension URL {
    /// Why no request may be sent to this address; nil when one may.
    package var requestViolation: String? {
        let scheme = scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" else {
            return "the address has to begin with https, not with \"\(ForeignText.shown(scheme))\""
        }
        if let addressViolation { return addressViolation }
        if scheme == "http", !HTTPOrigin(self).isLoopback {
            return "plain http goes to this machine only; use https for \(ForeignText.withoutSecrets(host(percentEncoded: true) ?? ""))"
        }
        return nil
    }

    /// Why neither a request nor the user may be sent to this address, which two readers could take for two places; nil
    /// when they may.
    package var addressViolation: String? {
        if user() != nil || password() != nil { return "the address holds a user name; put credentials in a header" }
        let host = host(percentEncoded: true) ?? ""
        // `URL` takes the brackets of an IPv6 address away, also from around a name.
        if absoluteString.contains("://["), !host.contains(":") { return "the address has its host in brackets" }
        if let violation = hostViolation(host, port) { return violation }
        if hasUnreadablePort { return "the address has a port that is none; there are those from 1 to 65535" }
        // A receiver that decodes it would get two lines for one, or a text that ends early.
        return path(percentEncoded: false).unicodeScalars.contains(where: \.isControl)
            ? "the address has a control character in its path" : nil
    }

    /// An address as a person, a file or a service writes it; nil where it has a character or an escape that has no
    /// place in one (RFC 3986): each reader would encode that, or leave it out, in its own way.
    package init?(plain text: String) {
        self.init(string: text)
        // Encoded, and with an international host in ASCII, it is another text.
        if !areSame(absoluteString, text) { return nil }
    }

    /// Whether its port is one that no number holds: `port` has none then, as where none is written.
    fileprivate var hasUnreadablePort: Bool {
        guard port == nil, let slashes = absoluteString.firstRange(of: "//") else { return false }
        let authority = absoluteString[slashes.upperBound...].prefix { !"/?#".contains($0) }
        return authority.contains(":") && authority.last?.isNumber == true
    }
}

/// Why not every reader understands a host and a port the same way; nil when all do.
package func hostViolation(_ host: String, _ port: Int?) -> String? {
    if host.isEmpty { return "the address names no host" }
    // Decoded, "g%6fod.example" is "good.example": two names for one host.
    if host.utf8.contains(UInt8(ascii: "%")) { return "the address spells its host with percent signs" }
    // One that holds "@" or "/" would begin, or end, elsewhere in an address.
    if !host.isHost { return "the address has a host that can be none: neither a name in ASCII nor an IP address" }
    guard let port, !(1...65_535).contains(port) else { return nil }
    return "the address has the port \(port); there are those from 1 to 65535"
}

extension HTTPHeaders {
    /// Why these cannot be sent as they are; nil when they can. Nothing is ever taken out of a field to make it one.
    var violation: String? {
        for (name, value) in self {
            if name.isEmpty || !name.utf8.allSatisfy(\.isTokenCharacter) { return "a header has a name that is none" }
            if !value.isFieldValue { return "the header \(name) holds a control character" }
        }
        return nil
    }
}

extension String {
    /// Whether it can be the value of a header field: a line break would begin another one, or another request.
    var isFieldValue: Bool { unicodeScalars.allSatisfy { $0 == "\t" || !$0.isControl } }

    /// Whether it is a host as every reader writes it, without brackets and without a dot at its end: a name in ASCII
    /// (RFC 1123, section 2.1; underscores are in use, too) or an IP address with all its numbers. Some readers take
    /// 127.1 and 0x7f.1 for 127.0.0.1.
    fileprivate var isHost: Bool {
        let isPlain = utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_.:".utf8.contains($0) }
        guard isPlain, utf8.count <= 253 else { return false }
        if utf8.contains(UInt8(ascii: ":")) {
            var address = in6_addr()
            return inet_pton(AF_INET6, self, &address) == 1
        }
        let labels = split(separator: ".", omittingEmptySubsequences: false)
        // A label has 63 bytes at most (RFC 1035, section 2.3.4).
        let areLabels = labels.allSatisfy { 1...63 ~= $0.count && !$0.hasPrefix("-") && !$0.hasSuffix("-") }
        guard areLabels, let last = labels.last else { return false }
        guard last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x") else { return true }
        var address = in_addr()
        return inet_pton(AF_INET, self, &address) == 1
    }

    /// Whether `URL` takes this address as it is written: all of it is seen, and its host is in ASCII. Out of another
    /// host it leaves what cannot be seen, and takes the sign for kelvin for a "k".
    var isPlainAddress: Bool {
        guard isAllShown else { return false }
        guard let slashes = utf8.firstRange(of: "//".utf8) else { return true }
        return utf8[slashes.upperBound...].prefix { !"/?#".utf8.contains($0) }.allSatisfy { $0 < 0x80 }
    }

    /// Whether all of it is shown by a terminal or a screen, as with an identifier of an operation: it has no control
    /// character, nothing invisible, and nothing that turns the direction of writing.
    package var isAllShown: Bool { judgedScalars(self).allSatisfy(\.isShown) }
}

extension UInt8 {
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    package var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Whether it may be part of a token (RFC 9110, section 5.6.2).
    package var isTokenCharacter: Bool { isASCIILetter || isASCIIDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

/// Whom a request talks to: scheme, host and port (RFC 6454).
struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    init(_ url: URL) {
        scheme = url.scheme?.lowercased() ?? ""
        host = url.host()?.lowercased() ?? ""
        // One that is none is no other's, either.
        port = url.hasUnreadablePort ? 0 : url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether it is this machine, so that others cannot read a request on its way.
    var isLoopback: Bool { ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host) }

    var description: String { "\(scheme)://\(host):\(port)" }
}

extension Unicode.Scalar {
    /// Whether it is one of the control characters of ASCII or Latin-1.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
