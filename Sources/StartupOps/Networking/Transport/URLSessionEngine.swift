import Dispatch
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one `URLSession`.
final class URLSessionEngine: TransferEngine {
    private let environment: [String: String]
    private let session: URLSession
    private let delegate = SessionDelegate()
    /// Tasks are started and stopped here: both wait for the session, and may be asked for by a thread that must not
    /// wait.
    private let control = DispatchQueue(label: "StartupOps.URLSessionEngine.control", qos: .userInitiated)

    init(_ options: HTTPClient.Configuration) {
        environment = options.environment
        session = URLSession(configuration: .bare(options), delegate: delegate, delegateQueue: SessionEvents())
    }

    func close() {
        // After the tasks that are still to be made: none may be made in a session that is invalid.
        control.async { [session] in session.finishTasksAndInvalidate() }
    }

    func perform(_ transfer: Transfer) {
        #if canImport(FoundationNetworking)
            // Before a task is made: once it is resumed, nothing keeps the request from the proxy.
            if let refusal = transfer.request.proxyRefusal(environment) {
                return transfer.handle { $0.fail(refusal.code, refusal.reason) }
            }
        #endif
        control.async { [self] in
            // Cancelled while it waited for this queue.
            if transfer.isOver { return }
            let task = session.dataTask(with: URLRequest(transfer.request))
            // Before it is resumed: its events may come at once.
            delegate.register(transfer, for: task.taskIdentifier)
            let isWanted = transfer.attach { [control] in control.async { task.cancel() } }
            // A task that was never resumed would stay in the session for ever, so one that is not wanted any more is
            // cancelled.
            if isWanted { task.resume() } else { task.cancel() }
        }
    }
}

extension URLSessionConfiguration {
    /// A configuration that keeps nothing and adds nothing.
    fileprivate static func bare(_ options: HTTPClient.Configuration) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        // With a cache, cancelling a data task traps on Linux.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        // Deadlines are kept by timers of our own.
        configuration.timeoutIntervalForRequest = 366 * 86_400
        #if canImport(FoundationNetworking)
            // As many as are ever under way: libcurl's own line may forget one, see `HostLine`.
            configuration.httpMaximumConnectionsPerHost = options.connectionsPerHost * HostLine.slowFactor * 2
        #else
            configuration.httpMaximumConnectionsPerHost = options.connectionsPerHost
        #endif
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

extension HTTPRequest {
    /// The error of a plain request, which goes to this machine only, where a variable of libcurl names a proxy, which
    /// could read it, token and all.
    ///
    /// ``CurlLoop`` sends it directly. `URLSession` on Linux cannot be told to. Over TLS, the proxy of a tunnel
    /// learns the host and nothing else.
    func proxyRefusal(_ environment: [String: String]) -> NetworkError? {
        // libcurl ignores HTTP_PROXY: a client can make a web server set it.
        guard url.scheme?.lowercased() == "http",
            let variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first(where: { environment[$0]?.isEmpty == false })
        else { return nil }
        return error(.invalidRequest, "it would go unencrypted through the proxy that \(variable) names, which could read it; unset that")
    }
}
