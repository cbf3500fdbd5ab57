import Foundation

/// The GraphQL transport. All throw ``NetworkError``; errors that the service answers with are `operationFailed`, whatever data comes with them.
extension APIClient {
    /// Asks for the operation's result: an array, an object, or with no `field` several results as one object.
    public func query<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(operation, variables, options)
        return try await answer(call, deadline: deadline, decode: decoder(type, operation, call))
    }

    /// Asks for a response model, and gives what it stands for.
    public func query<Model: DomainConvertible>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        through model: Model.Type,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Model.Domain {
        let call = try call(operation, variables, options)
        return try await answer(call, deadline: deadline, decode: domainDecoder(decoder(model, operation, call), call))
    }

    /// Asks for response models, and gives what each stands for.
    public func query<Model: DomainConvertible>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        throughEach model: Model.Type,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> [Model.Domain] {
        try await query(operation, variables, through: DomainArray<Model>.self, options: options, deadline: deadline)
    }

    /// Asks for the operation's result, and gives each answer that the cache policy provides for.
    ///
    /// The last is what ``query(_:_:as:options:deadline:)`` returns, and the stream fails as that throws.
    public func updates<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) -> AsyncThrowingStream<Value, any Error> {
        do {
            let call = try call(operation, variables, options)
            return answers(call, deadline: deadline, decode: decoder(type, operation, call))
        } catch {
            return AsyncThrowingStream { $0.finish(throwing: error) }
        }
    }

    /// Changes something, and gives the operation's result.
    public func mutate<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        let call = try call(operation, variables, options)
        return try decoder(type, operation, call)(try await exchange(call, deadline: deadline).response)
    }

    /// Changes something. Fails when the service answers with errors.
    public func mutate(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async throws(NetworkError) {
        let call = try call(operation, variables, options)
        try GraphQLResponse.check(try await exchange(call, deadline: deadline).response, call.name, hiding: secret(call))
    }

    /// Changes something if that can be done, and goes on either way. What went wrong is returned, and told to the client's `ignoredErrors`.
    @discardableResult
    public func fireAndForget(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        options: RequestOptions = .standard,
        deadline: Deadline
    ) async -> NetworkError? {
        do {
            try await mutate(operation, variables, options: options, deadline: deadline)
            return nil
        } catch {
            ignoredErrors(error)
            return error
        }
    }
}

extension APIClient {
    private func call(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue],
        _ options: RequestOptions
    ) throws(NetworkError) -> APICall {
        try .graphQL(operation, variables, options: options, environment: environment, client: info)
    }

    private func decoder<Value: Decodable & Sendable>(_ type: Value.Type, _ operation: GraphQLOperation, _ call: APICall) -> Decode<Value> {
        let field = operation.field
        return { [self] response throws(NetworkError) in
            try GraphQLResponse.decode(type, field: field, response, call.name, hiding: secret(call))
        }
    }

    /// The token that the service may quote in what it answers.
    private func secret(_ call: APICall) -> Secret? {
        call.options.token ?? dataSource?.tokens.session.value?.accessToken
    }
}

/// Response models, as one.
private struct DomainArray<Model: DomainConvertible>: DomainConvertible {
    let models: [Model]

    init(from decoder: any Decoder) throws {
        models = try decoder.singleValueContainer().decode([Model].self)
    }

    func domain() throws -> [Model.Domain] { try models.map { try $0.domain() } }
}
