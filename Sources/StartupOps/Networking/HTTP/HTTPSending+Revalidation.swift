import Foundation

extension HTTPSending {
    /// Sends a request, asking for the body only if it has changed since it was cached; gives it in both cases, with the newest headers.
    ///
    /// What the server says may be stored is stored: whole answers (200) to GET and POST, unless they, or the request, say `no-store`. That the
    /// answer to a POST depends on its body is right for GraphQL queries; do not use it for what changes something. An answer that says "not
    /// modified", when there is nothing left to go back to, is asked for again, once and in full (RFC 9110, section 15.4.5).
    public func send(
        _ request: HTTPRequest,
        revalidating cache: any ResponseCaching,
        key: CacheKey,
        deadline: Deadline
    ) async throws(NetworkError) -> HTTPResponse {
        guard !request.headers.forbidStoring, request.method == .get || request.method == .post else {
            return try await send(request, deadline: deadline)
        }
        var conditional = request
        let cached = cache.response(for: key)
        if let tag = cached?.headers["ETag"], !tag.isEmpty { conditional.headers["If-None-Match"] = tag }
        var response = try await send(conditional, deadline: deadline)
        if response.status == 304 {
            if let cached, response.confirms(cached) {
                response = cached.updated(by: response)
            } else {
                var unconditional = request
                unconditional.headers["If-None-Match"] = nil
                unconditional.headers["If-Modified-Since"] = nil
                response = try await send(unconditional, deadline: deadline)
            }
        }
        // A cancelled caller may have logged out since: what it asked for is not wanted any more.
        if response.isStorable, !Task.isCancelled { cache.store(response, for: key) }
        return response
    }
}

extension HTTPResponse {
    fileprivate var isStorable: Bool { status == 200 && !headers.forbidStoring && headers["Vary"]?.contains("*") != true }

    /// Whether a "not modified" is about that answer (RFC 9111, section 4.3.4).
    fileprivate func confirms(_ cached: HTTPResponse) -> Bool {
        guard let tag = headers["ETag"], let other = cached.headers["ETag"] else { return true }
        // For this, a weak tag is as good as a strong one.
        return tag.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }

    /// The same answer, with the headers of a newer one that confirms it (RFC 9111, section 3.2).
    fileprivate func updated(by newer: HTTPResponse) -> HTTPResponse {
        var response = self
        let aboutTheBody: Set = ["content-length", "content-encoding", "content-type", "content-range", "transfer-encoding"]
        for (name, value) in newer.headers where !aboutTheBody.contains(name.lowercased()) { response.headers[name] = value }
        return response
    }
}

extension HTTPHeaders {
    fileprivate var forbidStoring: Bool {
        let directives = (self["Cache-Control"] ?? "").lowercased().split(separator: ",")
        return directives.contains { $0.trimmingCharacters(in: .whitespaces) == "no-store" }
    }
}
