import Foundation

extension HTTPRequest {
    /// Throws `invalidRequest`, with the rule it breaks, unless it is a request that may be sent.
    ///
    /// It goes over https, or to this machine; its address names nobody; its fields are fields (RFC 9110, section 5.5).
    func validate() throws(NetworkError) {
        if let reason = violation { throw NetworkError(.invalidRequest, request: description, reason) }
    }

    private var violation: String? {
        url.requestViolation ?? headers.violation ?? bodyViolation
    }

    private var bodyViolation: String? {
        guard method == .get || method == .head, body?.isEmpty == false else { return nil }
        return "a \(method.rawValue) request cannot have a body"
    }
}

extension URL {
    /// Why no request may be sent to this address; nil when one may.
    var requestViolation: String? {
        let scheme = scheme?.lowercased() ?? ""
        guard scheme == "https" || scheme == "http" else { return "the address has to begin with https, not with \"\(scheme)\"" }
        guard let host = host(percentEncoded: true), !host.isEmpty else { return "the address names no host" }
        // Decoded, "g%6fod.example" is "good.example": two names for one host.
        if host.contains("%") { return "the address spells its host with percent signs" }
        if user() != nil || password() != nil { return "the address holds a user name; put credentials in a header" }
        if let port, !(1...65_535).contains(port) { return "the address has the port \(port); there are those from 1 to 65535" }
        if scheme == "http", !HTTPOrigin(self).isLoopback { return "plain http goes to this machine only; use https for \(host)" }
        return nil
    }
}

extension HTTPHeaders {
    fileprivate var violation: String? {
        for (name, value) in self {
            if name.isEmpty || !name.utf8.allSatisfy(\.isTokenCharacter) { return "a header has a name that is none" }
            // A line break would begin another header, or another request.
            if !value.unicodeScalars.allSatisfy({ $0 == "\t" || $0.value >= 0x20 && $0.value != 0x7F }) {
                return "the header \(name) holds a control character"
            }
        }
        return nil
    }
}

extension UInt8 {
    /// Whether it may be part of a token (RFC 9110, section 5.6.2).
    fileprivate var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}
