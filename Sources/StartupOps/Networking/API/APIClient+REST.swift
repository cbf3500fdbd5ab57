import Foundation

/// The REST transport.
///
/// Paths are appended to the environment's base, and percent-encoded; parameters of the query too. All throw ``NetworkError``.
extension APIClient {
    /// A parameter of a query.
    public typealias QueryParameter = (name: String, value: String)

    /// Gets a value. With a policy that gives more than one answer, this is the last.
    public func get<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(.get, path, query, nil, options)
        return try await answer(call, deadline: deadline, decode: decoder(type, call))
    }

    /// Gets a response model, and gives what it stands for.
    public func get<Model: DomainConvertible>(
        _ path: String,
        query: [QueryParameter] = [],
        through model: Model.Type,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Model.Domain {
        let call = try call(.get, path, query, nil, options)
        return try await answer(call, deadline: deadline, decode: domainDecoder(decoder(model, call), call))
    }

    /// Gets a value, and gives each answer that the cache policy provides for: from the cache, from the service, or both in this order.
    ///
    /// The last is what ``get(_:query:as:options:deadline:)`` returns, and the stream fails as that throws.
    public func updates<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) -> AsyncThrowingStream<Value, any Error> {
        do {
            let call = try call(.get, path, query, nil, options)
            return answers(call, deadline: deadline, decode: decoder(type, call))
        } catch {
            return AsyncThrowingStream { $0.finish(throwing: error) }
        }
    }

    /// Asks for something and ignores what is answered, if only it is a success.
    public func get(
        _ path: String,
        query: [QueryParameter] = [],
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) {
        try await perform(.get, path, query, nil, options, deadline)
    }

    /// Posts a body and gives the answer.
    public func post<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        body: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await perform(.post, path, query, body, type, options, deadline)
    }

    /// Posts a body.
    public func post(
        _ path: String,
        query: [QueryParameter] = [],
        body: (any Encodable & Sendable)? = nil,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) {
        try await perform(.post, path, query, body, options, deadline)
    }

    /// Patches something and gives the answer.
    public func patch<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        body: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await perform(.patch, path, query, body, type, options, deadline)
    }

    /// Patches something.
    public func patch(
        _ path: String,
        query: [QueryParameter] = [],
        body: (any Encodable & Sendable)? = nil,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) {
        try await perform(.patch, path, query, body, options, deadline)
    }

    /// Puts a body and gives the answer; ``EmptyResponse`` where there is none.
    public func put<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        body: (any Encodable & Sendable)? = nil,
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await perform(.put, path, query, body, type, options, deadline)
    }

    /// Deletes something and gives the answer.
    public func delete<Value: Decodable & Sendable>(
        _ path: String,
        query: [QueryParameter] = [],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await perform(.delete, path, query, nil, type, options, deadline)
    }

    /// Deletes something.
    public func delete(
        _ path: String,
        query: [QueryParameter] = [],
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) {
        try await perform(.delete, path, query, nil, options, deadline)
    }
}

extension APIClient {
    private func perform<Value: Decodable & Sendable>(
        _ method: HTTPMethod,
        _ path: String,
        _ query: [QueryParameter],
        _ body: (any Encodable & Sendable)?,
        _ type: Value.Type,
        _ options: RequestOptions,
        _ deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(method, path, query, body, options)
        return try decoder(type, call)(try await exchange(call, deadline: deadline).response)
    }

    private func perform(
        _ method: HTTPMethod,
        _ path: String,
        _ query: [QueryParameter],
        _ body: (any Encodable & Sendable)?,
        _ options: RequestOptions,
        _ deadline: Deadline
    ) async throws(NetworkError) {
        let call = try call(method, path, query, body, options)
        try await exchange(call, revalidating: false, deadline: deadline).response.checked(call.name)
    }

    private func call(
        _ method: HTTPMethod,
        _ path: String,
        _ query: [QueryParameter],
        _ body: (any Encodable & Sendable)?,
        _ options: RequestOptions
    ) throws(NetworkError) -> APICall {
        let data: Data?
        do {
            data = try body.map { try APICall.encoder.encode($0) }
        } catch {
            throw NetworkError(.invalidRequest, request: "\(method.rawValue) \(path)", "the body cannot be encoded")
        }
        return try .rest(method, path, query: query, body: data, options: options, environment: environment)
    }

    private func decoder<Value: Decodable & Sendable>(_ type: Value.Type, _ call: APICall) -> Decode<Value> {
        { response throws(NetworkError) in
            try response.checked(call.name)
            return try response.decoded(type, call.name)
        }
    }

    func domainDecoder<Model: DomainConvertible>(_ decode: @escaping Decode<Model>, _ call: APICall) -> Decode<Model.Domain> {
        { response throws(NetworkError) in
            let model = try decode(response)
            do {
                return try model.domain()
            } catch {
                throw NetworkError(.invalidData, request: call.name, "\(Model.self) makes no \(Model.Domain.self)", status: response.status)
            }
        }
    }
}
