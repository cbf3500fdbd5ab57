import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("One attempt of a request", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTransportTests {
    @Test(
        "F9: method, address, headers and a body of any kind arrive as they are; status, headers and body come back",
        arguments: TransportKind.allCases
    )
    func roundTrip(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/v1/things", .json(#"{"a":1}"#, status: 201, headers: ["X-Answer": "yes"]))
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let request = HTTPRequest(.put, server.url("/v1/things?a=b%20c"), headers: ["X-Test": "ä, b", "Content-Type": "x/y"], body: body)
        let response = try await transport.send(request, deadline: httpPatience)
        #expect(response.status == 201)
        #expect(response.headers["x-answer"] == "yes")
        #expect(String(decoding: response.body, as: UTF8.self) == #"{"a":1}"#)
        let arrived = try #require(server.requests.first)
        #expect(arrived.method == "PUT")
        #expect(arrived.target == "/v1/things?a=b%20c")
        #expect(arrived.headers["x-test"] == "ä, b")
        #expect(arrived.headers["content-type"] == "x/y")
        #expect(arrived.body == body)
        #expect(server.requests.count == 1)
    }

    @Test("fault T23: who prints a client that waits for an answer sees nothing of its request", arguments: TransportKind.allCases)
    func dumpedWhileWaiting(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let client = quickClient(over: transport)
        let server = try LoopbackServer()
        server.on("/", .hang)
        let request = HTTPRequest(.get, server.url("/?code=c4nary-query"), headers: ["Authorization": "Bearer c4nary-token"])
        let waiting = Task { await client.failure(request) }
        await server.waitForRequests(1)
        for value in [client, transport] as [Any] {
            var text = String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains("c4nary"), "\(text.prefix(2000))")
        }
        waiting.cancel()
        #expect(await waiting.value?.code == .cancelled)
    }

    @Test("fault N1: nobody listens", arguments: TransportKind.allCases)
    func refused(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let (socket, port) = try LoopbackSocket.bound()
        defer { close(socket) }
        let error = try #require(await transport.failure(HTTPRequest(.get, webAddress("http://127.0.0.1:\(port)/a?secret=1"))))
        #expect(error.code == .unreachable)
        #expect(error.description == "GET 127.0.0.1:\(port)/a: connection refused by 127.0.0.1:\(port)")
        #expect((error.underlying as? URLError)?.code == .cannotConnectToHost)
    }

    @Test("fault N2: there is no such host", arguments: TransportKind.allCases)
    func unknownHost(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let error = try #require(await transport.failure(HTTPRequest(.get, webAddress("https://host.invalid/"))))
        #expect(error.code == .unreachable)
        #expect(error.reason == "there is no host named host.invalid")
    }

    @Test(
        "fault N4, N5, N6: whoever does not answer, or not to the end, meets the deadline, also one under a second",
        arguments: TransportKind.allCases
    )
    func deadline(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/hang", .hang)
        server.on("/drip", .drip(every: .milliseconds(50)))
        try await atOnce(["/hang", "/drip"]) { path in
            let error = await transport.failure(HTTPRequest(.get, server.url(path)), deadline: .after(.milliseconds(500)))
            #expect(error?.code == .timedOut, "\(path)")
        }
        // Half a second is not "at once": there is time for an answer.
        server.on("/answer", .json("{}"))
        #expect(try await transport.send(HTTPRequest(.get, server.url("/answer")), deadline: .after(.seconds(100.5))).status == 200)
        let over = await transport.failure(HTTPRequest(.get, server.url("/hang")), deadline: .after(.zero))
        #expect(over?.code == .timedOut)
    }

    @Test(
        "fault N7: an answer that is cut off is no answer, whether its end was declared by length or by chunk",
        arguments: TransportKind.allCases
    )
    func truncated(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/length", .truncated(declared: 1000, body: "abc"))
        server.on("/chunk", .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc"))
        let length = await transport.failure(HTTPRequest(.get, server.url("/length")))
        #expect(length?.code == .invalidResponse)
        #expect(length?.reason.contains("after 3 of 1000 bytes") == true, "\(length?.reason ?? "")")
        #expect(await transport.failure(HTTPRequest(.get, server.url("/chunk")))?.code == .invalidResponse)
    }

    @Test("a packed answer is not held against its declared length; one to HEAD has none", arguments: TransportKind.allCases)
    func lengths(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/packed", .gzip("12345678"))
        server.on("/head", .raw("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"))
        let packed = try await transport.send(HTTPRequest(.get, server.url("/packed")), deadline: httpPatience)
        #expect(String(decoding: packed.body, as: UTF8.self) == "12345678")
        #expect(try await transport.send(HTTPRequest(.head, server.url("/head")), deadline: httpPatience).body.isEmpty)
    }

    @Test("fault N8: a connection that is reset in the middle, or before, was lost", arguments: TransportKind.allCases)
    func reset(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/middle", .resetAfter(declared: 1000, body: "abc"))
        server.on("/before", .reset)
        server.on("/close", .close)
        for path in ["/middle", "/before", "/close"] {
            let error = await transport.failure(HTTPRequest(.get, server.url(path)))
            #expect(error?.code == .unreachable, "\(path): \(error?.description ?? "")")
            #expect(error?.isTransient == true)
        }
    }

    @Test(
        "what is no HTTP is refused",
        arguments: TransportKind.allCases,
        ["\u{0}nonsense\r\n\r\n", "HTTP/1.1 99 x\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"]
    )
    func garbage(_ kind: TransportKind, _ text: String) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/", .raw(text))
        #expect(await transport.failure(HTTPRequest(.get, server.url()))?.code == .invalidResponse)
    }

    @Test(
        "fault N14: an answer over the limit is refused, declared or not, packed or not, and not read to its end",
        arguments: TransportKind.allCases
    )
    func tooLarge(_ kind: TransportKind) async throws {
        var options = TransportOptions()
        options.maximumBodySize = 1 << 20
        let transport = kind.make(options)
        let server = try LoopbackServer()
        // More than anybody reads while the connection is on its way to be closed.
        server.on("/declared", .big(1 << 40, isDeclared: true))
        server.on("/chunks", .big(1 << 40, isDeclared: false))
        server.on("/packed", .gzipBomb(200 << 20))
        server.on("/fits", .big(1 << 20, isDeclared: false))
        for path in ["/declared", "/chunks", "/packed"] {
            let error = await transport.failure(HTTPRequest(.get, server.url(path)))
            #expect(error?.code == .invalidResponse)
            #expect(error?.reason.contains("1048576") == true)
        }
        #expect(try await transport.send(HTTPRequest(.get, server.url("/fits")), deadline: httpPatience).body.count == 1 << 20)
        #expect(server.bytesSent < 1 << 40)
    }

    @Test(
        "fault N19: a 401 that asks for a name and a password is a 401",
        arguments: TransportKind.allCases,
        ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer"]
    )
    func challenge(_ kind: TransportKind, _ value: String) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/", .response(401, headers: ["WWW-Authenticate": value], body: Data("no".utf8)))
        let response = try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
        #expect(response.status == 401)
        #expect(response.headers["WWW-Authenticate"] == value)
        #expect(String(decoding: response.body, as: UTF8.self) == "no")
        #expect(server.requests.count == 1)
    }

    @Test("fault N32: TLS with whom does not speak it, and the other way round", arguments: TransportKind.allCases)
    func protocols(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        let plain = await transport.failure(HTTPRequest(.get, server.url(scheme: "https")))
        #expect(plain?.code == .untrusted)
        #expect(server.requests.isEmpty)
        // What a TLS server says to what is no handshake: a fatal alert, "unexpected message".
        server.on("/", Self.alert)
        #expect(await transport.failure(HTTPRequest(.get, server.url()))?.code == .invalidResponse)
        // And one that waits for the rest of the handshake.
        let silent = try LoopbackServer()
        silent.onEveryRequest { _ in .hang }
        #expect(await transport.failure(HTTPRequest(.get, silent.url()), deadline: .after(.milliseconds(300)))?.code == .timedOut)
    }

    private static let alert = LoopbackServer.Answer(steps: [.send(Data([0x15, 3, 1, 0, 2, 2, 10])), .close])

    @Test("fault N35: requests to one host share 6 connections, or as many as are allowed", arguments: TransportKind.allCases, [6, 12])
    func parallel(_ kind: TransportKind, _ limit: Int) async throws {
        var options = TransportOptions()
        options.connectionsPerHost = limit
        options.slowAfter = .seconds(3_600)
        let transport = kind.make(options)
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.on("/", .json("{}").after(gate))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<12 { group.addTask { try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience).status } }
            await server.waitForRequests(limit)
            #expect(server.requests.count == limit)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.requests.count == 12)
        #expect(Set(server.requests.map(\.connection)).count <= limit)
    }

    @Test("fault N38: cookies are neither kept nor sent", arguments: TransportKind.allCases)
    func cookies(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/", .json("{}", headers: ["Set-Cookie": "session=secret; Path=/"]))
        for _ in 0..<2 { _ = try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience) }
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, nil])
    }

    @Test("C54: answers do not come on the main thread, and the main actor is free meanwhile", arguments: TransportKind.allCases)
    @MainActor func threads(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.on("/", .status(503).after(gate), .json("{}"))
        let tellsOnMain = Locked<Set<Bool>>([])
        let client = quickClient(over: transport) { _ in
            tellsOnMain.withLock { _ = $0.insert(MainThreadCheck.isCurrent) }
        }
        async let answer = client.send(HTTPRequest(.get, server.url()), deadline: httpPatience)
        await server.waitForRequests(1)
        // It is under way; this runs on the main actor.
        await Task { @MainActor in gate.open() }.value
        #expect(try await answer.status == 200)
        #expect(tellsOnMain.withLock { $0 } == [false])
    }

    #if os(Linux)
        @Test("requests are sent by libcurl")
        func choice() { #expect(SystemTransport(TransportOptions()).engine is CurlLoop) }
    #endif

    @Test("a transport that is let go of answers what it was asked", arguments: TransportKind.allCases)
    func lifetime(_ kind: TransportKind) async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.on("/", .json("{}").after(gate))
        let answer = Task { [url = server.url()] in
            try await kind.make().send(HTTPRequest(.get, url), deadline: httpPatience).status
        }
        await server.waitForRequests(1)
        gate.open()
        #expect(try await answer.value == 200)
    }
}
