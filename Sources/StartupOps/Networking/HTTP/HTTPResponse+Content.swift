import Foundation
import Sequencer

extension HTTPResponse {
    /// The answer itself, if its status is one of 200 to 299; throws `invalidResponse` with the status otherwise.
    ///
    /// - Parameters:
    ///   - request: what it is the answer to, for the error.
    ///   - now: what a Retry-After date is compared with.
    @discardableResult
    public func checked(for request: HTTPRequest, now: Date = Date()) throws(NetworkError) -> HTTPResponse {
        try checked(request.description, now: now)
    }

    /// The body as a value; the status has to be one of 200 to 299.
    ///
    /// Throws `invalidResponse` with the status; `emptyResponse` when there is no body, unless an ``EmptyResponse`` is expected; `invalidData` when
    /// the body is no JSON, or not the value that is expected: the reason then says where, as in "speakers[0].name: a string was expected".
    public func decoded<Value: Decodable>(
        _ type: Value.Type = Value.self,
        for request: HTTPRequest,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        try decoded(type, request.description, decoder: decoder)
    }

    // MARK: For requests that go by a name of their own

    @discardableResult
    func checked(_ request: String, now: Date = Date()) throws(NetworkError) -> HTTPResponse {
        if (200...299).contains(status) { return self }
        throw NetworkError(
            .invalidResponse,
            request: request,
            "the server answered with status \(status)",
            status: status,
            retryAfter: retryAfter(now: now)
        )
    }

    func decoded<Value: Decodable>(
        _ type: Value.Type,
        _ request: String,
        decoder: JSONDecoder = JSONDecoder()
    ) throws(NetworkError) -> Value {
        try checked(request)
        if body.isEmpty {
            if let empty = EmptyResponse() as? Value { return empty }
            throw failure(.emptyResponse, request, "the answer (status \(status)) has no body, where JSON was expected")
        }
        try checkMediaType(request)
        if let empty = EmptyResponse() as? Value { return empty }
        let text = JSONText(body)
        if let violation = text.violation { throw failure(.invalidData, request, violation) }
        do {
            return try decoder.decode(type, from: text.data)
        } catch {
            throw undecodable(type, error, request)
        }
    }

    /// A page where data was expected comes from a captive portal or a proxy, and deserves a name of its own.
    func checkMediaType(_ request: String) throws(NetworkError) {
        guard let type = headers["Content-Type"].map(MediaType.init), !type.mayBeJSON else { return }
        throw failure(.invalidData, request, "\(type) where JSON was expected")
    }

    /// The error for what a decoder threw.
    func undecodable(_ type: any Any.Type, _ error: any Error, _ request: String) -> NetworkError {
        let reason = (error as? DecodingError)?.reason(in: JSONText(body)) ?? "it makes no sense as \(type)"
        return failure(.invalidData, request, reason, error)
    }

    private func failure(_ code: NetworkError.Code, _ request: String, _ reason: String, _ error: (any Error)? = nil) -> NetworkError {
        NetworkError(code, request: request, reason, status: status, underlying: error)
    }
}

/// A Content-Type, without its parameters (RFC 9110, section 8.3.1).
private struct MediaType: CustomStringConvertible {
    let description: String

    init(_ header: String) {
        description = printable(header.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased(), limit: 60)
    }

    /// Plain text and unknown bytes pass, as files are often served as such.
    var mayBeJSON: Bool {
        ["", "application/json", "text/json", "text/plain", "application/octet-stream"].contains(description)
            || description.hasSuffix("+json")
    }
}
