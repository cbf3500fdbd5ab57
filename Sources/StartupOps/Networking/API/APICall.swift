import Foundation
import Sequencer

/// A request of one transport, before its token is chosen.
struct APICall: Sendable {
    enum Transport: Sendable {
        case rest
        case graphQL
    }

    let transport: Transport
    /// Its name for the data source.
    let operation: String
    /// Method, address and body: the key of a cached answer.
    let request: HTTPRequest
    /// The media type of the body.
    var contentType = "application/json"
    let options: RequestOptions
    /// Whether its answers may be cached.
    let isCacheable: Bool

    /// The request, as errors name it.
    var name: String { transport == .graphQL ? "\(request) (\(operation))" : request.description }

    /// How much of its answers is decoded.
    var limits: AnswerLimits { options.limits ?? (transport == .graphQL ? .graphQL : .standard) }
}

extension APICall {
    /// A REST request.
    ///
    /// - Parameter path: appended to the base, segment by segment, each percent-encoded; a leading slash makes no difference.
    static func rest(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters,
        body: Data?,
        contentType: String = "application/json",
        options: RequestOptions,
        environment: APIEnvironment
    ) throws(NetworkError) -> APICall {
        // Empty segments are left out, so a slash too many does no harm.
        let segments = path.split(separator: "/")
        let name = "\(method.rawValue) \(segments.joined(separator: "/"))"
        func invalid(_ reason: String) -> NetworkError { NetworkError(.invalidRequest, request: printable(name), reason) }
        guard let base = environment.rest else { throw invalid("there is no REST base URL; give APIEnvironment one") }
        // `URL` would resolve them, and the request would go to another path than the one that was written.
        if segments.contains(".") || segments.contains("..") { throw invalid("\".\" and \"..\" are not allowed in a path") }
        // Before encoding: %0A in a path is as dangerous to a server that decodes it (N36).
        if path.unicodeScalars.contains(where: \.isControl) { throw invalid("a control character has no place in a path") }
        // A header field: anything else could begin another one.
        guard isMediaType(contentType), contentType.isFieldValue else {
            throw invalid("the content type has to be a media type, such as image/png")
        }
        // As a text: `URL.appending` would encode the percent signs once more.
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += segments.map { "/" + PercentEncoding.encode($0) }.joined()
        if !query.isEmpty { text += "?" + query.encoded }
        guard let url = URL(string: text) else { throw invalid("base and path make no URL") }
        return APICall(
            transport: .rest,
            operation: options.operation ?? name,
            request: HTTPRequest(method, url, body: body),
            contentType: contentType,
            options: options,
            // A token of its own is not the session's, so its answer is nobody's in the cache.
            isCacheable: method == .get && options.token == nil
        )
    }

    /// Whether a text begins with a media type (RFC 9110, section 8.3.1): two names, and maybe parameters.
    private static func isMediaType(_ text: String) -> Bool {
        let names = text.prefix { $0 != ";" && $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
        return names.count == 2 && names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenCharacter) }
    }

    /// A GraphQL operation: always a POST, with its text, its name and its variables.
    static func graphQL(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue],
        options: RequestOptions,
        environment: APIEnvironment,
        language: String
    ) throws(NetworkError) -> APICall {
        var variables = variables
        // A variable that the caller has set wins.
        if let variable = operation.languageVariable, variables[variable] == nil {
            variables[variable] = .string(options.language ?? language)
        }
        var request = HTTPRequest(.post, environment.graphQL)
        do {
            request.body = try encoder.encode(Body(query: operation.query, operationName: operation.name, variables: variables))
        } catch {
            throw NetworkError(.invalidRequest, request: request.description, "the variables of \(operation.name) cannot be encoded")
        }
        return APICall(
            transport: .graphQL,
            operation: options.operation ?? operation.name,
            request: request,
            options: options,
            // A mutation changes something: a kept answer would claim that it did so again.
            isCacheable: operation.kind == .query && options.token == nil
        )
    }

    /// Keys are sorted, so that the same request has the same bytes, and its answer is found in the cache.
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    private struct Body: Encodable {
        let query: String
        let operationName: String
        let variables: [String: JSONValue]
    }
}

/// How one request differs from its client's other requests.
public struct RequestOptions: Sendable, Hashable {
    /// The operation's name for the data source; nil: its GraphQL name, or method and path.
    var operation: String?
    /// Whether it needs a token; nil: the data source says.
    var requirement: TokenRequirement?
    /// A token to send in place of the session's. Nobody is asked whether one is needed, and it is not refreshed; it must not have expired.
    var token: Secret?
    /// How to use the cache; nil: as the client does.
    var cachePolicy: CachePolicy?
    /// The language to ask for; nil: the client's.
    var language: String?
    /// How much of the answer is decoded; nil: `AnswerLimits.standard`, and `AnswerLimits.graphQL` over GraphQL.
    var limits: AnswerLimits?

    /// Options; nil leaves each to the client.
    public init(
        operation: String? = nil,
        requirement: TokenRequirement? = nil,
        token: Secret? = nil,
        cachePolicy: CachePolicy? = nil,
        language: String? = nil,
        limits: AnswerLimits? = nil
    ) {
        self.operation = operation
        self.requirement = requirement
        self.token = token
        self.cachePolicy = cachePolicy
        self.language = language
        self.limits = limits
    }
}
