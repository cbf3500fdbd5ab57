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
        let (pauses, log) = (Locked<[Duration]>([]), HTTPEventLog())
        let client = quickClient(pauses) { $0.onEvent = log.note }
        #expect(try await client.send(HTTPRequest(.get, server.url("/?token=secret")), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 } == [.milliseconds(200), .milliseconds(400)])
        #expect(server.requests.count == 3)
        let name = "GET 127.0.0.1:\(server.port)/"
        #expect(
            log.lines == [
                "\(name) (attempt 1): sent", "\(name) (attempt 1): answered 500, 0 bytes", "\(name) (attempt 2): waits 200 ms",
                "\(name) (attempt 2): sent", "\(name) (attempt 2): answered 500, 0 bytes", "\(name) (attempt 3): waits 400 ms",
                "\(name) (attempt 3): sent", "\(name) (attempt 3): answered 200, 2 bytes",
            ]
        )
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
        let log = HTTPEventLog()
        let client = quickClient { configuration in
            configuration.onEvent = log.note
            configuration.retry = HTTPRetryPolicy(maximumAttempts: 5, initialDelay: .milliseconds(1), maximumDelay: .seconds(600))
        }
        let request = HTTPRequest(.get, try webAddress("http://127.0.0.1:\(port)/"))
        #expect(await client.failure(request)?.reason == "connection refused by 127.0.0.1:\(port)")
        let slow = quickClient { $0.retry = HTTPRetryPolicy(maximumAttempts: 5, initialDelay: .seconds(300), maximumDelay: .seconds(600)) }
        #expect(await slow.failure(request)?.reason == "connection refused by 127.0.0.1:\(port); no time left for attempt 2")
        #expect(log.lines.count { $0.hasSuffix("): sent") } == 5)
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

    @Test(
        "fault N24: what makes no sense is as good as nothing",
        arguments: ["-1", "garbage", "", "1.5", "0x10", "Sun, 06 Nov 1904 08:49:39 GMT", "2 seconds"]
    )
    func noSense(_ value: String) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(503, headers: ["Retry-After": value]), .json("{}"))
        let pauses = Locked<[Duration]>([])
        #expect(try await quickClient(pauses).send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 } == [.milliseconds(200)])
    }

    @Test("fault N24: a host that asks for more than there is time for is left alone until then, by all", arguments: [429, 503])
    func throttled(_ status: Int) async throws {
        let server = try LoopbackServer()
        server.on("/", .status(status, headers: ["Retry-After": "86400"]))
        server.on("/other", .json("{}"))
        let (pauses, log) = (Locked<[Duration]>([]), HTTPEventLog())
        let client = quickClient(pauses) { $0.onEvent = log.note }
        let first = try await client.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
        #expect(first.status == status)
        #expect(first.retryAfter(now: Date()) == .seconds(86_400))
        let error = await client.failure(HTTPRequest(.post, server.url("/other")))
        #expect(error?.code == .invalidResponse)
        #expect(error?.status == status)
        #expect(error?.isTransient == true)
        #expect(try #require(error?.retryAfter) > .seconds(80_000))
        #expect(server.requests.count == 1)
        #expect(pauses.withLock { $0 }.isEmpty)
        #expect(log.lines.contains { $0.hasSuffix("no time left before the deadline") })
        // Another host is asked, and who has the time waits.
        let elsewhere = try LoopbackServer()
        elsewhere.on("/", .json("{}"))
        #expect(try await client.send(HTTPRequest(.get, elsewhere.url()), deadline: httpPatience).status == 200)
        #expect(try await client.send(HTTPRequest(.get, server.url("/other")), deadline: .never).status == 200)
        #expect(pauses.withLock { $0 }.count == 1)
    }

    @Test("fault N24: a POST is not sent again, and its host is left alone all the same")
    func post() async throws {
        let server = try LoopbackServer()
        server.on("/", .status(429, headers: ["Retry-After": "60"]), .json("{}"))
        let pauses = Locked<[Duration]>([])
        let client = quickClient(pauses)
        #expect(try await client.send(HTTPRequest(.post, server.url()), deadline: httpPatience).status == 429)
        #expect(pauses.withLock { $0 }.isEmpty)
        #expect(try await client.send(HTTPRequest(.post, server.url()), deadline: httpPatience).status == 200)
        #expect(pauses.withLock { $0 }.count == 1)
    }

    @Test("the pauses: half to all of it, doubled, up to the longest")
    func policy() {
        let policy = HTTPRetryPolicy(maximumAttempts: 100, initialDelay: .milliseconds(100), maximumDelay: .seconds(1))
        #expect((2...7).map { policy.delay(beforeAttempt: $0, chance: 1) } == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
        #expect(policy.delay(beforeAttempt: 2, chance: 0) == .milliseconds(50))
        #expect(policy.delay(beforeAttempt: 2, chance: 0.5) == .milliseconds(75))
        for chance in [-1.0, 2, .nan, .infinity] {
            #expect((.milliseconds(50)...(.milliseconds(100))).contains(policy.delay(beforeAttempt: 2, chance: chance)))
        }
        let extreme = HTTPRetryPolicy(initialDelay: .seconds(Int64.max), maximumDelay: .seconds(Int64.max))
        #expect(extreme.delay(beforeAttempt: .max, chance: 1) > .zero)
        #expect(HTTPRetryPolicy(initialDelay: .seconds(-1), maximumDelay: .seconds(-1)).delay(beforeAttempt: 2, chance: 1) == .zero)
    }

    @Test("when to go on: the state machine")
    func decisions() {
        let policy = HTTPRetryPolicy(maximumAttempts: 3, initialDelay: .seconds(1), maximumDelay: .seconds(1))
        var state = RetryState(policy, isIdempotent: true)
        func end(_ isTransient: Bool = true, after: Duration? = nil, remaining: Duration? = nil) -> RetryState.Decision {
            state.end(isTransient: isTransient, retryAfter: after, remaining: remaining, chance: 1)
        }
        #expect(end(false) == .stop)
        #expect(end(remaining: .seconds(1)) == .stopForLackOfTime)
        #expect(end(after: .seconds(10), remaining: .seconds(9)) == .stopForLackOfTime)
        #expect(end(after: .seconds(10), remaining: .seconds(11)) == .retry(after: .seconds(10)))
        #expect(end(after: .milliseconds(1)) == .retry(after: .seconds(1)))
        #expect(state.attempt == 3)
        #expect(end() == .stop)
    }

    @Test("no more hosts are kept in mind than 64, and none for longer than it asked")
    func hosts() throws {
        var hosts = ThrottledHosts()
        let now = ContinuousClock().now
        let origins = try (0..<100).map { HTTPOrigin(try webAddress("https://host\($0).example/")) }
        for (index, origin) in origins.enumerated() { hosts.throttle(origin, until: now + .seconds(index + 1), status: 429) }
        #expect(origins.filter { hosts.entry(for: $0, now: now) != nil } == Array(origins.suffix(64)))
        #expect(hosts.entry(for: origins[99], now: now + .seconds(100)) == nil)
        hosts.throttle(origins[50], until: now + .seconds(3), status: 503)
        #expect(hosts.entry(for: origins[50], now: now)?.until == now + .seconds(51))
    }
}
