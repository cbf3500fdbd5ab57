import Foundation
import StartupStorage

/// The REST transport.
///
/// Paths are appended to the environment's base, and percent-encoded; parameters of the query too. All throw ``NetworkError``.
extension APIClient {
    /// Gets a value. With a policy that gives more than one answer, this is the last.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryParameters = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(.get, path, query, nil, options)
        return try await answer(call, deadline: deadline, decode: decoder(type, call))
    }

    /// Gets a value that `decode` makes of an answer and the request's name for errors: of one with an error's status, too.
    package func get<Value: Sendable>(
        _ path: String,
        query: QueryParameters,
        options: RequestOptions,
        deadline: Deadline,
        decode: @escaping @Sendable (HTTPResponse, String) throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Value {
        let call = try call(.get, path, query, nil, options)
        return try await answer(call, deadline: deadline) { response throws(NetworkError) in try decode(response, call.name) }
    }

    /// Gets a value, and gives each answer that the cache policy provides for: from the cache, from the service, or both in this order.
    ///
    /// The last is what ``get(_:query:as:options:deadline:)`` returns, and the stream fails as that throws.
    public func updates<Value: Decodable & Sendable>(
        _ path: String,
        query: QueryParameters = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) -> AsyncThrowingStream<Value, any Error> {
        do {
            let call = try call(.get, path, query, nil, options)
            return answers(call, deadline: deadline, decode: decoder(type, call))
        } catch {
            return AsyncThrowingStream { $0.finish(throwing: error) }
        }
    }

    /// Asks for something, and ignores the body of the answer.
    package func get(
        _ path: String,
        query: QueryParameters = [:],
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        try await send(.get, path, query: query, options: options, deadline: deadline)
    }

    /// Sends a request, whose answer is not taken from the cache, and gives the answer.
    public func send<Value: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        body: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(method, path, query, body, options)
        return try await decoded(call, deadline, decoder(type, call))
    }

    /// Sends a request. The answer has to be a success; its body is ignored, unless it is a web page: that is somebody else's, and `invalidData`.
    public func send(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        body: (any Encodable & Sendable)? = nil,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        _ = try await send(method, path, query: query, body: body, as: EmptyResponse.self, options: options, deadline: deadline)
    }

    /// Sends bytes as they are, such as a picture, and gives the answer.
    ///
    /// They go as JSON does: with the session's token, and once more with a new one when the service turns that down. They are in memory as a whole:
    /// to upload from a file, in parts or with progress is left to the app.
    ///
    /// - Parameter contentType: the media type of the bytes, such as "image/png". Another text, or one with a control character, is an
    ///   `invalidRequest`, and nothing is sent.
    public func send<Value: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        data: Data,
        contentType: String,
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try APICall.rest(
            method,
            path,
            query: query,
            body: data,
            contentType: contentType,
            options: options,
            environment: environment
        )
        return try await decoded(call, deadline, decoder(type, call))
    }

    /// Sends bytes as they are, in memory as a whole. The answer has to be a success; its body is ignored, unless it is a web page.
    public func send(
        _ method: HTTPMethod,
        _ path: String,
        query: QueryParameters = [:],
        data: Data,
        contentType: String,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        _ = try await send(
            method,
            path,
            query: query,
            data: data,
            contentType: contentType,
            as: EmptyResponse.self,
            options: options,
            deadline: deadline
        )
    }
}

extension APIClient {
    private func call(
        _ method: HTTPMethod,
        _ path: String,
        _ query: QueryParameters,
        _ body: (any Encodable & Sendable)?,
        _ options: RequestOptions
    ) throws(NetworkError) -> APICall {
        let data: Data?
        do {
            data = try body.map { try APICall.encoder.encode($0) }
        } catch {
            // Without the encoder's error, which quotes the value.
            throw NetworkError(.invalidRequest, request: "\(method.rawValue) \(path)", "the body cannot be encoded")
        }
        return try .rest(method, path, query: query, body: data, options: options, environment: environment)
    }

    private func decoder<Value: Decodable & Sendable>(_ type: Value.Type, _ call: APICall) -> Decode<Value> {
        { response throws(NetworkError) in try response.decoded(type, call.name, limits: call.limits) }
    }
}
