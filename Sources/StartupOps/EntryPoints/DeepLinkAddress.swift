import StartupNetworking

/// A link as it was written: for a route that takes more than it declares, as a browser's does.
///
/// It comes from a stranger, and only its scheme, host and port have been judged. Nothing that prints it shows more
/// than these.
public struct DeepLinkAddress: Sendable, Hashable, Codable {
    /// A field of a query, decoded; as it is written where it cannot be decoded. A plus stays a plus.
    public struct Field: Sendable, Hashable, Codable {
        /// The part before the equals sign.
        public let name: String
        /// The part after the equals sign; empty without one.
        public let value: String
    }

    /// The whole link, to the byte.
    package let text: String
    /// The scheme, in lower case.
    public let scheme: String
    /// The host, in lower case; an international name in its `xn--` form.
    public let host: String
    /// The port; nil for the scheme's own.
    public let port: Int?
    /// The path, as it is written.
    public let path: String
    /// The query's fields, in their order; of a name that is there twice, both.
    public let fields: [Field]
    /// The part after `#`, as it is written; nil without one, or where it is empty.
    public let fragment: String?

    /// The longest link that is kept, in bytes: it is stored until it has been delivered.
    static let maximumLength = 64 << 10
}

extension DeepLinkAddress: SecretHolding {
    /// The scheme and the host.
    public var description: String { "address \(scheme)://\(host)" }
}

extension DeepLinkAddress.Field: SecretHolding {
    /// Neither the name nor the value: a bare word may be a token.
    public var description: String { "<field>" }
}

extension LinkAddress {
    /// The link as it was written.
    ///
    /// - Throws: when it is too long to be kept.
    func asWritten() throws(DeepLinkError) -> DeepLinkAddress {
        guard written.count <= DeepLinkAddress.maximumLength else {
            throw DeepLinkError("\(scheme)://\(host)", "it is longer than \(DeepLinkAddress.maximumLength) bytes")
        }
        func decoded(_ text: Substring.UTF8View) -> String { percentDecoded(text) ?? String(Substring(text)) }
        return DeepLinkAddress(
            text: String(Substring(written)),
            scheme: scheme,
            host: host,
            port: port,
            path: String(Substring(path)),
            fields: query.map { DeepLinkAddress.Field(name: decoded($0.name), value: decoded($0.value)) },
            fragment: fragment.isEmpty ? nil : String(Substring(fragment))
        )
    }
}
