import Foundation

/// Names and values, as a query or a form holds them: in order, repeated names included.
///
/// Everything but letters, digits and `-._~` is percent-encoded (RFC 3986, section 2.3), so `&`, `=`, `+` and all other
/// characters arrive unchanged. This is right for queries as well as for forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// let songs = try await client.get("v1/songs", query: ["q": "rock & roll"], as: [Song].self, deadline: deadline)  // …?q=rock%20%26%20roll
/// ```
public struct QueryParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// `name=value&name=value`, encoded: a query without its question mark, or the body of a form.
    let encoded: String

    /// These parameters; those without a value are left out, those with an empty one are not.
    public init(dictionaryLiteral elements: (String, String?)...) {
        let pairs = elements.compactMap { name, value in value.map { "\(PercentEncoding.encode(name))=\(PercentEncoding.encode($0))" } }
        encoded = pairs.joined(separator: "&")
    }
}

/// Percent-encoding of everything but what RFC 3986, section 2.3, leaves alone: right for path segments, query parts
/// and forms alike.
enum PercentEncoding {
    private static let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    static func encode(_ text: some StringProtocol) -> String { text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "" }
}
