/// A scheme, a host and a port that an app takes links for. It matches exactly: no other scheme, no subdomain, no other port.
///
/// ```swift
/// DeepLinkOrigin("https", "music.example")
/// DeepLinkOrigin("speakers", "open")          // speakers://open/speakers/42
/// ```
public struct DeepLinkOrigin: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    public let scheme: String
    /// In lower case; an international name in its `xn--` form.
    public let host: String
    /// nil for the scheme's own.
    public let port: Int?

    /// An origin. One that could not stand in a link matches none.
    public init(_ scheme: String, _ host: String, port: Int? = nil) {
        self.scheme = scheme.lowercased()
        self.host = host.lowercased()
        self.port = port
    }

    /// The origin as the beginning of a link.
    public var description: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")" }
}
