import Foundation
import Sequencer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A sample service behind `URLSession`, in this process and without a socket: the client's real code runs, as fast or as slow as asked.
///
/// Requests to ``baseURL`` of a session that has ``protocolClasses`` are answered by the service, for as long as the backend lives; after that
/// its host is unknown. Any number of backends may exist; each has a host of its own, in a domain that never exists (RFC 6761, section 6.4).
///
/// It performs what can be done without a socket: `hang` and `drip` never end, `truncated` and `reset` lose the connection in the middle of
/// the body, `plaintext` fails as a bad server response, `gzip-bomb` arrives unpacked. Redirections arrive as the answers that they are: no
/// client follows them here. The body of a request has to be its `httpBody`: that of an upload task cannot be seen on Linux.
///
/// ```swift
/// let backend = EmbeddedBackend(SampleService())
/// configuration.protocolClasses = backend.protocolClasses
/// let url = backend.baseURL.appending(path: "v1/countries")
/// ```
public final class EmbeddedBackend: Sendable {
    /// The service that answers.
    public let service: SampleService
    /// Where it is found: an address that no other backend of this process has.
    public let baseURL: URL
    /// How long answers take.
    public let latency: EmbeddedLatency

    private let host: String
    // Serial and private: its timers fire while all threads of the shared pool are blocked.
    private let timers = DispatchQueue(label: "EmbeddedBackend.timers")

    /// A backend for a service.
    public init(_ service: SampleService = SampleService(), latency: EmbeddedLatency = .typical) {
        self.service = service
        self.latency = latency
        host = EmbeddedRegistry.reserveHost()
        guard let url = URL(string: "https://\(host)") else { preconditionFailure("EmbeddedBackend: https://\(host) is an address") }
        baseURL = url
        EmbeddedRegistry.add(self, host: host)
    }

    deinit { EmbeddedRegistry.remove(host: host) }

    /// What to put into a session configuration's `protocolClasses`; the same for all backends.
    public var protocolClasses: [URLProtocol.Type] { [EmbeddedURLProtocol.self] }

    /// What to give in answer to a request.
    func reply(to request: HTTPRequest) -> EmbeddedReply {
        EmbeddedReply(service.answer(request), latency: latency.duration(of: request.url.path(percentEncoded: false)))
    }

    /// Runs `work` on a private queue, after `delay`.
    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds)), execute: work)
    }
}
