import Foundation
import Sequencer

/// The REST transport.
///
/// Paths are appended to the environment's base, and percent-encoded; parameters of the query too. All throw
/// ``NetworkError``.
extension APIClient {
    /// Gets a value. With a policy that gives more than one answer, this is the last.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryParameters = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await answer(try call(.get, path, query, nil, nil, options, deadline, json(type)))
    }

    /// Gets a value that `decode` makes of an answer to the request: of one with an error's status, too.
    package func get<Value: Sendable>(
        _ path: String,
        query: QueryParameters,
        options: RequestOptions,
        deadline: Deadline,
        decode: @escaping @Sendable (HTTPResponse, HTTPRequest) throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        let call = try call(.get, path, query, nil, nil, options, deadline) { response, call throws(NetworkError) in
            try decode(response, call.request)
        }
        return try await answer(call)
    }

    /// Gets a value, and gives each answer that the cache policy provides for: from the cache, from the service, or
    /// both in this order.
    ///
    /// The last is what ``get(_:query:as:options:deadline:)`` returns, and the stream fails as that throws.
    public func updates<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryParameters = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) -> AsyncThrowingStream<Value, any Error> {
        answers(to: try self.call(.get, path, query, nil, nil, options, deadline, self.json(type)))
    }

    /// Sends a request, whose answer is not taken from the cache, and gives the answer.
    ///
    /// - Parameters:
    ///   - body: a value, which goes as JSON. `Data` with a content type, such as a picture, and a `String` as
    ///     text/plain go as they are; they are in memory as a whole: to upload from a file, in parts or with progress
    ///     is left to the app.
    ///   - contentType: the media type of the body, such as "image/png"; nil: JSON's. Another text, or one with a
    ///     control character, is an `invalidRequest`, and nothing is sent.
    public func send<Value: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        body: (any Encodable & Sendable)? = nil,
        contentType: String? = nil,
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await sendOnce(try call(method, path, query, body, contentType, options, deadline, json(type)))
    }

    /// Sends a request. The answer has to be a success; its body is ignored, unless its `Content-Type` is that of a web
    /// page: that is somebody else's, and `invalidData`.
    public func send(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        body: (any Encodable & Sendable)? = nil,
        contentType: String? = nil,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        _ = try await sendOnce(try call(method, path, query, body, contentType, options, deadline, json(EmptyResponse.self)))
    }

    /// A REST request.
    ///
    /// - Parameter path: appended to the base, segment by segment, each percent-encoded; a leading slash makes no
    ///     difference.
    func call<Value>(
        _ method: HTTPMethod,
        _ path: String,
        _ query: QueryParameters,
        _ body: (any Encodable & Sendable)?,
        _ contentType: String?,
        _ options: RequestOptions,
        _ deadline: Deadline,
        _ decode: @escaping APICall<Value>.Decode
    ) throws(NetworkError) -> APICall<Value> {
        // Empty segments are left out, so a slash too many does no harm.
        let segments = path.split(separator: "/")
        let name = "\(method.rawValue) \(segments.joined(separator: "/"))"
        func invalid(_ reason: String) -> NetworkError { NetworkError(.invalidRequest, request: printable(name), reason) }
        guard let base = environment.rest else { throw invalid("there is no REST base URL; give APIEnvironment one") }
        if let violation = APIEnvironment.violation(ofBase: base) { throw .configuration("rest", violation) }
        // `URL` would resolve them, and the request would go to another path than the one that was written.
        if segments.contains(".") || segments.contains("..") { throw invalid("\".\" and \"..\" are not allowed in a path") }
        // Before encoding: %0A in a path is as dangerous to a server that decodes it (N36).
        if path.unicodeScalars.contains(where: \.isControl) { throw invalid("a control character has no place in a path") }
        let type = contentType ?? MediaType.json
        // A header field: anything else could begin another one.
        guard Self.isMediaType(type), type.isFieldValue else {
            throw invalid("the content type has to be a media type, such as image/png")
        }
        var data = contentType == nil ? nil : body as? Data
        if let text = body as? String, type.lowercased().hasPrefix("text/plain") { data = Data(text.utf8) }
        do {
            // Sorted, so that the answer to the same request is found in the cache.
            if data == nil { data = try body.map { try JSONEncoder.sorted().encode($0) } }
        } catch {
            // Without the encoder's error, which quotes the value.
            throw invalid("the body cannot be encoded")
        }
        // As a text: `URL.appending` would encode the percent signs once more.
        var text = base.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        text += segments.map { "/" + PercentEncoding.encode($0) }.joined()
        if !query.encoded.isEmpty { text += "?" + query.encoded }
        guard let url = URL(string: text) else { throw invalid("base and path make no URL") }
        return APICall(
            transport: .rest,
            operation: name,
            request: HTTPRequest(method, url, headers: languageHeader(options), body: data),
            contentType: type,
            options: options,
            deadline: deadline,
            // A token given by the caller is not the session's, so the cache cannot name the answer's owner.
            isCacheable: method == .get && options.token == nil,
            decode: decode
        )
    }

    /// Whether a text begins with a media type (RFC 9110, section 8.3.1): two names, and maybe parameters.
    private static func isMediaType(_ text: String) -> Bool {
        let names = text.prefix { $0 != ";" && $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
        return names.count == 2 && names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenCharacter) }
    }

    private func json<Value: Decodable & Sendable>(_ type: Value.Type) -> APICall<Value>.Decode {
        { response, call throws(NetworkError) in try response.decoded(type, for: call.request, limits: call.limits) }
    }
}
