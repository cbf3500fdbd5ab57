import Foundation
import StartupNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where one embedded request stands: decides what each call of `URLSession` and each timer leads to.
///
/// A load that is stopped may be started again: `URLSession` stops a task that is suspended and starts it when it is resumed. The service is
/// asked once all the same.
struct EmbeddedLoad {
    enum Action: Equatable {
        case nothing
        /// Ask the service, then call ``answered(_:)``.
        case ask
        /// Call ``timeIsUp(_:)`` with this number after this time.
        case wait(Duration, timer: Int)
        /// Give the answer to the client.
        case deliver(EmbeddedReply)
    }

    private enum State {
        case new
        case asking
        /// Stopped before its time.
        case stopped(EmbeddedReply)
        case waiting(EmbeddedReply, timer: Int)
        /// Its time has come; it is given at the next start.
        case due(EmbeddedReply)
        case over
    }

    private var state = State.new
    private var timers = 0

    /// `URLSession` starts the load; `mayDeliver` when the task is not cancelled.
    mutating func start(mayDeliver: Bool) -> Action {
        switch state {
        case .new:
            state = .asking
            return .ask
        case .stopped(let reply): return wait(for: reply)
        case .due(let reply) where mayDeliver:
            state = .over
            return .deliver(reply)
        case .asking, .waiting, .due, .over: return .nothing
        }
    }

    /// The service has answered.
    mutating func answered(_ reply: EmbeddedReply) -> Action {
        guard case .asking = state else { return .nothing }
        return wait(for: reply)
    }

    /// A timer has fired; true when the answer has to be given now.
    mutating func timeIsUp(_ timer: Int) -> Bool {
        // An earlier timer of a load that was stopped and started again says nothing.
        guard case .waiting(let reply, timer) = state else { return false }
        state = .due(reply)
        return true
    }

    /// `URLSession` stops the load: for good, or until it starts it again.
    mutating func stop() {
        if case .waiting(let reply, _) = state { state = .stopped(reply) }
    }

    private mutating func wait(for reply: EmbeddedReply) -> Action {
        timers += 1
        state = .waiting(reply, timer: timers)
        return reply.delay.map { .wait($0, timer: timers) } ?? .nothing
    }
}

/// A sample answer as a URL protocol gives it: when, what, and how it ends.
struct EmbeddedReply: Sendable, Hashable {
    enum End: Sendable, Hashable {
        /// The answer is whole.
        case finished
        /// It fails.
        case failed(URLError.Code)
        /// It never ends.
        case open
    }

    /// When it begins; nil when it never does.
    var delay: Duration?
    /// Its head; nil when it fails without one.
    var head: HTTPResponse?
    /// Its body.
    var chunks: [Data] = []
    /// How it ends.
    var end = End.finished

    /// The size of the pieces in which a long body is given.
    static let chunkSize = 1_000_000

    init(_ answer: SampleAnswer, latency: Duration) {
        delay = latency
        switch answer {
        case .response(let response, let more):
            delay = latency + more
            give(response)
        case .hang:
            delay = nil
            end = .open
        case .drip:
            head = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"])
            end = .open
        case .truncated(let response, let length):
            give(response)
            head?.headers["Content-Length"] = "\(length)"
            end = .failed(.networkConnectionLost)
        case .reset(let response):
            give(response)
            chunks = [response.body.prefix(response.body.count / 2)]
            end = .failed(.networkConnectionLost)
        case .zeros(let count, _):
            head = HTTPResponse(status: 200, headers: ["Content-Type": "application/octet-stream", "Content-Length": "\(count)"])
            let (whole, rest) = count.quotientAndRemainder(dividingBy: Self.chunkSize)
            // In pieces: one of 4 GB would have to be in memory as a whole.
            chunks = Array(repeating: Data(count: Self.chunkSize), count: whole) + [Data(count: rest)]
        case .plaintext:
            end = .failed(.badServerResponse)
        }
        chunks.removeAll(where: \.isEmpty)
    }

    private mutating func give(_ response: HTTPResponse) {
        head = response
        // Answers without a body have no length either (RFC 9110, section 8.6).
        if !response.body.isEmpty || response.status != 204 && response.status != 304 {
            head?.headers["Content-Length"] = "\(response.body.count)"
        }
        chunks = [response.body]
    }
}
