import Foundation

extension HTTPResponse {
    /// The answer itself, if its status is one of 200 to 299; throws `invalidResponse` with the status otherwise.
    ///
    /// - Parameters:
    ///   - request: the request of this answer, for the error.
    ///   - now: the date that a Retry-After date is compared with.
    @discardableResult
    public func checked(for request: HTTPRequest, now: Date = Date()) throws(NetworkError) -> HTTPResponse {
        if (200...299).contains(status) { return self }
        throw NetworkError(
            .invalidResponse,
            request: request.description,
            "the server answered with status \(status)",
            status: status,
            retryAfter: retryAfter(now: now)
        )
    }

    /// The body as a value; the status has to be one of 200 to 299.
    ///
    /// Throws `invalidResponse` with the status; `emptyResponse` for a missing body, unless an ``EmptyResponse`` is
    /// expected; `invalidData` when the body is not JSON, exceeds `limits`, or has another form: the reason then says
    /// where, as in "speakers[0].name: a string was expected".
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self,
        for request: HTTPRequest,
        limits: AnswerLimits = AnswerLimits()
    ) throws(NetworkError) -> Value {
        try checked(for: request)
        // A body that nobody wants is not read; a page is still somebody else's answer.
        if let empty = EmptyResponse() as? Value {
            if !body.isEmpty { try checkMediaType(request, isIgnored: true) }
            return empty
        }
        let text = try json(within: limits, request)
        if let violation = text.violation { throw failure(.invalidData, request, violation) }
        do {
            return try JSONDecoder().decode(type, from: text.data)
        } catch {
            throw undecodable(type, error, request)
        }
    }

    /// A page in place of data comes from a captive portal or a proxy, and deserves a special error.
    func checkMediaType(_ request: HTTPRequest, isIgnored: Bool = false) throws(NetworkError) {
        // Without its parameters (RFC 9110, section 8.3.1).
        let type = (headers["Content-Type"] ?? "").prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        let name = type.lowercased()
        let isPage = ["text/html", "application/xhtml+xml"].contains(name)
        // Plain text and unknown bytes pass, as files are often served as such.
        let others = ["", "application/json", "text/json", "text/plain", "application/octet-stream"]
        let mayBeJSON = others.contains(name) || name.hasSuffix("+json")
        if isIgnored ? !isPage : mayBeJSON { return }
        // In this order: in small letters, a secret in base64 would not be found.
        let shown = ForeignText.shown(type, limit: 60).lowercased()
        throw failure(.invalidData, request, "\(shown) where JSON was expected")
    }

    /// The body of a success, provided that a decoder may see it.
    func json(within limits: AnswerLimits, _ request: HTTPRequest) throws(NetworkError) -> JSONText {
        // After the status, which the caller checks: an error without a body is an error.
        if body.isEmpty {
            throw failure(.emptyResponse, request, "the answer (status \(status)) has no body, where JSON was expected")
        }
        // Before decoding: "no JSON" would not say that a captive portal has answered (N10).
        try checkMediaType(request)
        // Before a decoder sees it: a few kilobytes can make gigabytes of values (N49).
        if let excess = limits.excess(in: body) { throw failure(.invalidData, request, excess) }
        return JSONText(body)
    }

    /// The error of the request for an error of a decoder.
    func undecodable(_ type: any Any.Type, _ error: any Error, _ request: HTTPRequest) -> NetworkError {
        let reason = (error as? DecodingError)?.reason(in: JSONText(body)) ?? "it makes no sense as \(type)"
        return failure(.invalidData, request, reason, error)
    }

    private func failure(_ code: NetworkError.Code, _ request: HTTPRequest, _ reason: String, _ error: (any Error)? = nil) -> NetworkError {
        NetworkError(code, request: request.description, reason, status: status, underlying: error)
    }

    /// Whether a secret that this process knows stands in the headers or the body.
    var quotesSecret: Bool {
        ForeignText.quotesSecret(headers.map { "\($0): \($1)" }.joined(separator: "\n").utf8) || ForeignText.quotesSecret(body)
    }
}

/// The expected type of an answer that may have no body, such as one with status 204, for both transports.
///
/// A body that comes anyway is ignored, unless its `Content-Type` is that of a web page: that is from another server. A
/// body from a GraphQL service must have data and no errors, as with any other type.
///
/// ```swift
/// _ = try await client.send(.delete, "v1/devices/d1", as: EmptyResponse.self, deadline: deadline)
/// ```
public struct EmptyResponse: Decodable, Sendable, Hashable {
    /// An answer without a value.
    public init() {}
}
