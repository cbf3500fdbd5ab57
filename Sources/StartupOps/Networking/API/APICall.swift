import Foundation

/// A request of one transport, before its token is chosen: until when it is waited for, and how its answers are read.
struct APICall<Value: Sendable>: Sendable {
    typealias Decode = @Sendable (HTTPResponse, APICall) throws(NetworkError) -> Value

    let transport: APITransport
    /// Its name for the data source.
    let operation: String
    /// Method, address and body: the key of a cached answer.
    let request: HTTPRequest
    /// The media type of the body.
    var contentType = MediaType.json
    let options: RequestOptions
    /// It covers all of the call: the refresh of a token, the request and its repetition.
    let deadline: Deadline
    /// Whether its answers may be cached.
    let isCacheable: Bool
    /// Makes the value of an answer.
    let decode: Decode

    /// The request, as errors name it.
    var name: String { transport == .graphQL ? "\(request) (\(operation))" : request.description }

    /// How much of its answers is decoded.
    var limits: AnswerLimits { options.limits ?? (transport == .graphQL ? .graphQL : .standard) }
}

/// How a service is reached.
enum APITransport {
    case rest
    case graphQL
}

/// The names of what bodies hold.
enum MediaType { static let json = "application/json" }

/// How one request differs from its client's other requests.
public struct RequestOptions: Sendable, Hashable {
    /// Whether it needs a token; nil: the data source says.
    var requirement: TokenRequirement?
    /// A token to send in place of the session's. Nobody is asked whether one is needed, and it is not refreshed; it
    /// must not have expired.
    var token: Secret?
    /// How to use the cache; nil: as the client does.
    var cachePolicy: CachePolicy?
    /// The language to ask for; nil: the client's. No header tells one that is not in ASCII.
    var language: String?
    /// How much of the answer is decoded; nil: `AnswerLimits.standard`, and `AnswerLimits.graphQL` over GraphQL.
    var limits: AnswerLimits?

    /// Options; nil leaves each to the client.
    public init(
        requirement: TokenRequirement? = nil,
        token: Secret? = nil,
        cachePolicy: CachePolicy? = nil,
        language: String? = nil,
        limits: AnswerLimits? = nil
    ) {
        self.requirement = requirement
        self.token = token
        self.cachePolicy = cachePolicy
        self.language = language
        self.limits = limits
    }
}
