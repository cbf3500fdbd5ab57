import Foundation
import Sequencer

/// The GraphQL transport. All throw ``NetworkError``; errors in an answer are `operationFailed`, also when data comes
/// with them.
extension APIClient {
    /// Asks for the operation's result: an array, an object, or with no `field` several results as one object.
    public func query<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await answer(try call(operation, variables, options, deadline, result(type, of: operation)))
    }

    /// Asks for response models, and gives the app's value of each. A model without a value fails the request with
    /// `invalidData`.
    public func query<Model: DomainConvertible>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        throughEach model: Model.Type,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> [Model.Domain] {
        let decode: APICall<[Model.Domain]>.Decode = { response, call throws(NetworkError) in
            let models: [Model] = try GraphQLResponse.decode(operation.field, response, to: call)
            do {
                return try models.map { try $0.domain() }
            } catch {
                // Without the model's error, which may quote the answer.
                throw call.request.error(.invalidData, "\(Model.self) makes no \(Model.Domain.self)", status: response.status)
            }
        }
        return try await answer(try call(operation, variables, options, deadline, decode))
    }

    /// Asks for the operation's result, and gives each answer that the cache policy provides for.
    ///
    /// The last is what ``query(_:_:as:options:deadline:)`` returns, and the stream fails as that throws.
    public func updates<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) -> AsyncThrowingStream<Value, any Error> {
        answers(to: try self.call(operation, variables, options, deadline, self.result(type, of: operation)))
    }

    /// Changes something, and gives the operation's result; ``EmptyResponse`` where it has none.
    public func mutate<Value: Decodable & Sendable>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        as type: Value.Type = Value.self,
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) -> Value {
        try await sendOnce(try call(operation, variables, options, deadline, result(type, of: operation)))
    }

    /// Changes something. Fails when the service answers with errors; an answer without a body is a success.
    public func mutate(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async throws(NetworkError) {
        _ = try await mutate(operation, variables, as: EmptyResponse.self, options: options, deadline: deadline)
    }

    /// Changes something if that can be done, and continues either way. An error is returned; within a step of a
    /// launch, the step's report has a note of it.
    @discardableResult
    public func fireAndForget(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue] = [:],
        options: RequestOptions = RequestOptions(),
        deadline: Deadline
    ) async -> NetworkError? {
        do {
            try await mutate(operation, variables, options: options, deadline: deadline)
            return nil
        } catch {
            StepContext.current?.note("an error was ignored: \(error)")
            return error
        }
    }

    /// A GraphQL operation: always a POST, with its text, its name and its variables.
    private func call<Value>(
        _ operation: GraphQLOperation,
        _ variables: [String: JSONValue],
        _ options: RequestOptions,
        _ deadline: Deadline,
        _ decode: @escaping APICall<Value>.Decode
    ) throws(NetworkError) -> APICall<Value> {
        var variables = variables
        // A variable that the caller has set wins.
        if let variable = operation.languageVariable, variables[variable] == nil {
            variables[variable] = .string(options.language ?? language)
        }
        let body: [String: JSONValue] = [
            "query": .string(operation.query), "operationName": .string(operation.name),
            "variables": .object(variables),
        ]
        var request = HTTPRequest(.post, environment.graphQL, headers: languageHeader(options))
        do {
            request.body = try JSONEncoder.sorted().encode(body)
        } catch {
            throw request.error(.invalidRequest, "the variables of \(operation.name) cannot be encoded")
        }
        return APICall(
            transport: .graphQL,
            operation: operation.name,
            request: request,
            options: options,
            deadline: deadline,
            // A mutation changes something: a kept answer would claim that it did so again.
            isCacheable: operation.kind == .query && options.token == nil,
            decode: decode
        )
    }

    private func result<Value: Decodable & Sendable>(
        _ type: Value.Type,
        of operation: GraphQLOperation
    ) -> APICall<Value>.Decode {
        { response, call throws(NetworkError) in try GraphQLResponse.decode(operation.field, response, to: call) }
    }
}

/// A response model: the service's answer, with the service's names, which is turned into a value of the app.
///
/// ```swift
/// struct SpeakerResponse: DomainConvertible {
///     let id: String, name: String
///     func domain() throws -> Speaker { Speaker(id: id, title: name) }
/// }
/// let speakers = try await client.query(.speakers, throughEach: SpeakerResponse.self, deadline: deadline)
/// ```
public protocol DomainConvertible: Decodable, Sendable {
    /// The app's own model of the response.
    associatedtype Domain: Sendable

    /// The app's model. An error fails the request.
    func domain() throws -> Domain
}

/// A GraphQL operation: its name, its text, and where in the answer's data its result is.
///
/// ```swift
/// let speakers = GraphQLOperation(.query, "Speakers", "query Speakers { speakers { id name } }", field: "speakers")
/// ```
public struct GraphQLOperation: Sendable, Hashable {
    /// The kinds of operations.
    public enum Kind: Sendable, Hashable {
        /// Asks; answers may be cached.
        case query
        /// Changes something.
        case mutation
    }

    /// The kind.
    let kind: Kind
    /// Its name, as in its text.
    let name: String
    /// Its text.
    let query: String
    /// The member of `data` that is its result; nil: `data` as a whole, for operations that combine several.
    let field: String?
    /// The variable that takes the language to answer in; nil: it takes none. An empty language is the service's
    /// default.
    let languageVariable: String?

    /// An operation.
    public init(_ kind: Kind, _ name: String, _ query: String, field: String? = nil, languageVariable: String? = nil) {
        self.kind = kind
        self.name = name
        self.query = query
        self.field = field
        self.languageVariable = languageVariable
    }
}
