import Sequencer

/// Why a request has no answer that can be used: one type for both transports, and one code for one condition.
///
/// A description names the request by method, host and path, and never shows a header, a body, a token or a query.
public struct NetworkError: DescribedError, Sendable, SecretHolding {
    /// The kinds of error.
    public enum Code: Sendable, Hashable {
        /// The request cannot be made: a base URL is missing, the address is not allowed, or its body cannot be
        /// encoded. Nothing was sent.
        case invalidRequest
        /// A token is required and missing. Nothing was sent.
        case missingAccessToken
        /// The token had expired and could not be refreshed. The request was not sent.
        case refreshTokenFailed
        /// The service does not accept the token; one of the session, also after a refresh.
        case unauthorized
        /// Whether someone is logged in cannot be told now, such as before the device's first unlock. Nothing was sent.
        case sessionUnavailable
        /// The server could not be reached, or the connection was lost.
        case unreachable
        /// The server could not prove who it is, or spoke no TLS.
        case untrusted
        /// No answer came before the deadline.
        case timedOut
        /// The request was cancelled.
        case cancelled
        /// The answer has a status outside 200 to 299, is cut off, is too large, or leads where it may not; one of a
        /// GraphQL service, too, that has neither data nor errors.
        case invalidResponse
        /// The answer's body is not JSON, or not of the expected kind.
        case invalidData
        /// The answer has no body where one was expected.
        case emptyResponse
        /// The server understood, and answered with errors (GraphQL).
        case operationFailed
        /// There is nothing in the cache, and the policy forbids to ask the server.
        case notCached
    }

    /// The kind of error.
    public let code: Code
    /// The request, as method, host and path: "GET api.example.com/v1/profile".
    let request: String
    /// The event, in a few words, without secrets.
    public let reason: String
    /// The status of the answer, when there was one.
    public let status: Int?
    /// How long the server asked to wait before the next try.
    public let retryAfter: Duration?
    /// The error underneath, when there was one.
    let underlying: (any Error)?

    /// An error.
    public init(
        _ code: Code,
        request: String,
        _ reason: String,
        status: Int? = nil,
        retryAfter: Duration? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.request = request
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
        self.underlying = underlying
    }

    /// This error, about `request`, with something added to its reason.
    func about(_ request: String, adding text: String = "") -> NetworkError {
        NetworkError(code, request: request, reason + text, status: status, retryAfter: retryAfter, underlying: underlying)
    }

    /// The request and what happened, in one sentence.
    public var description: String { "\(request): \(reason)" }

    /// Whether the same request may well succeed later: nothing about it, or about the session, is wrong.
    public var isTransient: Bool {
        switch code {
        case .unreachable, .timedOut, .sessionUnavailable: true
        // A refresh that failed for the moment is one that may pass (T3).
        case .refreshTokenFailed: (underlying as? NetworkError)?.isTransient ?? false
        case .invalidResponse: status.map(HTTPResponse.isTransient) ?? false
        default: false
        }
    }

    // The error underneath may hold secrets: the system's errors quote addresses with their queries, and decoders quote
    // values.
}

extension HTTPRequest {
    /// An error about this request.
    package func error(_ code: NetworkError.Code, _ reason: String, status: Int? = nil) -> NetworkError {
        NetworkError(code, request: description, reason, status: status)
    }
}

extension HTTPResponse {
    /// Whether the next answer may have another status: 408, 425 (RFC 8470) and 429 (RFC 6585) ask for another try;
    /// from 500 on the error is the server's.
    static func isTransient(_ status: Int) -> Bool { status == 408 || status == 425 || status == 429 || status >= 500 }
}
