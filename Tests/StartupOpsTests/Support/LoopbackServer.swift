import Foundation
import Sequencer
import TestSupport
import Testing

/// A server on 127.0.0.1 that misbehaves as it is told, and remembers what it was asked.
///
/// Every connection has a thread of its own, so that no fault of one keeps another from its answer. A path's answers are given in order, one to
/// each request, the last one again and again; what no answer was given for is 404. It stops when the last reference to it goes.
///
/// ```swift
/// let server = try LoopbackServer()
/// server.on("/v1/countries", .status(503), .json("[]"))
/// // … send two requests to server.url("/v1/countries") …
/// #expect(server.requests.map(\.target) == ["/v1/countries", "/v1/countries"])
/// ```
final class LoopbackServer: Sendable {
    /// A request as it arrived.
    struct Request: Sendable {
        /// The number of the connection it came on, from 1.
        var connection: Int
        var method: String
        /// The path and the query, as they were sent.
        var target: String
        /// Fields by lower-case name; of repeated ones, the values joined by commas.
        var headers: [String: String]
        var body: Data

        var path: String { String(target.prefix { $0 != "?" }) }
    }

    private struct State {
        var answers: [String: [Answer]] = [:]
        var handler: (@Sendable (Request) -> Answer?)?
        var requests: [Request] = []
        var garbage: [Data] = []
        var sockets: [Int: Int32] = [:]
        var connectionCount = 0
        var bytesSent = 0
        var isStopped = false
        var waiters: [(count: Int, goOn: @Sendable () -> Void)] = []

        mutating func scripted(_ path: String) -> Answer {
            guard let first = answers[path]?.first else { return .status(404) }
            // The last one is for all further requests.
            if answers[path, default: []].count > 1 { answers[path]?.removeFirst() }
            return first
        }
    }

    /// The port it listens on.
    let port: Int
    private let listener: Int32
    private let state = Locked(State())

    init() throws {
        (listener, port) = try LoopbackSocket.listen()
        Self.startThread { [listener, weak self] in
            while let socket = LoopbackSocket.accept(listener) {
                guard let self else {
                    close(socket)
                    break
                }
                self.serve(socket)
            }
            close(listener)
        }
    }

    deinit { stop() }

    /// Refuses further connections, and cuts those that are open.
    func stop() {
        let (sockets, wasStopped) = state.withLock { state in
            defer { state.isStopped = true }
            return (Array(state.sockets.values), state.isStopped)
        }
        if wasStopped { return }
        // Wakes the thread that accepts, which closes it.
        shutdown(listener, Int32(SHUT_RDWR))
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// An address on this server.
    func url(_ path: String = "/", scheme: String = "http", host: String = "127.0.0.1") -> URL {
        URL(string: "\(scheme)://\(host):\(port)\(path)") ?? URL(fileURLWithPath: "/")
    }

    /// Gives these answers, in order, to the requests for `path` (without its query); the last one to all further ones.
    func on(_ path: String, _ answers: Answer...) {
        state.withLock { $0.answers[path] = answers }
    }

    /// Asks `handler` first, on the connection's thread; nil leaves the answer to what was given for the path.
    func onEveryRequest(_ handler: @escaping @Sendable (Request) -> Answer?) {
        state.withLock { $0.handler = handler }
    }

    /// The requests, in the order they arrived.
    var requests: [Request] { state.withLock { $0.requests } }

    /// The requests for a path, in the order they arrived.
    func requests(for path: String) -> [Request] { requests.filter { $0.path == path } }

    /// The first bytes of what came and was no HTTP.
    var garbage: [Data] { state.withLock { $0.garbage } }

    /// How many bytes the system took for sending.
    var bytesSent: Int { state.withLock { $0.bytesSent } }

    /// Returns once `count` requests have arrived (not: been answered).
    func waitForRequests(_ count: Int) async {
        await callback { goOn in
            let isThere = state.withLock { state in
                if state.requests.count < count { state.waiters.append((count, goOn)) }
                return state.requests.count >= count
            }
            if isThere { goOn() }
        }
    }

    private func serve(_ socket: Int32) {
        let number: Int? = state.withLock { state in
            if state.isStopped { return nil }
            state.connectionCount += 1
            state.sockets[state.connectionCount] = socket
            return state.connectionCount
        }
        guard let number else {
            close(socket)
            return
        }
        Self.startThread { [weak self] in
            var connection = LoopbackConnection(socket: socket, number: number)
            while let message = connection.next() {
                // Not held while waiting for the next request, so that forgetting the server is enough to stop it.
                guard let self else { break }
                guard let answer = self.answer(to: message) else { break }
                let isOpen = connection.perform(answer) { self.count(bytes: $0) }
                if !isOpen { break }
            }
            self?.forget(number)
            close(socket)
        }
    }

    private func answer(to message: LoopbackConnection.Message) -> Answer? {
        switch message {
        case .garbage(let data):
            state.withLock { $0.garbage.append(data) }
            return .status(400).closing
        case .request(let request):
            // Who waits for the request may send the next one at once: this one has its answer by then.
            let (handler, answer, ready) = state.withLock { state in
                state.requests.append(request)
                let count = state.requests.count
                let ready = state.waiters.filter { $0.count <= count }
                state.waiters.removeAll { $0.count <= count }
                return (state.handler, state.handler == nil ? state.scripted(request.path) : nil, ready)
            }
            for waiter in ready { waiter.goOn() }
            return answer ?? handler?(request) ?? state.withLock { $0.scripted(request.path) }
        }
    }

    private func count(bytes: Int) { state.withLock { $0.bytesSent += bytes } }

    private func forget(_ number: Int) { state.withLock { $0.sockets[number] = nil } }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.stackSize = 512 << 10
        thread.start()
    }
}
