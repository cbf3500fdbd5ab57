import Foundation

/// Names and values, as a query or a form holds them: in order, repeated names included.
///
/// Everything but letters, digits and `-._~` is percent-encoded (RFC 3986, section 2.3), so `&`, `=`, `+` and all other characters arrive as they
/// were. That is right for queries as well as for forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// let songs = try await client.get("v1/songs", query: ["q": "rock & roll"], as: [Song].self, deadline: deadline)  // …?q=rock%20%26%20roll
/// ```
public struct QueryParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private var items: [Item] = []

    private struct Item: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// These parameters; those without a value are left out, those with an empty one are not.
    public init(dictionaryLiteral elements: (String, String?)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Adds a parameter; nil adds nothing.
    package mutating func append(_ name: String, _ value: String?) {
        if let value { items.append(Item(name: name, value: value)) }
    }

    /// Whether it has no parameters.
    package var isEmpty: Bool { items.isEmpty }

    /// `name=value&name=value`, encoded: a query without its question mark, or the body of a form.
    package var encoded: String {
        items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}

extension URL {
    /// The address with these parameters after those it already has; without any, the address itself.
    package func appending(_ parameters: QueryParameters) -> URL {
        guard !parameters.isEmpty, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        // Percent-encoded all the way: `queryItems` would leave `+` alone, which forms read as a blank.
        let query = components.percentEncodedQuery ?? ""
        components.percentEncodedQuery = query.isEmpty ? parameters.encoded : query + "&" + parameters.encoded
        return components.url ?? self
    }
}

/// Percent-encoding of everything but what RFC 3986, section 2.3, leaves alone: right for path segments, query parts and forms alike.
enum PercentEncoding {
    static func encode(_ text: some StringProtocol) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
