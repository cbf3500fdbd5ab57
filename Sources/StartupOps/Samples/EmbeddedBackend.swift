import Foundation
import Sequencer
import StartupNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A sample service behind `URLSession`, in this process and without a socket: the client's real code runs, as fast or as slow as asked.
///
/// Requests to ``baseURL`` of a session that has ``protocolClasses`` are answered by the service, for as long as the backend lives; after that
/// its host is unknown. Any number of backends may exist; each service has a host of its own, in a domain that never exists (RFC 6761, section 6.4).
///
/// It performs every fault as far as that goes without a socket: `hang` and `drip` never end, `truncated` and `reset` lose the connection in the middle of
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
    /// Where it is found: an address that no other service of this process has. A service that has a store keeps its address, as real ones do.
    public let baseURL: URL
    /// How long answers take.
    package let latency: EmbeddedLatency

    private let host: String
    // Serial and private: its timers fire while all threads of the shared pool are blocked.
    private let timers = DispatchQueue(label: "EmbeddedBackend.timers")

    /// A backend for a service, which answers as fast as services do over a good mobile connection.
    public convenience init(_ service: SampleService = SampleService()) { self.init(service, latency: .typical) }

    /// A backend for a service that answers in these times.
    package init(_ service: SampleService = SampleService(), latency: EmbeddedLatency) {
        self.service = service
        self.latency = latency
        // A service with a store keeps its address, for sessions belong to one.
        host = service.host ?? EmbeddedRegistry.reserveHost()
        // Both are `sample-`, letters and digits, and `.invalid`: a stored host was checked.
        guard let url = URL(string: "https://\(host)") else { preconditionFailure("EmbeddedBackend: https://\(host) is an address") }
        baseURL = url
        EmbeddedRegistry.add(self, host: host)
    }

    deinit { EmbeddedRegistry.remove(self, host: host) }

    /// The classes for a session configuration's `protocolClasses`; the same for all backends.
    public var protocolClasses: [URLProtocol.Type] { [EmbeddedURLProtocol.self] }

    /// The answer to a request.
    func reply(to request: HTTPRequest) -> EmbeddedReply {
        EmbeddedReply(service.answer(request), latency: latency.duration(of: request.url.path(percentEncoded: false)))
    }

    /// Runs `work` on a private queue, after `delay`.
    func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        timers.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay.nanoseconds)), execute: work)
    }
}

/// How long an embedded backend takes to answer, by path: always the same, without jitter.
package struct EmbeddedLatency: Sendable, Hashable {
    /// How long the paths take that are not in ``paths``.
    package var other: Duration
    /// How long these paths take. A path that ends with a slash stands for all below it.
    package var paths: [String: Duration]

    /// These durations.
    package init(other: Duration, paths: [String: Duration] = [:]) {
        self.other = other
        self.paths = paths
    }

    /// Answers come at once.
    package static let none = EmbeddedLatency(other: .zero)

    /// The answering times of an app's services over a good mobile connection.
    package static let typical = EmbeddedLatency(
        other: .milliseconds(60),
        paths: [
            "/v1/version-policy": .milliseconds(120),
            "/v1/countries": .milliseconds(80),
            "/v1/configuration": .milliseconds(180),
            "/oauth/token": .milliseconds(300),
            "/v1/accounts": .milliseconds(250),
            "/v1/profile": .milliseconds(100),
            "/v1/entitlements": .milliseconds(90),
            "/v1/devices/": .milliseconds(70),
            "/graphql": .milliseconds(150),
            "/_admin/": .milliseconds(20),
        ]
    )

    /// How long a path takes.
    package func duration(of path: String) -> Duration {
        if let duration = paths[path] { return duration }
        // The longest prefix is the most exact one.
        return paths.filter { $0.key.hasSuffix("/") && path.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value ?? other
    }
}

/// The embedded backends that live, by host.
enum EmbeddedRegistry {
    private struct State {
        struct Entry {
            weak var backend: EmbeddedBackend?
        }

        var backends: [String: Entry] = [:]
        /// Which backend has a host now, known also while that one is on its way out.
        var owners: [String: ObjectIdentifier] = [:]
        var count = 0
    }

    // Global because `URLSession` takes a class, not an object, and makes its own instances: they have only the address to go by.
    private static let state = Locked(State())

    /// A host that was not used before.
    static func reserveHost() -> String {
        state.withLock { state in
            state.count += 1
            // No name under `invalid` is ever resolved (RFC 2606, section 2): a request that gets past the backend reaches nobody.
            return "sample-\(state.count).invalid"
        }
    }

    static func add(_ backend: EmbeddedBackend, host: String) {
        let id = ObjectIdentifier(backend)
        state.withLock { state in
            state.backends[host] = State.Entry(backend: backend)
            state.owners[host] = id
        }
    }

    /// Forgets the host of a backend that is gone, unless another one has it now.
    static func remove(_ backend: EmbeddedBackend, host: String) {
        let id = ObjectIdentifier(backend)
        state.withLock { state in
            // By its number: a weak reference is nil while the object is deinitialised.
            guard state.owners[host] == id else { return }
            state.backends[host] = nil
            state.owners[host] = nil
        }
    }

    static func backend(for url: URL?) -> EmbeddedBackend? {
        guard let host = url?.host() else { return nil }
        // Its last reference may be the one returned: it is never released while the lock is held, for its deinitializer takes the lock.
        return state.withLock { $0.backends[host]?.backend }
    }
}
