import Foundation
import Sequencer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over https, and again when that may help.
///
/// Requests to this machine (`127.0.0.1`, `::1`, `localhost`) may go over plain http; certificates are judged by the system, and nothing turns that
/// off. Redirections to the same origin are followed with everything; to another one without tokens, cookies and identifiers, and never with a body;
/// from https to http not at all. No cookie, credential or answer is kept. A client can be used from any thread and blocks none.
///
/// On Linux, `https_proxy` and `no_proxy` are honoured; a plain request that a variable would send to a proxy is refused as `invalidRequest`.
///
/// ```swift
/// let client = HTTPClient()
/// let request = HTTPRequest(.get, baseURL.appending(path: "v1/countries"))
/// let countries = try await client.send(request, deadline: launch.deadline).decoded([Country].self, for: request)
/// ```
public final class HTTPClient: HTTPSending {
    /// What can be chosen about a client.
    public struct Configuration: Sendable {
        /// When a request is sent again.
        public var retry = HTTPRetryPolicy()
        /// How long one attempt may take, whatever the deadline says.
        public var attemptTimeout: Duration = .seconds(30)
        /// How many redirections in a row are followed.
        public var maximumRedirects = 5
        /// How many bytes an answer may have, unpacked. What is on the way when more arrive takes up to a megabyte more.
        public var maximumBodySize = 16 << 20
        /// How many connections there are to one host at the same time. More requests than that wait for one another, unless the host speaks HTTP/2.
        public var connectionsPerHost = 6
        /// Asked first, in this order, which of them answers: how a server embedded in the app is reached. Bodies arrive as `httpBody`.
        public var protocolClasses: [URLProtocol.Type] = []
        /// The wall clock, for dates in headers.
        public var now: @Sendable () -> Date = { Date() }
        /// Told what happens, on any thread, soon after.
        public var onEvent: (@Sendable (HTTPEvent) -> Void)?

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    let transport: any HTTPSending
    let pause: @Sendable (Duration) async throws -> Void
    let chance: @Sendable () -> Double
    let throttled = Locked(ThrottledHosts())

    /// A client with connections of its own.
    public convenience init(_ configuration: Configuration = Configuration()) {
        var options = URLSessionTransport.Options()
        options.maximumBodySize = configuration.maximumBodySize
        options.connectionsPerHost = configuration.connectionsPerHost
        options.protocolClasses = configuration.protocolClasses
        let sleeper = Sleeper()
        self.init(
            configuration,
            transport: URLSessionTransport(options),
            pause: { try await sleeper.sleep(for: $0) },
            chance: { .random(in: 0...1) }
        )
    }

    /// A client over another transport, whose pauses are made as a test likes.
    init(
        _ configuration: Configuration,
        transport: any HTTPSending,
        pause: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.configuration = configuration
        self.transport = transport
        self.pause = pause
        self.chance = chance
    }

    /// Sends a request, follows where the answers lead, and tries again where that may help.
    ///
    /// Whatever status comes last is the answer. Throws `invalidRequest`, before anything is sent, for a request that may not be sent; `timedOut`
    /// at the deadline; `cancelled` as soon as the calling task is cancelled; `invalidResponse` with the status and `retryAfter` when the host has
    /// asked to be left alone beyond the deadline, again before anything is sent.
    public func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        try request.validate()
        var retry = RetryState(configuration.retry, isIdempotent: request.method.isIdempotent)
        try await waitWhileThrottled(request, deadline)
        while true {
            let result = await attempt(request, retry.attempt, deadline)
            let (isTransient, retryAfter) = judge(result)
            if let retryAfter, case .success(let response) = result { throttle(request, for: retryAfter, response.status) }
            let decision = retry.end(isTransient: isTransient, retryAfter: retryAfter, remaining: deadline.remaining, chance: chance())
            switch decision {
            case .stop:
                return try result.get()
            case .stopForLackOfTime:
                report(.outOfTime, request, retry.attempt + 1)
                guard case .failure(let error) = result else { return try result.get() }
                throw error.adding("; no time left for attempt \(retry.attempt + 1)")
            case .retry(let duration):
                report(.waiting(duration), request, retry.attempt)
                try await wait(duration, request)
            }
        }
    }

    func report(_ kind: HTTPEvent.Kind, _ request: HTTPRequest, _ attempt: Int) {
        configuration.onEvent?(HTTPEvent(request: request.description, attempt: attempt, kind: kind))
    }
}
