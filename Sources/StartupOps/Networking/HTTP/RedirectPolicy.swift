import Foundation

/// Where a request goes when an answer leads elsewhere (RFC 9110, section 15.4).
///
/// To the same origin, a request goes with all its headers, and with its body if it keeps its method. To another origin it goes with what every
/// browser would send, and never with a body: whatever was meant for one server is not for another. It never goes from https to http.
struct RedirectPolicy: Sendable {
    /// How many redirections in a row are followed.
    var limit = 5

    /// The next request; nil when the answer is no redirection; an `invalidResponse` when it leads where it may not.
    func next(after response: HTTPResponse, to request: HTTPRequest, followed: Int) throws(NetworkError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else { return nil }
        func refusal(_ reason: String) -> NetworkError {
            NetworkError(.invalidResponse, request: request.description, reason, status: response.status)
        }
        if followed >= limit { throw refusal("it was redirected more than \(limit) times") }
        guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw refusal("it was redirected to what is no address")
        }
        let (here, there) = (HTTPOrigin(request.url), HTTPOrigin(target))
        if here.scheme == "https", there.scheme == "http" { throw refusal("it was redirected from https to http") }
        if let violation = target.requestViolation { throw refusal("it was redirected where it may not go: \(violation)") }

        var next = HTTPRequest(method(after: response.status, request.method), target, headers: request.headers, body: request.body)
        if next.method != request.method || next.method == .get || next.method == .head {
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] { next.headers[name] = nil }
        }
        if here != there {
            if next.body != nil { throw refusal("it was redirected to another server, \(there), which its body is not meant for") }
            for (name, _) in next.headers where !Self.harmless.contains(name.lowercased()) { next.headers[name] = nil }
        }
        return next
    }

    /// A list of what may go along, not of what may not: tokens, cookies and identifiers have many names.
    private static let harmless: Set = ["accept", "accept-encoding", "accept-language", "cache-control", "user-agent"]

    private func method(after status: Int, _ method: HTTPMethod) -> HTTPMethod {
        switch status {
        case 303 where method != .head: .get
        case 301 where method == .post, 302 where method == .post: .get
        default: method
        }
    }
}
