import Foundation

/// Where a service is: its GraphQL endpoint, and the base of its REST addresses where it has any.
public struct APIEnvironment: Sendable, Hashable {
    /// The GraphQL endpoint.
    package let graphQL: URL
    /// The base of REST paths; without it, REST requests fail before anything is sent.
    package let rest: URL?

    /// An environment.
    public init(graphQL: URL, rest: URL? = nil) {
        self.graphQL = graphQL
        self.rest = rest
    }

    /// A service whose REST paths begin at `baseURL`, with its GraphQL endpoint at `graphql` there.
    public static func service(at baseURL: URL) -> APIEnvironment {
        APIEnvironment(graphQL: baseURL.appending(path: "graphql"), rest: baseURL)
    }

    /// An environment from texts, such as from a configuration file.
    ///
    /// - Throws: an error that names the field: `graphQL` is required; both are addresses that ``HTTPClient`` sends
    ///   requests to, all of whose characters have a place in one, and `rest` has no query.
    public init(graphQL: String?, rest: String? = nil) throws {
        guard let graphQL, !graphQL.isEmpty else {
            throw NetworkError.configuration("graphQL", "it is required: pass the URL of the GraphQL endpoint")
        }
        self.graphQL = try Self.url(graphQL, "graphQL")
        guard let rest, !rest.isEmpty else {
            self.rest = nil
            return
        }
        let base = try Self.url(rest, "rest")
        if let violation = Self.violation(ofBase: base) { throw NetworkError.configuration("rest", violation) }
        self.rest = base
    }

    /// Why no paths can be put behind an address; nil when they can: they are appended to its text, and would end up in
    /// its query.
    static func violation(ofBase base: URL) -> String? {
        (base.query() ?? base.fragment()) == nil ? base.requestViolation : "a base URL has no query and no fragment"
    }

    private static func url(_ text: String, _ field: String) throws(NetworkError) -> URL {
        guard let url = URL(plain: text) else {
            throw .configuration(field, "it is no URL, or has characters that have to be percent-encoded")
        }
        if let violation = url.requestViolation { throw .configuration(field, violation) }
        return url
    }
}

extension NetworkError {
    /// An error in how a client was set up. The description names the field and the rule; of the value it shows a
    /// scheme or a host at most.
    static func configuration(_ field: String, _ rule: String) -> NetworkError { NetworkError(.invalidRequest, request: field, rule) }
}

/// A client's description of itself: REST requests carry platform and version, those of GraphQL the device.
public struct ClientInfo: Sendable, Hashable {
    /// This installation's identifier.
    let deviceID: String
    /// "ios", "macos", "linux".
    let platform: String
    /// The app's version, such as "1.4.0".
    let appVersion: String
    /// The prefix of the REST headers' names: "X-Sequencer" makes "X-Sequencer-Platform".
    let headerPrefix: String
    /// The language that operations ask for when nothing else is said; empty: the service's default.
    let language: String

    /// A description.
    public init(
        deviceID: String,
        platform: String,
        appVersion: String,
        headerPrefix: String = "X-Sequencer",
        language: String = ""
    ) {
        self.deviceID = deviceID
        self.platform = platform
        self.appVersion = appVersion
        self.headerPrefix = headerPrefix
        self.language = language
    }
}
