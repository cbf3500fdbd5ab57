import Foundation
import Sequencer

/// Sends requests over https, and again when that may help.
///
/// Requests to this machine (`127.0.0.1`, `::1`, `localhost`) may go over plain http; certificates are judged by the
/// system, and nothing turns that off. Redirections to the same origin are followed with everything; to another one
/// without tokens, cookies and identifiers, and never with a body; from https to http not at all. No cookie, credential
/// or answer is kept. A client can be used from any thread and blocks none.
///
/// On Linux, `https_proxy` and `no_proxy` are honoured, and no proxy is asked for plain requests. Where libcurl is
/// missing and a variable names a proxy for plain requests, those are refused as `invalidRequest`.
///
/// ```swift
/// let client = HTTPClient()
/// let request = HTTPRequest(.get, baseURL.appending(path: "v1/countries"))
/// let countries = try await client.send(request, deadline: launch.deadline).decoded([Country].self, for: request)
/// ```
public final class HTTPClient: HTTPSending, Opaque {
    // Opaque: requests that are under way hold secrets.

    /// The options of a client.
    package struct Configuration: Sendable {
        /// When a request is sent again.
        package var retry = HTTPRetryPolicy()
        /// How long one attempt may take, also with a later deadline.
        var attemptTimeout: Duration = .seconds(30)
        /// How many bytes an answer may have, unpacked. A larger one takes up to a megabyte more before it is refused.
        var maximumBodySize = 16 << 20
        /// The number of requests to one host at the same time. More wait for one another, except on Apple platforms
        /// if the host speaks HTTP/2.
        var connectionsPerHost = 6
        /// A request that takes longer is no longer one of those, except on Apple platforms: see `HostLine`.
        var slowAfter = Duration.seconds(1)
        /// The variables that name proxies.
        var environment = ProcessInfo.processInfo.environment
        /// The wall clock, for dates in headers.
        var now: @Sendable () -> Date = { Date() }
        /// Waits before another attempt.
        var pause: @Sendable (Duration) async throws -> Void = { try await DeadlineTimer.sleep(for: $0) }
        /// From 0 to 1: how long a pause is, within its bounds.
        var chance: @Sendable () -> Double = { .random(in: 0...1) }

        /// The defaults.
        package init() {}
    }

    let configuration: Configuration
    let reachability: Reachability?
    let transport: any HTTPSending
    /// The places, each an origin and a path, whose server has asked for a pause there: its end, and the status that
    /// asked for it.
    let throttled = Locked<[String: (until: ContinuousClock.Instant, status: Int)]>([:])

    /// A client with private connections, or one that sends its requests by `transport`, such as a service in this
    /// process; redirections and repetitions stay the client's.
    ///
    /// - Parameter reachability: while it knows that no link is up, an attempt waits for one, until the request's
    ///   deadline; requests to this machine do not wait. nil: without a network, a request fails at once.
    public convenience init(over transport: (any HTTPSending)? = nil, reachability: Reachability? = nil) {
        self.init(Configuration(), reachability: reachability, over: transport)
    }

    /// - Parameter transport: nil for private connections.
    package init(
        _ configuration: Configuration,
        reachability: Reachability? = nil,
        over transport: (any HTTPSending)? = nil
    ) {
        self.configuration = configuration
        self.reachability = reachability
        self.transport = transport ?? SystemTransport(configuration)
    }

    /// Sends a request, follows where the answers lead, and tries again where that may help.
    ///
    /// The last status is the answer. Throws `invalidRequest`, before anything is sent, for a request that may not be
    /// sent; `timedOut` at the deadline; `cancelled` as soon as the calling task is cancelled; `invalidResponse` with
    /// the status and `retryAfter` when the server has asked, for this path, to be left alone beyond the deadline,
    /// again before anything is sent; `unreachable` also when the client's ``Reachability`` knew of no link until the
    /// deadline.
    public func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        // Before anything waits: a request that may not be sent fails at once.
        try request.validate()
        // Once, before the first attempt: later ones have the pause that this server asked for.
        try await waitWhileThrottled(request, deadline)
        var number = 1
        while true {
            let result = await attempt(request, deadline)
            let (isTransient, retryAfter) = judge(result)
            // Kept for the next requests as well, not only for this one's retry.
            if let retryAfter, case .success(let response) = result { throttle(request, for: retryAfter, response.status) }
            // A request that was lost may have been done: only one that may be done twice is sent again.
            guard isTransient, request.method.isIdempotent, number < configuration.retry.maximumAttempts else { return try result.get() }
            number += 1
            // The longer of the two: a server's wish is kept, and a client never comes back too soon.
            let delay = configuration.retry.delay(beforeAttempt: number, chance: configuration.chance())
            let pause = max(delay, retryAfter ?? .zero)
            // Equal is too late: the attempt would have no time.
            if let remaining = deadline.remaining, pause >= remaining {
                // A status is an answer, and given as such; only an error gets the remark.
                guard case .failure(let error) = result else { return try result.get() }
                throw error.about(error.request, adding: "; no time left for attempt \(number)")
            }
            try await wait(pause, request)
        }
    }
}
