import Foundation
import Sequencer
import StartupNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers a session's requests to the hosts of embedded backends.
final class EmbeddedURLProtocol: URLProtocol {
    /// A load that a timer may find gone.
    private final class Weak: @unchecked Sendable {
        // @unchecked: written once, before it is shared. Its object guards its state with a lock.
        private(set) weak var load: EmbeddedURLProtocol?

        init(_ load: EmbeddedURLProtocol) { self.load = load }
    }

    private let load = Locked(EmbeddedLoad())

    override class func canInit(with request: URLRequest) -> Bool { EmbeddedRegistry.backend(for: request.url) != nil }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let mayDeliver = mayDeliver
        switch load.withLock({ $0.start(mayDeliver: mayDeliver) }) {
        case .ask: ask()
        case .wait(let delay, let timer): wait(delay, timer)
        case .deliver(let reply): deliver(reply)
        case .nothing: break
        }
    }

    override func stopLoading() { load.withLock { $0.stop() } }

    private func ask() {
        guard let backend = EmbeddedRegistry.backend(for: request.url), let request = HTTPRequest(request) else {
            // The backend has gone since `canInit` was asked.
            client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost))
            return
        }
        let reply = backend.reply(to: request)
        if case .wait(let delay, let timer) = load.withLock({ $0.answered(reply) }) { wait(delay, timer) }
    }

    private func wait(_ delay: Duration, _ timer: Int) {
        let weak = Weak(self)
        // Weak: a load that nobody waits for must not be kept by its timer.
        EmbeddedRegistry.backend(for: request.url)?.after(delay) { weak.load?.deliverIfDue(timer) }
    }

    private func deliverIfDue(_ timer: Int) {
        if load.withLock({ $0.timeIsUp(timer) }) { startToDeliver() }
    }

    private func deliver(_ reply: EmbeddedReply) {
        if let head = reply.head, let url = request.url {
            // Of several fields of one name the last one counts, as a dictionary has one.
            let fields = Dictionary(head.headers.map { ($0.name, $0.value) }) { _, last in last }
            if let response = HTTPURLResponse(url: url, statusCode: head.status, httpVersion: "HTTP/1.1", headerFields: fields) {
                client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            }
        }
        for chunk in reply.chunks { client?.urlProtocol(self, didLoad: chunk) }
        switch reply.end {
        case .finished: client?.urlProtocolDidFinishLoading(self)
        case .failed(let code): client?.urlProtocol(self, didFailWithError: URLError(code))
        case .open: break
        }
    }
}

extension HTTPRequest {
    /// The request of a URL protocol; nil when the service does not know its method.
    fileprivate init?(_ request: URLRequest) {
        guard let url = request.url, let method = HTTPMethod(rawValue: request.httpMethod ?? "GET") else { return nil }
        var headers = HTTPHeaders()
        for (name, value) in request.allHTTPHeaderFields ?? [:] { headers[name] = value }
        self.init(method, url, headers: headers, body: request.httpBody ?? request.httpBodyStream.map(Self.read))
    }

    /// All that a stream has: on Apple platforms a URL protocol sees a body as a stream.
    private static func read(_ stream: InputStream) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        stream.open()
        defer { stream.close() }
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count <= 0 { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}

/// Where a client may be called: the one difference between the platforms.
extension EmbeddedURLProtocol {
    /// Whether the client still waits for an answer.
    var mayDeliver: Bool {
        #if canImport(FoundationNetworking)
            task?.state == .running
        #else
            true
        #endif
    }

    /// Has `startLoading` called once more, where the client may be called.
    func startToDeliver() {
        #if canImport(FoundationNetworking)
            // Foundation on Linux keeps its tasks in a dictionary that only a session's own queue may touch, and each call of a client touches it.
            // A task that is suspended and resumed has its protocol started again, on that queue. A task that was cancelled has not.
            task?.suspend()
            task?.resume()
        #else
            startLoading()
        #endif
    }
}
