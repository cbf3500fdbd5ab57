import Foundation
import Sequencer

extension HTTPClient {
    /// Sends a request once, and follows where the answers lead.
    func attempt(_ request: HTTPRequest, _ number: Int, _ deadline: Deadline) async -> Result<HTTPResponse, NetworkError> {
        let policy = RedirectPolicy(limit: configuration.maximumRedirects)
        let limit = deadline.limited(to: configuration.attemptTimeout)
        var current = request
        var followed = 0
        do throws(NetworkError) {
            while true {
                try checkTime(current, deadline)
                report(.sent, current, number)
                let response = try await transport.send(current, deadline: limit)
                let skew = response.clockSkew(now: configuration.now())
                report(.answered(status: response.status, bodySize: response.body.count, clockSkew: skew), current, number)
                guard let next = try policy.next(after: response, to: current, followed: followed) else { return .success(response) }
                report(.redirected(to: next.description), current, number)
                current = next
                followed += 1
            }
        } catch {
            report(.failed(error), current, number)
            return .failure(error)
        }
    }

    /// Whether another attempt may do better, and after which pause.
    func judge(_ result: Result<HTTPResponse, NetworkError>) -> (isTransient: Bool, retryAfter: Duration?) {
        switch result {
        case .success(let response):
            let error = NetworkError(.invalidResponse, request: "", "", status: response.status)
            return (error.isTransient, error.isTransient ? response.retryAfter(now: configuration.now()) : nil)
        case .failure(let error):
            return (error.isTransient, nil)
        }
    }

    /// Keeps in mind that the host asked to be left alone.
    func throttle(_ request: HTTPRequest, for duration: Duration, _ status: Int) {
        let until = ContinuousClock().now + duration
        throttled.withLock { $0.throttle(HTTPOrigin(request.url), until: until, status: status) }
    }

    /// Waits until the host may be asked; throws when that is after the deadline.
    func waitWhileThrottled(_ request: HTTPRequest, _ deadline: Deadline) async throws(NetworkError) {
        let now = ContinuousClock().now
        guard let entry = throttled.withLock({ $0.entry(for: HTTPOrigin(request.url), now: now) }) else { return }
        let duration = entry.until - now
        report(.throttled(duration), request, 1)
        if let remaining = deadline.remaining, duration >= remaining {
            let reason = "\(request.url.placeText) answered \(entry.status) and asked to wait; \(durationText(duration)) of that are left"
            throw NetworkError(.invalidResponse, request: request.description, reason, status: entry.status, retryAfter: duration)
        }
        try await wait(duration, request)
    }

    func wait(_ duration: Duration, _ request: HTTPRequest) async throws(NetworkError) {
        do {
            try await pause(duration)
        } catch {
            throw NetworkError(.cancelled, request: request.description, "it was cancelled")
        }
    }

    private func checkTime(_ request: HTTPRequest, _ deadline: Deadline) throws(NetworkError) {
        if Task.isCancelled { throw NetworkError(.cancelled, request: request.description, "it was cancelled") }
        if deadline.isOver { throw NetworkError(.timedOut, request: request.description, "the deadline was over before it was sent") }
    }
}

extension NetworkError {
    /// The same error, with something added to its reason.
    func adding(_ text: String) -> NetworkError {
        NetworkError(code, request: request, reason + text, status: status, retryAfter: retryAfter, underlying: underlying)
    }
}
