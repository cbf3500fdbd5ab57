import Foundation

/// Where a service is: its GraphQL endpoint, and the base of its REST addresses where it has any.
public struct APIEnvironment: Sendable, Hashable {
    /// The GraphQL endpoint.
    public let graphQL: URL
    /// What REST paths are appended to; without it, REST requests fail before anything is sent.
    public let rest: URL?

    /// An environment.
    public init(graphQL: URL, rest: URL? = nil) {
        self.graphQL = graphQL
        self.rest = rest
    }

    /// An environment from texts, such as from a configuration file.
    ///
    /// - Throws: ``APIConfigurationError`` that names the field: `graphQL` is required; both have to be http or https, with a host and without user
    ///   information, and `rest` without a query.
    public init(graphQL: String?, rest: String? = nil) throws(APIConfigurationError) {
        guard let graphQL, !graphQL.isEmpty else {
            throw APIConfigurationError(field: "graphQL", "it is required: pass the URL of the GraphQL endpoint")
        }
        self.graphQL = try Self.url(graphQL, "graphQL")
        guard let rest, !rest.isEmpty else {
            self.rest = nil
            return
        }
        let base = try Self.url(rest, "rest")
        guard base.query() == nil, base.fragment() == nil else {
            throw APIConfigurationError(field: "rest", "a base URL has no query and no fragment")
        }
        self.rest = base
    }

    private static func url(_ text: String, _ field: String) throws(APIConfigurationError) -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw APIConfigurationError(field: field, "it has to be a URL that begins with http:// or https://")
        }
        guard let host = url.host(), !host.isEmpty else { throw APIConfigurationError(field: field, "it has no host") }
        guard url.user() == nil, url.password() == nil else {
            throw APIConfigurationError(field: field, "user name and password have no place in it")
        }
        return url
    }
}

/// What is wrong with how a client was set up. The description names the field and the rule, and never shows the value.
public struct APIConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The field it is about.
    public let field: String
    /// The rule, and what to do.
    public let reason: String

    init(field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }

    /// The field and the rule, in one sentence.
    public var description: String { "\(field): \(reason)" }
}
