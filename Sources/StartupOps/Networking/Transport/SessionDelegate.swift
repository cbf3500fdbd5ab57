import Dispatch
import Foundation
import Sequencer

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes a session's events to the transfers they are about.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let transfers = Locked<[Int: Transfer]>([:])

    /// Sends the events of the task with this identifier to `transfer`, until the task has completed.
    func register(_ transfer: Transfer, for task: Int) {
        transfers.withLock { $0[task] = transfer }
    }

    private func transfer(_ task: URLSessionTask) -> Transfer? {
        let identifier = task.taskIdentifier
        return transfers.withLock { $0[identifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = HTTPResponse(head: response) { transfer(dataTask)?.handle { $0.receive(head: head) } }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(dataTask)?.handle { $0.receive(data) }
    }

    /// Never goes along: on Linux the session would take every header to another origin, and lose the body.
    ///
    /// The handler is not called, the task is cancelled instead: on Linux, calling it for a task that is being
    /// cancelled traps.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        if let head = HTTPResponse(head: response) { transfer(task)?.handle { $0.end(with: head) } }
    }

    /// Lets the system judge servers, and gives no credentials.
    ///
    /// Apple platforms ask before the answer, and give it when the challenge is handled as usual.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // The answer has been received, and is held back for credentials, as with a 401 that asks for Basic or
            // Digest. The handler could only cancel, here and now, and would wait for the session, which waits for us;
            // the transfer does it elsewhere.
            transfer(task)?.handle { $0.challenge() }
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let identifier = task.taskIdentifier
        // Removed here and nowhere else: events after this find nobody.
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: identifier) }) else { return }
        // An answer without a body may never have been announced.
        let head = task.response.flatMap { HTTPResponse(head: $0) }
        transfer.handle { $0.complete(error, head: head) }
    }
}

extension HTTPResponse {
    /// The status and the headers of an answer; nil for one of another protocol.
    init?(head response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        var headers = HTTPHeaders()
        for (name, value) in response.allHeaderFields { headers[String(describing: name)] = String(describing: value) }
        self.init(status: response.statusCode, headers: headers)
    }
}

// Where the two implementations of URLSession differ.

/// Where a session calls its delegate: one event after the other, never on a thread of the default pool.
///
/// On Linux it calls the delegate at once, on its own serial queue. Otherwise the session would unpack and hand over
/// data as fast as it can, and a small packed answer would fill the memory with events that wait; and while data comes
/// in faster than it is handed over, the session would never get to a cancel. So the delegate must never wait for the
/// session, and must leave cancelling to another queue.
final class SessionEvents: OperationQueue, @unchecked Sendable {
    // @unchecked: restates what `OperationQueue` is; the property is never changed.
    /// Kept here because on Linux an operation queue does not keep its underlying queue.
    private let queue = DispatchQueue(label: "StartupOps.URLSessionEngine.events", qos: .userInitiated)

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
        underlyingQueue = queue
    }

    #if canImport(FoundationNetworking)
        override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
