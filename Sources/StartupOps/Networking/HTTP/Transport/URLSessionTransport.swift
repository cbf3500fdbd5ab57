import Dispatch
import Foundation
import Sequencer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends each request once, over one `URLSession`.
///
/// It follows no redirect, keeps no cookie, credential or answer, and trusts whom the system trusts. Its deadline is a timer of its own. Everything
/// but the caller's own task goes on while every thread of the default pool is blocked.
final class URLSessionTransport: HTTPSending {
    /// What can be chosen about a transport.
    struct Options: Sendable {
        var maximumBodySize = 16 << 20
        var connectionsPerHost = 6
        /// Asked first, in this order: how a server embedded in the app is reached.
        var protocolClasses: [URLProtocol.Type] = []
        var environment = ProcessInfo.processInfo.environment
    }

    let options: Options
    private let session: URLSession
    private let delegate = SessionDelegate()
    /// Two queues, as starting and stopping tasks waits for the session, and a deadline must not.
    private let control = DispatchQueue(label: "StartupOps.URLSessionTransport.control", qos: .userInitiated)
    private let alarms = DispatchQueue(label: "StartupOps.URLSessionTransport.alarms", qos: .userInitiated)

    init(_ options: Options = Options()) {
        self.options = options
        session = URLSession(configuration: .bare(options), delegate: delegate, delegateQueue: SessionEvents())
    }

    deinit { session.finishTasksAndInvalidate() }

    /// How many tasks the session has not let go of: for tests.
    var openTaskCount: Int { delegate.count }

    func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
        let transfer = Transfer(request, maximumBodySize: options.maximumBodySize, control: control)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                start(transfer, deadline: deadline) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            transfer.handle { $0.cancel() }
        }
        return try result.get()
    }

    /// Sends a request, and answers on any thread.
    func start(_ transfer: Transfer, deadline: Deadline, completion: @escaping Transfer.Completion) {
        transfer.begin(completion)
        if transfer.isOver { return }
        if let remaining = deadline.remaining {
            let reason = "there was no answer within \(durationText(remaining))"
            transfer.attach(Alarm(after: remaining, on: alarms) { transfer.handle { $0.passDeadline(reason) } })
        }
        let request = URLRequest(transfer.request)
        if let proxy = plainProxy(for: request) {
            let reason = "it would go unencrypted through the proxy that the variable \(proxy) names; add the host to no_proxy"
            let error = NetworkError(.invalidRequest, request: transfer.request.description, reason)
            return transfer.handle { $0.fail(error) }
        }
        control.async { [self] in
            if transfer.isOver { return }
            let task = session.dataTask(with: request)
            delegate.register(transfer, for: task.taskIdentifier)
            // A task that was never resumed would stay in the session for ever, so one that is not wanted any more is cancelled.
            if transfer.attach(task) { task.resume() } else { task.cancel() }
        }
    }

    /// The variable that sends this request to a proxy as plain text, if there is one.
    private func plainProxy(for request: URLRequest) -> String? {
        guard let url = request.url, !options.protocolClasses.contains(where: { $0.canInit(with: request) }) else { return nil }
        return ProxyEnvironment(options.environment).plainProxyVariable(for: url)
    }
}

extension URLSessionConfiguration {
    /// A configuration that keeps nothing and adds nothing.
    fileprivate static func bare(_ options: URLSessionTransport.Options) -> URLSessionConfiguration {
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
    fileprivate init(_ request: HTTPRequest) {
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 366 * 86_400)
        httpMethod = request.method.rawValue
        httpBody = request.body
        httpShouldHandleCookies = false
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}
