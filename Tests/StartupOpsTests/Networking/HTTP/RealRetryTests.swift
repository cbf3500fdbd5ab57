import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Trying again", .serialized, .timeLimit(.minutes(30)), .real)
struct RealRetryTests {
    @Test("fault N25: 500 twice, then 200: the pauses double, the answer is the last")
    func twice() async throws {
        let server = try LoopbackServer()
        server.on("/", .status(500), .status(500), .json("{}"))
        let pauses = Locked<[Duration]>([])
        #expect(try await quickClient(pauses).send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 } == [.milliseconds(200), .milliseconds(400)])
        #expect(server.requests.count == 3)
    }

    @Test(
        "fault N25: statuses that may pass are tried again, others are answers",
        arguments: [408, 425, 429, 500, 502, 503, 504, 400, 401, 403, 404, 409, 422]
    )
    func statuses(_ status: Int) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(status))
        #expect(try await quickClient().send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == status)
        #expect(server.requests.count == (status == 408 || status >= 425 && status != 422 ? 3 : 1))
    }

    @Test("fault N25: what is not the same when sent twice is sent once", arguments: HTTPMethod.allCases)
    func methods(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(503))
        _ = try await quickClient().send(HTTPRequest(method, server.url()), deadline: httpPatience)
        #expect(server.requests.count == (method == .post || method == .patch ? 1 : 3))
        server.on("/lost", .resetAfter(declared: 10, body: "a"))
        #expect(await quickClient().failure(HTTPRequest(method, server.url("/lost")))?.isTransient == (method == .head ? nil : true))
        if method != .head { #expect(server.requests(for: "/lost").count == (method == .post || method == .patch ? 1 : 3)) }
    }

    @Test("fault N8: a lost connection is tried again, and the next answer counts")
    func lost() async throws {
        let server = try LoopbackServer()
        server.on("/", .resetAfter(declared: 10, body: "a"), .close, .json("{}"))
        #expect(try await quickClient().send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(server.requests.count == 3)
    }

    @Test("fault N25: an attempt there is no time left for is not begun, and the error says so")
    func noTime() async throws {
        let (socket, port) = try LoopbackSocket.bound()
        defer { close(socket) }
        let pauses = Locked<[Duration]>([])
        let client = quickClient(pauses) {
            $0.retry = HTTPRetryPolicy(maximumAttempts: 5, initialDelay: .milliseconds(1), maximumDelay: .seconds(600))
        }
        let request = HTTPRequest(.get, try webAddress("http://127.0.0.1:\(port)/"))
        #expect(await client.failure(request)?.reason == "connection refused by 127.0.0.1:\(port)")
        let slow = quickClient { $0.retry = HTTPRetryPolicy(maximumAttempts: 5, initialDelay: .seconds(300), maximumDelay: .seconds(600)) }
        #expect(await slow.failure(request)?.reason == "connection refused by 127.0.0.1:\(port); no time left for attempt 2")
        #expect(pauses.withLock { $0.count } == 4)
    }

    @Test("fault N4: an attempt that hangs is given up, and the next one may be answered")
    func hanging() async throws {
        let server = try LoopbackServer()
        server.on("/", .hang, .json("{}"))
        let client = quickClient { configuration in
            configuration.attemptTimeout = .milliseconds(500)
            // A busy machine may give up an answer that is on its way, too.
            configuration.retry = HTTPRetryPolicy(maximumAttempts: 200)
        }
        #expect(try await client.send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(server.requests.count > 1)
    }

    @Test("fault N4: an attempt without time is not sent, and says whose time it was")
    func noTimeToSend() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("{}"))
        let error = await quickClient { $0.attemptTimeout = .zero }.failure(HTTPRequest(.get, server.url()))
        #expect(error?.code == .timedOut)
        #expect(error?.reason.hasPrefix("the 0 ms of an attempt were over before it was sent") == true, "\(error?.reason ?? "")")
        #expect(server.requests.isEmpty)
    }

    @Test("fault N4: the deadline is the caller's, whatever the attempts may take")
    func deadline() async throws {
        let server = try LoopbackServer()
        server.on("/", .hang)
        let error = await quickClient().failure(HTTPRequest(.get, server.url()), deadline: .after(.milliseconds(400)))
        #expect(error?.code == .timedOut)
        #expect(error?.reason.hasSuffix("no time left for attempt 2") == true, "\(error?.reason ?? "")")
        #expect(await quickClient().failure(HTTPRequest(.get, server.url()), deadline: .after(.zero))?.code == .timedOut)
    }

    @Test(
        "fault N24: Retry-After is kept when it fits the deadline, as a number and as a date",
        arguments: ["2", "Sun, 06 Nov 1994 08:49:39 GMT"]
    )
    func retryAfter(_ value: String) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(429, headers: ["Retry-After": value]), .json("{}"))
        let pauses = Locked<[Duration]>([])
        let client = quickClient(pauses) { $0.now = { Date(timeIntervalSince1970: 784_111_777) } }
        #expect(try await client.send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 } == [.seconds(2)])
    }

    @Test("fault N24: who asks for more than there is time for is left alone there until then, and nowhere else", arguments: [429, 503])
    func throttled(_ status: Int) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(status, headers: ["Retry-After": "86400"]))
        server.on("/other", .json("{}"))
        let pauses = Locked<[Duration]>([])
        let client = quickClient(pauses)
        let first = try await client.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
        #expect(first.status == status)
        #expect(first.retryAfter(now: Date()) == .seconds(86_400))
        let error = await client.failure(HTTPRequest(.post, server.url("/?again")))
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == status)
        #expect(error?.isTransient == true)
        #expect(try #require(error?.retryAfter) > .seconds(80_000))
        #expect(server.requests.count == 1)
        #expect(pauses.withLock { $0 }.isEmpty)
        // Another path is asked, and who has the time waits.
        #expect(try await client.send(HTTPRequest(.get, server.url("/other")), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 }.isEmpty)
        server.on("/", .json("{}"))
        #expect(try await client.send(HTTPRequest(.get, server.url()), deadline: .never).status == 200)
        #expect(pauses.withLock { $0 }.count == 1)
    }

    @Test("the pauses: half to all of it, doubled, up to the longest")
    func policy() {
        let policy = HTTPRetryPolicy(maximumAttempts: 100, initialDelay: .milliseconds(100), maximumDelay: .seconds(1))
        #expect((2...7).map { policy.delay(beforeAttempt: $0, chance: 1) } == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        #expect(policy.delay(beforeAttempt: 2, chance: 0) == .milliseconds(50))
        #expect(policy.delay(beforeAttempt: 2, chance: 0.5) == .milliseconds(75))
        #expect(policy.delay(beforeAttempt: .max, chance: 1) == .seconds(1))
    }
}
