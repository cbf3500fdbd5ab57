import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Reachability", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReachabilityTests {
    private let reachability: Reachability
    private let link: AsyncStream<Bool>.Continuation

    init() {
        let (links, link) = AsyncStream.makeStream(of: Bool.self)
        reachability = Reachability(links: links)
        self.link = link
    }

    /// Says whether a link is up, and waits until that is known.
    private func tell(_ isUp: Bool) async {
        link.yield(isUp)
        for await status in reachability.statuses where status == (isUp ? .reachable : .unreachable) { break }
    }

    @Test("C48: begins as unknown, is reachable while some link is up, and tells each change once")
    func statuses() async {
        var statuses = reachability.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .unknown)
        for isUp in [true, true, false, false, true] { link.yield(isUp) }
        #expect(await statuses.next() == .reachable)
        #expect(await statuses.next() == .unreachable)
        #expect(await statuses.next() == .reachable)
        var late = reachability.statuses.makeAsyncIterator()
        #expect(await late.next() == .reachable)
    }

    @Test("C49: a watch that has ended knows nothing any more")
    func end() async {
        await tell(false)
        var statuses = reachability.statuses.makeAsyncIterator()
        #expect(await statuses.next() == .unreachable)
        link.finish()
        #expect(await statuses.next() == .unknown)
        #expect(await Client(reachability).send() == nil)
    }

    @Test("C48: a request waits while no link is up, and goes when one is", arguments: [HTTPMethod.get, .post])
    func waits(_ method: HTTPMethod) async {
        await tell(false)
        let client = Client(reachability)
        let request = Task { await client.send(method) }
        for _ in 0..<100 { await Task.yield() }
        #expect(client.attempts == 0)
        link.yield(true)
        #expect(await request.value == nil)
        #expect(client.attempts == 1)
    }

    @Test("C48: a connection that is lost with the last link is tried again when one is up")
    func retry() async {
        let client = Client(reachability) { attempt in
            if attempt > 1 { return nil }
            await tell(false)
            return NetworkError(.unreachable, request: "", "the connection was lost")
        }
        let request = Task { await client.send() }
        await client.pauses()
        #expect(client.attempts == 1)
        link.yield(true)
        #expect(await request.value == nil)
        #expect(client.attempts == 2)
    }

    @Test("C48: without a link until the deadline a request is unreachable, and nothing is sent", arguments: [HTTPMethod.get, .post])
    func deadline(_ method: HTTPMethod) async {
        await tell(false)
        let client = Client(reachability)
        let error = await client.send(method, by: .after(.milliseconds(1)))
        #expect(error?.code == .unreachable && error?.isTransient == true)
        #expect(error?.reason.hasPrefix("the network is not reachable") == true, "\(error?.reason ?? "")")
        #expect(client.attempts == 0)
    }

    @Test("C48: a request that is cancelled while it waits ends, and nothing is sent")
    func cancelled() async {
        await tell(false)
        let client = Client(reachability)
        let request = Task { await client.send() }
        for _ in 0..<100 { await Task.yield() }
        request.cancel()
        #expect(await request.value?.code == .cancelled)
        #expect(client.attempts == 0)
    }

    @Test("C48: without a link, this machine is asked all the same")
    func loopback() async {
        await tell(false)
        #expect(await Client(reachability).send(to: "http://127.0.0.1:1/") == nil)
    }
}

/// A client whose pauses are not made, over a transport that answers at once, or fails as a test says for each attempt.
private struct Client {
    private let client: HTTPClient
    private let transport: Transport
    private let paused: AsyncStream<Void>

    init(_ reachability: Reachability, failure: @escaping @Sendable (_ attempt: Int) async -> NetworkError? = { _ in nil }) {
        let (paused, continuation) = AsyncStream.makeStream(of: Void.self)
        self.paused = paused
        transport = Transport(failure: failure)
        var configuration = HTTPClient.Configuration()
        configuration.pause = { _ in continuation.yield() }
        configuration.chance = { 1 }
        client = HTTPClient(configuration, reachability: reachability, over: transport)
    }

    /// How many attempts were sent.
    var attempts: Int { transport.attempts.withLock { $0 } }

    /// Waits for the pause between two attempts.
    func pauses() async {
        for await _ in paused { break }
    }

    func send(_ method: HTTPMethod = .get, to text: String = "https://example.com/", by deadline: Deadline = .never) async -> NetworkError?
    {
        guard let url = URL(string: text) else { return NetworkError(.invalidRequest, request: text, "no address") }
        return await client.failure(HTTPRequest(method, url), deadline: deadline)
    }

    private final class Transport: HTTPSending {
        let attempts = Locked(0)
        private let failure: @Sendable (Int) async -> NetworkError?

        init(failure: @escaping @Sendable (Int) async -> NetworkError?) { self.failure = failure }

        func send(_ request: HTTPRequest, deadline: Deadline) async throws(NetworkError) -> HTTPResponse {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if let error = await failure(attempt) { throw error }
            return HTTPResponse(status: 200)
        }
    }
}
