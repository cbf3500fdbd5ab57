import Foundation
import Sequencer

/// What becomes of one request on its way: decides, and does nothing.
///
/// Whatever comes first ends it (the answer, an error, the deadline, the caller's cancelling); what comes later changes nothing.
struct TransferState {
    /// What to do about an event.
    enum Action {
        case nothing
        /// Give the result to the caller.
        case finish(Result<HTTPResponse, NetworkError>)
        /// Give the result to the caller, and stop what is still on its way.
        case finishAndStop(Result<HTTPResponse, NetworkError>)
    }

    private let request: HTTPRequest
    private let maximumBodySize: Int
    private var head: HTTPResponse?
    private var body = Data()
    private(set) var isOver = false

    init(_ request: HTTPRequest, maximumBodySize: Int) {
        self.request = request
        self.maximumBodySize = maximumBodySize
    }

    /// The status and the headers have arrived.
    mutating func receive(head: HTTPResponse) -> Action {
        if isOver { return .nothing }
        self.head = head
        guard request.method != .head, let length = head.declaredLength, length > maximumBodySize else { return .nothing }
        return refuse("the answer declares \(length) bytes, more than the \(maximumBodySize) that are allowed")
    }

    /// A part of the body has arrived.
    mutating func receive(_ data: Data) -> Action {
        if isOver { return .nothing }
        if data.count > maximumBodySize - body.count {
            return refuse("the answer is larger than the \(maximumBodySize) bytes that are allowed")
        }
        body.append(data)
        return .nothing
    }

    /// The server leads elsewhere. Whether to go there is decided by whoever asked.
    mutating func redirect(head: HTTPResponse) -> Action {
        finish(.success(head), stopping: true)
    }

    /// The server wants credentials for the connection. There are none: an answer that is already there is the answer.
    mutating func challenge() -> Action {
        guard let head, head.status == 401 else { return .nothing }
        return finish(.success(answer(head)), stopping: true)
    }

    /// It ended, with an error, or with everything received. `late` is what is known of the answer when it was never announced.
    mutating func complete(_ error: (any Error)?, head late: HTTPResponse?) -> Action {
        if let error { return finish(.failure(NetworkError(error, of: request, progress: head.map { _ in progress }))) }
        guard let head = head ?? late else { return finish(.failure(failure(.invalidResponse, "it ended without an answer"))) }
        if request.method != .head, head.mayHaveBody, let length = head.declaredLength, length > body.count {
            return finish(.failure(failure(.invalidResponse, "the answer was cut off after \(progress)")))
        }
        return finish(.success(answer(head)))
    }

    /// It cannot be sent.
    mutating func fail(_ error: NetworkError) -> Action { finish(.failure(error)) }

    mutating func passDeadline(_ reason: String) -> Action { finish(.failure(failure(.timedOut, reason)), stopping: true) }

    mutating func cancel() -> Action { finish(.failure(failure(.cancelled, "it was cancelled")), stopping: true) }

    private mutating func refuse(_ reason: String) -> Action { finish(.failure(failure(.invalidResponse, reason)), stopping: true) }

    private mutating func finish(_ result: Result<HTTPResponse, NetworkError>, stopping: Bool = false) -> Action {
        if isOver { return .nothing }
        isOver = true
        head = nil
        body = Data()
        return stopping ? .finishAndStop(result) : .finish(result)
    }

    private var progress: String { head?.declaredLength.map { "\(body.count) of \($0) bytes" } ?? "\(body.count) bytes" }

    private func answer(_ head: HTTPResponse) -> HTTPResponse {
        HTTPResponse(status: head.status, headers: head.headers, body: body)
    }

    private func failure(_ code: NetworkError.Code, _ reason: String) -> NetworkError {
        NetworkError(code, request: request.description, reason)
    }
}

extension HTTPResponse {
    /// How many bytes the body has to have, where that was declared and counts what is received: what was packed arrives unpacked.
    fileprivate var declaredLength: Int? {
        let coding = headers["Content-Encoding"]?.lowercased() ?? "identity"
        guard coding == "identity" || coding.isEmpty, headers["Transfer-Encoding"] == nil else { return nil }
        return headers["Content-Length"].flatMap { Int($0) }
    }

    /// Whether an answer of this status has a body (RFC 9110, section 6.4.1) that is received: on Linux, redirections come without.
    fileprivate var mayHaveBody: Bool { status >= 200 && status != 204 && !(300...399).contains(status) }
}
