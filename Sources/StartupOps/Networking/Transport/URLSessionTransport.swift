import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one `URLSession`.
final class URLSessionTransport: HTTPTransport {
    let options: TransportOptions
    let alarms = DispatchQueue(label: "StartupOps.URLSessionTransport.alarms", qos: .userInitiated)
    /// Nil where it would end the process to make one.
    private let session: URLSession?
    private let obstacle: String?
    private let delegate = SessionDelegate()
    /// Tasks are started and stopped here: both wait for the session, and may be asked for by a thread that must not wait.
    private let control = DispatchQueue(label: "StartupOps.URLSessionTransport.control", qos: .userInitiated)

    init(_ options: TransportOptions = TransportOptions()) {
        self.options = options
        obstacle = URLSessionSupport.obstacle()
        session = obstacle == nil ? URLSession(configuration: .bare(options), delegate: delegate, delegateQueue: SessionEvents()) : nil
    }

    deinit { session?.finishTasksAndInvalidate() }

    var openTaskCount: Int { delegate.count }

    func perform(_ transfer: Transfer) {
        guard let session else {
            let error = NetworkError(.unreachable, request: transfer.request.description, obstacle ?? "there is no session")
            return transfer.handle { $0.fail(error) }
        }
        #if canImport(FoundationNetworking)
            // Before a task is made: once it is resumed, nothing keeps the request from the proxy.
            if let error = proxyRefusal(of: transfer.request) { return transfer.handle { $0.fail(error) } }
        #endif
        control.async { [self] in
            // Cancelled while it waited for this queue.
            if transfer.isOver { return }
            let task = session.dataTask(with: URLRequest(transfer.request))
            // Before it is resumed: its events may come at once.
            delegate.register(transfer, for: task.taskIdentifier)
            let isWanted = transfer.attach { [control] in control.async { task.cancel() } }
            // A task that was never resumed would stay in the session for ever, so one that is not wanted any more is cancelled.
            if isWanted { task.resume() } else { task.cancel() }
        }
    }

    /// The error of a plain request that the session would send to a proxy; nil for one that an embedded server takes.
    private func proxyRefusal(of request: HTTPRequest) -> NetworkError? {
        let isEmbedded = options.protocolClasses.contains { $0.canInit(with: URLRequest(request)) }
        return isEmbedded ? nil : ProxyEnvironment(options.environment).refusal(of: request)
    }
}

extension URLSessionConfiguration {
    /// A configuration that keeps nothing and adds nothing.
    fileprivate static func bare(_ options: TransportOptions) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // With a cache, cancelling a data task traps on Linux.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        // Deadlines are kept by alarms.
        configuration.timeoutIntervalForRequest = 366 * 86_400
        configuration.httpMaximumConnectionsPerHost = options.connectionsPerHost
        configuration.protocolClasses = options.protocolClasses + (configuration.protocolClasses ?? [])
        return configuration
    }
}

extension URLRequest {
    init(_ request: HTTPRequest) {
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 366 * 86_400)
        httpMethod = request.method.rawValue
        httpBody = request.body
        httpShouldHandleCookies = false
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}

/// The proxy that `URLSession` on Linux sends plain requests to because a variable says so.
///
/// A request over TLS goes through a tunnel: the proxy learns the host and nothing else. A plain request, which goes to this machine only, would be
/// read by the proxy, token and all. `CurlTransport` sends it directly. `URLSession` cannot be told to, so its transport refuses the request.
struct ProxyEnvironment {
    private let environment: [String: String]

    init(_ environment: [String: String]) { self.environment = environment }

    /// The error of a plain request that would go to a proxy: it names the proxy, without its password, and says what to do.
    func refusal(of request: HTTPRequest) -> NetworkError? {
        // Plain requests only: through a tunnel the proxy learns the host and nothing else.
        guard request.url.scheme?.lowercased() == "http", let host = request.url.host()?.lowercased(), !isExcepted(host) else { return nil }
        // libcurl ignores HTTP_PROXY: a client can make a web server set it.
        guard let variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first(where: { value($0) != nil }), let proxy = value(variable)
        else { return nil }
        let reason =
            "it would go unencrypted through the proxy \(Self.place(of: proxy)) (\(variable)), which could read it; add \(host) to no_proxy"
        return NetworkError(.invalidRequest, request: request.description, reason)
    }

    /// An empty value counts as not set.
    private func value(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether `no_proxy` lists exactly this host. Versions of libcurl differ in all that goes further: domains, blocks of addresses, blanks.
    private func isExcepted(_ host: String) -> Bool {
        guard let list = value("no_proxy") ?? value("NO_PROXY") else { return false }
        if list == "*" { return true }
        // `no_proxy` has addresses without their brackets.
        let host = host.trimmingPrefix("[").prefix { $0 != "]" }
        for entry in list.lowercased().split(separator: ",") {
            let words = entry.split(separator: " ")
            if words.first == host { return true }
            // Newer versions of libcurl read no further than a blank that no comma follows.
            if words.count > 1 { return false }
        }
        return false
    }

    /// Host and port of a proxy. The text before them may be a password.
    private static func place(of proxy: String) -> String {
        let address = proxy.range(of: "://").map { proxy[$0.upperBound...] } ?? proxy[...]
        let authority = address.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return ForeignText.shown(
            String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority),
            limit: 100
        )
    }
}
