import Foundation
import Sequencer

extension HTTPClient {
    /// Waits for the network where that is known to be unreachable, sends a request once, and follows where the answers
    /// lead.
    func attempt(_ request: HTTPRequest, _ deadline: Deadline) async -> Result<HTTPResponse, NetworkError> {
        var current = request
        var followed = 0
        do throws(NetworkError) {
            try await waitForNetwork(request, deadline)
            // The attempt and all its redirections share a limit: otherwise each of them could take the whole time.
            let limit = deadline.limited(to: configuration.attemptTimeout)
            while true {
                // Before each request: a redirection takes time, and none is sent in vain.
                try checkTime(current, deadline, attempt: limit)
                let response = try await transport.send(current, deadline: limit)
                guard let next = try RedirectPolicy.next(after: response, to: current, followed: followed) else {
                    return .success(response)
                }
                current = next
                followed += 1
            }
        } catch {
            return .failure(error)
        }
    }

    /// Whether another attempt may do better, and after which pause.
    func judge(_ result: Result<HTTPResponse, NetworkError>) -> (isTransient: Bool, retryAfter: Duration?) {
        switch result {
        case .success(let response) where HTTPResponse.isTransient(response.status):
            (true, response.retryAfter(now: configuration.now()))
        case .success: (false, nil)
        case .failure(let error): (error.isTransient, nil)
        }
    }

    /// Keeps in mind that the server asked to be left alone there. Its other paths may well be healthy.
    func throttle(_ request: HTTPRequest, for duration: Duration, _ status: Int) {
        // By a monotonic clock: setting the wall clock must not lift the pause.
        let now = ContinuousClock().now
        throttled.withLock { throttled in
            throttled = throttled.filter { $0.value.until > now }
            // A later end replaces an earlier one.
            throttled.merge([request.place: (until: now + duration, status: status)]) { $0.until < $1.until ? $1 : $0 }
        }
    }

    /// Waits until the server may be asked there; throws when that is after the deadline.
    func waitWhileThrottled(_ request: HTTPRequest, _ deadline: Deadline) async throws(NetworkError) {
        guard let throttle = throttled.withLock({ $0[request.place] }) else { return }
        let duration = throttle.until - ContinuousClock().now
        if duration <= .zero { return }
        // At once: to wait until the deadline would only delay the same failure (N24).
        if let remaining = deadline.remaining, duration >= remaining {
            let reason = "the server answered \(throttle.status) and asked to wait; \(durationText(duration)) are left"
            throw NetworkError(.invalidResponse, request: request.description, reason, status: throttle.status, retryAfter: duration)
        }
        try await wait(duration, request)
    }

    func wait(_ duration: Duration, _ request: HTTPRequest) async throws(NetworkError) {
        if (try? await configuration.pause(duration)) == nil { throw request.error(.cancelled, "it was cancelled") }
    }

    /// Waits while the network is known to be unreachable. This machine can be reached without one.
    private func waitForNetwork(_ request: HTTPRequest, _ deadline: Deadline) async throws(NetworkError) {
        // Not known is not offline: the request itself finds out.
        guard let reachability, reachability.status == .unreachable, !HTTPOrigin(request.url).isLoopback else { return }
        if await reachability.waitUntilUsable(by: deadline) { return }
        if Task.isCancelled { throw request.error(.cancelled, "it was cancelled") }
        throw request.error(.unreachable, "the network is not reachable")
    }

    private func checkTime(_ request: HTTPRequest, _ deadline: Deadline, attempt: Deadline) throws(NetworkError) {
        if Task.isCancelled { throw request.error(.cancelled, "it was cancelled") }
        if deadline.isOver { throw request.error(.timedOut, "the deadline was over before it was sent") }
        // After a redirection, for one.
        if attempt.isOver {
            throw request.error(.timedOut, "the \(durationText(configuration.attemptTimeout)) of an attempt were over before it was sent")
        }
    }
}

/// Where a request goes when an answer leads elsewhere (RFC 9110, section 15.4).
///
/// To the same origin, a request goes with all its headers, and with its body if it keeps its method. To another origin
/// it goes with what every browser would send, and never with a body: data for one server is not for another. It never
/// goes from https to http.
enum RedirectPolicy {
    /// How many redirections in a row are followed.
    static let limit = 5
    /// In bytes: longer addresses are turned down by most servers.
    private static let maximumLocationLength = 8192

    /// The next request; nil without a redirection; an `invalidResponse` when it leads where it may not.
    static func next(after response: HTTPResponse, to request: HTTPRequest, followed: Int) throws(NetworkError) -> HTTPRequest? {
        // 300 asks for a choice, and 304 and the rest lead nowhere.
        guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"] else { return nil }
        func refusal(_ reason: String) -> NetworkError {
            request.error(.invalidResponse, reason, status: response.status)
        }
        if followed >= limit { throw refusal("it was redirected more than \(limit) times") }
        guard location.utf8.count <= maximumLocationLength, location.isPlainAddress,
            let target = URL(string: location, relativeTo: request.url)?.absoluteURL
        else {
            throw refusal("it was redirected to what is no address")
        }
        let (here, there) = (HTTPOrigin(request.url), HTTPOrigin(target))
        // A downgrade would send a token that was meant for TLS in the plain.
        if here.scheme == "https", there.scheme == "http" { throw refusal("it was redirected from https to http") }
        // A host that is a secret as a whole would carry it into the look-up of names.
        if ForeignText.quotesSecret(there.host.utf8) { throw refusal("it was redirected to a server whose name holds a secret") }
        if let violation = target.requestViolation { throw refusal("it was redirected where it may not go: \(violation)") }

        var next = HTTPRequest(method(after: response.status, request.method), target, headers: request.headers, body: request.body)
        (next.isAddressForeign, next.ticket) = (true, request.ticket)
        // 303 and a changed POST become a GET, which has no body (RFC 9110, section 15.4).
        if next.method != request.method || next.method == .get || next.method == .head {
            next.body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] { next.headers[name] = nil }
        }
        if here != there {
            if next.body != nil {
                let place = ForeignText.withoutSecrets("\(there)")
                throw refusal("it was redirected to another server, \(place), which its body is not meant for")
            }
            // Tokens and identifiers are for the first origin alone (N17).
            for (name, _) in next.headers where !harmless.contains(name.lowercased()) { next.headers[name] = nil }
        }
        return next
    }

    /// A list of the allowed headers, not of forbidden ones: tokens, cookies and identifiers have many names.
    private static let harmless: Set = ["accept", "accept-encoding", "accept-language", "cache-control", "user-agent"]

    private static func method(after status: Int, _ method: HTTPMethod) -> HTTPMethod {
        switch status {
        // For HEAD a GET would bring the body that was not asked for.
        case 303 where method != .head: .get
        // As all browsers do, though the standard once said otherwise (RFC 9110, sections 15.4.2 and 15.4.3).
        case 301 where method == .post, 302 where method == .post: .get
        default: method
        }
    }
}
