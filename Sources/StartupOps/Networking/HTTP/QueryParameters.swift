import Foundation

/// Names and values, as a query or a form holds them: in order, repeated names included.
///
/// Everything but letters, digits and `-._~` is percent-encoded (RFC 3986, section 2.3), so `&`, `=`, `+` and all other characters arrive as they
/// were. That is right for queries as well as for forms (`application/x-www-form-urlencoded`).
///
/// ```swift
/// let url = baseURL.appending(["q": "rock & roll", "page": "2"] as QueryParameters)  // …?q=rock%20%26%20roll&page=2
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
    public mutating func append(_ name: String, _ value: String?) {
        if let value { items.append(Item(name: name, value: value)) }
    }

    /// Whether there are none.
    public var isEmpty: Bool { items.isEmpty }

    /// `name=value&name=value`, encoded: a query without its question mark, or the body of a form.
    public var encoded: String {
        items.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }
}

extension URL {
    /// The address with these parameters after those it already has; without any, the address itself.
    public func appending(_ parameters: QueryParameters) -> URL {
        guard !parameters.isEmpty, var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        let query = components.percentEncodedQuery ?? ""
        components.percentEncodedQuery = query.isEmpty ? parameters.encoded : query + "&" + parameters.encoded
        return components.url ?? self
    }
}
