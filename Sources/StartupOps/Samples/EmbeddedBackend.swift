import Foundation

/// A sample service in this process and without a socket: it answers a client's requests as fast or as slowly as asked.
///
/// Only requests to ``baseURL`` have an answer: each service has a separate host, in a domain that never exists (RFC
/// 6761, section 6.4). It performs every fault as far as that goes without a socket: `hang` and `drip` never end,
/// `truncated`, `reset` and `plaintext` fail, `gzip-bomb` arrives unpacked. Redirections are answers: the client
/// follows them.
///
/// ```swift
/// let backend = EmbeddedBackend(SampleService())
/// let client = HTTPClient(over: backend)
/// let countries = HTTPRequest(.get, backend.baseURL.appending(path: "v1/countries"))
/// ```
public final class EmbeddedBackend: HTTPSending {
    /// The service that answers.
    public let service: SampleService
    /// Where it is found: an address that no other service has. A service that has a store keeps its address, as real
    /// ones do.
    public var baseURL: URL { service.address }
    private let latency: EmbeddedLatency

    /// A backend for a service, which answers as fast as services do over a good mobile connection.
    public convenience init(_ service: SampleService = SampleService()) { self.init(service, latency: .typical) }

    /// A backend for a service that answers in these times.
    package init(_ service: SampleService = SampleService(), latency: EmbeddedLatency) {
        self.service = service
        self.latency = latency
    }

    /// Has the service answer a request, once.
    public func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        guard request.url.host() == baseURL.host() else { throw request.error(.unreachable, "there is no host of this name") }
        let (more, result): (Duration, Result<HTTPResponse, NetworkError>) =
            switch service.answer(request) {
            case .response(let response, let delay): (delay, .success(response))
            case .hang, .drip: (.seconds(366 * 86_400), .failure(request.error(.unreachable, "the connection was lost")))
            case .reset: (.zero, .failure(request.error(.unreachable, "the connection was lost")))
            case .truncated: (.zero, .failure(request.error(.invalidResponse, "the answer was cut off")))
            case .plaintext: (.zero, .failure(request.error(.invalidResponse, "the service answered with what is no HTTP")))
            case .zeros(let count, _) where count <= 16 << 20: (.zero, .success(HTTPResponse(status: 200, body: Data(count: count))))
            case .zeros: (.zero, .failure(request.error(.invalidResponse, "the answer is larger than the 16 MB that are allowed")))
            }
        let delay = latency.duration(of: request.url.path(percentEncoded: false)) + more
        do {
            try await DeadlineTimer.sleep(for: min(delay, deadline.remaining ?? delay))
        } catch {
            throw request.error(.cancelled, "it was cancelled")
        }
        if deadline.isOver { throw request.error(.timedOut, "there was no answer before the deadline") }
        return try result.get()
    }
}

/// How long an embedded backend takes to answer, by path: always the same, without jitter.
package struct EmbeddedLatency: Sendable {
    /// How many milliseconds any other path takes.
    private let other: Int
    /// How many milliseconds these take; one that ends with a slash stands for all below it.
    private let paths: [String: Int]

    /// Answers come at once.
    package static let none = EmbeddedLatency(other: 0, paths: [:])

    /// The answering times of an app's services over a good mobile connection.
    package static let typical = EmbeddedLatency(
        other: 60,
        paths: [
            "/v1/version-policy": 120, "/v1/countries": 80, "/v1/configuration": 180, "/oauth/token": 300, "/v1/accounts": 250,
            "/v1/profile": 100, "/v1/entitlements": 90, "/v1/devices/": 70, "/graphql": 150, "/_admin/": 20,
        ]
    )

    package init(other: Int, paths: [String: Int]) { (self.other, self.paths) = (other, paths) }

    /// How long a path takes.
    package func duration(of path: String) -> Duration {
        .milliseconds(paths[path] ?? paths.first { $0.key.hasSuffix("/") && path.hasPrefix($0.key) }?.value ?? other)
    }
}
