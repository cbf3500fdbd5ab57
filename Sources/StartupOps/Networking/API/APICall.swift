import Foundation

/// A request of one transport, before it is known with which token it is sent.
struct APICall: Sendable {
    enum Transport: Sendable {
        case rest
        case graphQL
    }

    let transport: Transport
    /// What the data source knows it by.
    let operation: String
    /// Method, address and body; what answers are cached under.
    let request: HTTPRequest
    let options: RequestOptions
    /// Whether its answers may be cached.
    let isCacheable: Bool

    /// The request, as errors name it.
    var name: String { transport == .graphQL ? "\(request) (\(operation))" : request.description }
}

extension APICall {
    /// A REST request.
    ///
    /// - Parameter path: appended to the base, segment by segment, each percent-encoded; a leading slash makes no difference.
    static func rest(
        _ method: HTTPMethod,
        _ path: String,
        query: [(name: String, value: String)],
        body: Data?,
        options: RequestOptions,
        environment: APIEnvironment
    ) throws(NetworkError) -> APICall {
        let segments = path.split(separator: "/")
        let name = "\(method.rawValue) \(segments.joined(separator: "/"))"
        guard let base = environment.rest else {
            throw NetworkError(.invalidRequest, request: name, "there is no REST base URL; give APIEnvironment one")
        }
        guard !segments.contains("."), !segments.contains("..") else {
            throw NetworkError(.invalidRequest, request: name, "\".\" and \"..\" are not allowed in a path")
        }
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += segments.map { "/" + PercentEncoding.encode($0) }.joined()
        if !query.isEmpty {
            text += "?" + query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        }
        guard let url = URL(string: text) else {
            throw NetworkError(.invalidRequest, request: name, "base and path make no URL")
        }
        return APICall(
            transport: .rest,
            operation: options.operation ?? name,
            request: HTTPRequest(method, url, body: body),
            options: options,
            isCacheable: method == .get && options.token == nil
        )
    }

    /// A GraphQL operation: always a POST, with its text, its name and its variables.
    static func graphQL(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue],
        options: RequestOptions,
        environment: APIEnvironment,
        client: ClientInfo
    ) throws(NetworkError) -> APICall {
        var variables = variables
        if let variable = operation.languageVariable, variables[variable] == nil {
            variables[variable] = .string(options.language ?? client.language)
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
