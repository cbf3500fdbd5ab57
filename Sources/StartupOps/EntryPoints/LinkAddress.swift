import Foundation
import StartupNetworking

/// The parts of a link, read from its text by RFC 3986.
///
/// The text itself is read, not a `URL`: Foundation on Linux decodes `g%6fod.example` into another host, and resolves
/// `%2e%2e` in paths. The rules are narrower than the RFC's: an address that two programs could read differently is
/// refused.
struct LinkAddress {
    /// A part of the text, as it is written.
    typealias Bytes = Substring.UTF8View
    /// A field of a query, as it is written.
    typealias Field = (name: Bytes, value: Bytes)

    /// In lower case.
    let scheme: String
    /// In lower case.
    let host: String
    /// nil when none is written, or when it is the scheme's own.
    let port: Int?
    /// The path, as it is written.
    let path: Bytes
    /// The query's fields.
    let query: [Field]

    /// The longest link that is looked at, in bytes. The parts that are used are bounded more tightly: this is so large
    /// that a parameter that is too long can still be named.
    static let maximumLength = 2 << 20
    /// The longest scheme, host and path together, in bytes.
    static let maximumPathLength = 2_048
    /// The most fields a query may have.
    static let maximumFields = 64

    /// - Parameter schemes: those that are taken.
    init(_ text: String, schemes: Set<String>) throws(DeepLinkError) {
        let bytes = text[...].utf8
        guard !bytes.isEmpty else { throw DeepLinkError("", "the link is empty") }
        guard bytes.count <= Self.maximumLength else {
            throw DeepLinkError("", "the link is longer than \(Self.maximumLength) bytes")
        }
        scheme = try Self.scheme(of: bytes)
        guard schemes.contains(scheme) else {
            throw DeepLinkError("\(scheme):", "the scheme is none of \(schemes.sorted().joined(separator: ", "))")
        }
        // The colon, too.
        let afterScheme = bytes.dropFirst(scheme.utf8.count + 1)
        // After the scheme: its name may be told in the message.
        guard bytes.allSatisfy(Self.mayStandInLink) else {
            throw DeepLinkError("\(scheme):", "it has a character that has to be percent-encoded in a link")
        }
        guard afterScheme.starts(with: "//".utf8) else {
            throw DeepLinkError("\(scheme):", "// and a host were expected after the scheme")
        }
        // The fragment first: it may hold a question mark.
        let (address, _) = Self.split(afterScheme.dropFirst(2), at: UInt8(ascii: "#"))
        let (rest, query) = Self.split(address, at: UInt8(ascii: "?"))
        guard scheme.utf8.count + rest.count <= Self.maximumPathLength else {
            throw DeepLinkError("\(scheme)://…", "its host and path are longer than \(Self.maximumPathLength) bytes")
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        (host, port) = try Self.hostAndPort(authority, scheme)
        path = rest[authority.endIndex...]
        // The limit plus one, so that too many are noticed without making all of them.
        let fields = query.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumFields)
        guard fields.count <= Self.maximumFields else {
            throw DeepLinkError("\(scheme)://\(host)", "it has more than \(Self.maximumFields) parameters")
        }
        self.query = fields.map { Self.split($0, at: UInt8(ascii: "=")) }
    }

    /// RFC 3986, section 3.1.
    private static func scheme(of bytes: Bytes) throws(DeepLinkError) -> String {
        let scheme = bytes.prefix(33).prefix { $0 != UInt8(ascii: ":") }
        guard scheme.endIndex != bytes.endIndex, scheme.count <= 32, let first = scheme.first, first.isASCIILetter,
            scheme.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) })
        else { throw DeepLinkError("", "the link does not begin with a scheme such as https:") }
        return String(Substring(scheme)).lowercased()
    }

    /// The characters of RFC 3986, section 2. Some readers take a backslash for a slash, and skip white space.
    private static func mayStandInLink(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    private static func hostAndPort(_ authority: Bytes, _ scheme: String) throws(DeepLinkError) -> (String, Int?) {
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw DeepLinkError("\(scheme)://…", "a link may not have a user name before its host")
        }
        // An IPv6 address in brackets is refused below: no app has links to one.
        let (host, port) = split(authority, at: UInt8(ascii: ":"))
        guard !host.isEmpty else { throw DeepLinkError("\(scheme)://", "a host was expected after //") }
        let name = String(Substring(host)).lowercased()
        guard hostViolation(name, nil) == nil else {
            throw DeepLinkError("\(scheme)://…", "the host is not written as letters, digits, hyphens and single dots")
        }
        guard !port.isEmpty else { return (name, nil) }
        // UInt16 alone would take a plus sign.
        guard port.count <= 5, port.allSatisfy(\.isASCIIDigit), let number = UInt16(String(Substring(port))), number > 0 else {
            throw DeepLinkError("\(scheme)://\(name)", "the port is no number from 1 to 65535")
        }
        return (name, unlessUsual(Int(number), scheme))
    }

    /// The port; nil for the scheme's own.
    static func unlessUsual(_ port: Int?, _ scheme: String) -> Int? {
        (scheme, port) == ("https", 443) || (scheme, port) == ("http", 80) ? nil : port
    }

    /// The path's segments, decoded; a slash at the end adds none.
    ///
    /// Dots that climb are refused rather than resolved, however they are written, and so is an encoded slash.
    func segments() throws(DeepLinkError) -> [String] {
        var parts = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty ?? false { parts.removeLast() }
        var segments: [String] = []
        for part in parts {
            guard let segment = percentDecoded(part), !segment.isEmpty, segment != ".", segment != "..",
                // Decoded, an encoded slash would divide one part into two.
                !segment.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" })
            else {
                throw DeepLinkError("\(scheme)://\(host)", "part \(segments.count + 1) of its path is empty, climbs, or cannot be decoded")
            }
            guard segment.isAllShown else {
                let reason = "part \(segments.count + 1) of its path holds a character that cannot be printed"
                throw DeepLinkError("\(scheme)://\(host)", reason)
            }
            segments.append(segment)
        }
        return segments
    }

    /// The parts before and after the first `separator`; without one, the second is empty.
    private static func split(_ text: Bytes, at separator: UInt8) -> Field {
        guard let index = text.firstIndex(of: separator) else { return (text, text[text.endIndex...]) }
        return (text[..<index], text[text.index(after: index)...])
    }
}

/// A scheme, a host and a port that an app takes links for. It matches exactly: no other scheme, no subdomain, no other
/// port.
///
/// ```swift
/// DeepLinkOrigin("https", "music.example")
/// DeepLinkOrigin("speakers", "open")  // speakers://open/speakers/42
/// ```
public struct DeepLinkOrigin: Sendable, Hashable {
    /// In lower case.
    let scheme: String
    /// In lower case; an international name in its `xn--` form.
    let host: String
    /// nil for the scheme's own.
    let port: Int?

    /// An origin. An origin that could not stand in a link matches none.
    public init(_ scheme: String, _ host: String, port: Int? = nil) {
        self.scheme = scheme.lowercased()
        // Not of a name that no link has: the sign for kelvin would become a "k".
        self.host = host.utf8.allSatisfy { $0 < 0x80 } ? host.lowercased() : host
        self.port = LinkAddress.unlessUsual(port, self.scheme)
    }
}

/// Decodes `%41` and the like (RFC 3986, section 2.1). A plus stays a plus.
///
/// - Returns: nil when a percent sign is not followed by two hexadecimal digits, or the result is not UTF-8.
func percentDecoded(_ text: LinkAddress.Bytes) -> String? { String(Substring(text)).removingPercentEncoding }
