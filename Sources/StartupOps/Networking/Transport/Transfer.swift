import Foundation
import Sequencer

/// A request on its way: gets the events of many threads in a row, and answers once.
final class Transfer: Sendable {
    private struct Storage {
        var state: TransferState
        var stop: (@Sendable () -> Void)?
        var ended: (@Sendable () -> Void)?
    }

    let request: HTTPRequest
    let answer = OneShot<HTTPResponse>()
    private let storage: Locked<Storage>

    init(_ request: HTTPRequest, maximumBodySize: Int) {
        self.request = request
        storage = Locked(Storage(state: TransferState(request, maximumBodySize: maximumBodySize)))
    }

    /// Whether it has been answered, and need not begin.
    var isOver: Bool { storage.withLock { $0.state.isOver } }

    /// Says how the work is stopped: `stop` is called at most once, on any thread, and must not wait. False when the
    /// work is not wanted any more.
    func attach(stop: @escaping @Sendable () -> Void) -> Bool {
        storage.withLock { storage in
            if !storage.state.isOver { storage.stop = stop }
            return !storage.state.isOver
        }
    }

    /// Calls `body` once, when it is over: at once where it is, or on the thread that ends it.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = storage.withLock { storage in
            if !storage.state.isOver { storage.ended = body }
            return storage.state.isOver
        }
        if isOver { body() }
    }

    /// Tells the state machine the event, unless it is over, and acts on its end.
    func handle(_ event: (inout TransferState) -> TransferState.End?) {
        let (end, stop, ended) = storage.withLock { storage in
            let end = storage.state.isOver ? nil : event(&storage.state)
            // Called after the lock, and forgotten in it: each is called once.
            defer { if end != nil { (storage.stop, storage.ended) = (nil, nil) } }
            return (end, storage.stop, storage.ended)
        }
        guard let end else { return }
        if end.stops { stop?() }
        answer.give(end.result.mapError { $0 })
        ended?()
    }
}

/// The course of one request: decides, and does nothing.
///
/// The first end counts (the answer, an error, the deadline, the caller's cancelling); later events change nothing.
struct TransferState {
    /// The result for the caller, and whether there is work still on its way that has to be stopped.
    typealias End = (result: Result<HTTPResponse, NetworkError>, stops: Bool)

    private let request: HTTPRequest
    private let maximumBodySize: Int
    private var head: HTTPResponse?
    private var body = Data()
    /// The number of received bytes of the body, with its framing and packed.
    private var arrived = 0
    private(set) var isOver = false

    init(_ request: HTTPRequest, maximumBodySize: Int) {
        self.request = request
        self.maximumBodySize = maximumBodySize
    }

    /// The status and the headers have arrived.
    mutating func receive(head: HTTPResponse) -> End? {
        self.head = head
        // An answer to HEAD declares the length of a body that does not come.
        guard request.method != .head, let length = head.declaredLength, length > maximumBodySize else { return nil }
        return fail(.invalidResponse, "the answer declares \(length) bytes, more than the \(maximumBodySize) that are allowed")
    }

    /// Counts received bytes before they are unpacked and taken out of chunks: bytes that add nothing to the body need
    /// a limit as well.
    mutating func arrive(_ count: Int) -> End? {
        arrived += count
        // Chunks of one byte are six times as long.
        guard (arrived - (1 << 20)) / 2 > maximumBodySize else { return nil }
        return fail(.invalidResponse, "it takes more bytes to send than an answer of the \(maximumBodySize) that are allowed needs")
    }

    /// A part of the body has arrived.
    mutating func receive(_ data: Data) -> End? {
        // Written so that the sum cannot overflow.
        if data.count > maximumBodySize - body.count {
            return fail(.invalidResponse, "the answer is larger than the \(maximumBodySize) bytes that are allowed")
        }
        body.append(data)
        return nil
    }

    /// The answer is known without the rest of it: the server leads elsewhere, and the caller decides whether to go
    /// there, or its token has been refused meanwhile.
    mutating func end(with head: HTTPResponse) -> End? { finish(.success(head), stopping: true) }

    /// The server wants credentials for the connection. The client has none: a 401 that has arrived already is the
    /// answer.
    mutating func challenge() -> End? {
        guard let head, head.status == 401 else { return nil }
        return finish(.success(answer(head)), stopping: true)
    }

    /// It ended, with an error, or with everything received. `late` is the head of an answer that was never announced.
    mutating func complete(_ error: (any Error)?, head late: HTTPResponse?) -> End? {
        if let error { return finish(.failure(NetworkError(error, of: request, progress: head.map { _ in progress }))) }
        guard let head = head ?? late else { return finish(.failure(request.error(.invalidResponse, "it ended without an answer"))) }
        // A server that closes early ends the stream without an error (N7).
        if request.method != .head, head.mayHaveBody, let length = head.declaredLength, length > body.count {
            return finish(.failure(request.error(.invalidResponse, "the answer was cut off after \(progress)")))
        }
        return finish(.success(answer(head)))
    }

    /// It cannot be sent, is not wanted any more, is out of time, or its answer cannot be used.
    mutating func fail(_ code: NetworkError.Code, _ reason: String) -> End? {
        finish(.failure(request.error(code, reason)), stopping: true)
    }

    private mutating func finish(_ result: Result<HTTPResponse, NetworkError>, stopping: Bool = false) -> End? {
        if isOver { return nil }
        isOver = true
        // The memory is not needed any more.
        head = nil
        body = Data()
        return (result, stopping)
    }

    private var progress: String { head?.declaredLength.map { "\(body.count) of \($0) bytes" } ?? "\(body.count) bytes" }

    private func answer(_ head: HTTPResponse) -> HTTPResponse {
        HTTPResponse(status: head.status, headers: head.headers, body: body)
    }
}

extension HTTPResponse {
    /// The declared length of the body, where it counts the received bytes: a packed body arrives unpacked.
    fileprivate var declaredLength: Int? {
        // A packed body has another length than it declares.
        let coding = headers["Content-Encoding"]?.lowercased() ?? "identity"
        guard coding == "identity" || coding.isEmpty, headers["Transfer-Encoding"] == nil else { return nil }
        return headers["Content-Length"].flatMap { Int($0) }
    }

    /// Whether an answer of this status has a body (RFC 9110, section 6.4.1) that is received: on Linux, redirections
    /// come without.
    fileprivate var mayHaveBody: Bool { status >= 200 && status != 204 && !(300...399).contains(status) }
}
