import Foundation
import Sequencer
import StartupNetworking
import StartupSamples
import StartupStorage
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The sample service behind `URLSession`, without a socket.
@Suite("Embedded backend", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EmbeddedBackendTests {
    private let path = "/v1/configuration?country=DE&language=de"

    @Test("answers arrive as the service gives them, bodies and header fields of requests with them")
    func answers() async throws {
        let backend = EmbeddedBackend(SampleService(), latency: .none)
        let client = SampleClient(backend)
        let configuration = try await client.send(.get, path)
        #expect(configuration.status == 200)
        #expect(configuration.headers["Content-Type"] == "application/json")
        #expect(configuration.object["country"] as? String == "DE")
        let tag = try #require(configuration.headers["ETag"])
        let again = try await client.send(.get, path, headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)

        let tokens = try await client.send(.post, "/oauth/token", body: SampleBodies.password)
        let token = try #require(tokens.object["access_token"] as? String)
        #expect(try await client.send(.get, "/v1/profile", token: token).object["name"] as? String == "person")
        #expect(try await client.send(.get, "/v1/profile").status == 401)
        #expect(backend.service.counts["GET /v1/profile"] == 2)
    }

    @Test("several backends at once keep apart; one that is gone is a host that does not exist")
    func severalBackends() async throws {
        var backends = (0..<4).map { _ in EmbeddedBackend(latency: .none) }
        #expect(Set(backends.map(\.baseURL)).count == 4)
        for (index, backend) in backends.enumerated() {
            let client = SampleClient(backend)
            for _ in 0...index { _ = try await client.send(.get, "/v1/countries") }
        }
        #expect(backends.map { $0.service.counts["GET /v1/countries"] } == [1, 2, 3, 4])

        let gone = backends.removeLast()
        let (url, classes) = (gone.baseURL, gone.protocolClasses)
        _ = consume gone
        let error = await #expect(throws: URLError.self) {
            try await SampleClient(url, protocolClasses: classes + [NoNetwork.self]).send(.get, "/v1/countries")
        }
        #expect(error?.code == .cannotFindHost)
    }

    @Test(
        "a service at an address that was damaged in its store, or planted there, gets another one and keeps its accounts",
        arguments: [
            "", "sample-.invalid", "sample-a b.invalid", "sample-a/../b.invalid", "api.example.com", "sample-é.invalid", "[",
            "sample-a:1.invalid",
        ]
    )
    func plantedHost(_ host: String) async throws {
        let store = MemoryStore()
        let key: StoreKey = "sample-service"
        let account = Data(#"{"email": "ada@example.com", "password": "x"}"#.utf8)
        let url = try #require(URL(string: "https://sample.invalid/v1/accounts"))
        #expect(SampleService(store: store).answer(HTTPRequest(.post, url, body: account)).response?.status == 201)
        let data = try #require(store.read(key).value)
        var memory = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let original = try #require(memory["host"] as? String)
        #expect(EmbeddedBackend(SampleService(store: store)).baseURL.host() == original)
        memory["host"] = host
        store.write(try JSONSerialization.data(withJSONObject: memory), for: key)
        let backend = EmbeddedBackend(SampleService(store: store), latency: .none)
        #expect(backend.baseURL.absoluteString.wholeMatch(of: /https:\/\/sample-[a-z0-9]+\.invalid/) != nil)
        #expect(backend.service.answer(HTTPRequest(.post, url, body: account)).response?.status == 409)
    }

    /// Stands in for the network, so that a test never asks a name server.
    private final class NoNetwork: URLProtocol {
        override class func canInit(with request: URLRequest) -> Bool { true }
        override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
        override func startLoading() { client?.urlProtocol(self, didFailWithError: URLError(.cannotFindHost)) }
        override func stopLoading() {}
    }

    @Test("answers take the time that is set for their path, each on its own")
    func latency() async throws {
        let latency = EmbeddedLatency(other: .zero, paths: ["/v1/countries": .seconds(3600)])
        let client = SampleClient(EmbeddedBackend(latency: latency))
        let ended = Locked<[String]>([])
        let slow = client.start(client.request(.get, "/v1/countries")) { _ in ended.withLock { $0.append("countries") } }
        #expect(try await client.send(.get, path).status == 200)
        #expect(ended.withLock { $0 }.isEmpty)
        slow.cancel()

        #expect(EmbeddedLatency.typical.duration(of: "/v1/devices/abc") == .milliseconds(70))
        #expect(EmbeddedLatency.typical.duration(of: "/v1/version-policy") == .milliseconds(120))
        #expect(EmbeddedLatency.typical.duration(of: "/elsewhere") == .milliseconds(60))
    }

    @Test("a request that is cancelled ends as cancelled, whether it waits or hangs", arguments: ["hang", "drip", "slow:3600s"])
    func cancelling(_ fault: String) async throws {
        let service = SampleService()
        service.setFault(try SampleFault(parsing: fault), for: "/v1/configuration")
        let client = SampleClient(EmbeddedBackend(service, latency: .none))
        let task = Locked<URLSessionTask?>(nil)
        let error = await #expect(throws: URLError.self) {
            try await withCheckedThrowingContinuation { continuation in
                let started = client.start(client.request(.get, path)) { continuation.resume(with: $0) }
                task.withLock { $0 = started }
                Thread.detachNewThread {
                    while service.counts.isEmpty { sched_yield() }
                    started.cancel()
                }
            }
        }
        #expect(error?.code == .cancelled)
    }

    @Test("a request that is suspended goes on when it is resumed, and is sent once")
    func suspending() async throws {
        let backend = EmbeddedBackend(latency: EmbeddedLatency(other: .milliseconds(20)))
        let client = SampleClient(backend)
        let status = try await withCheckedThrowingContinuation { continuation in
            let task = client.start(client.request(.get, path)) { continuation.resume(with: $0) }
            for _ in 0..<5 {
                task.suspend()
                task.resume()
            }
        }.status
        #expect(status == 200)
        #expect(backend.service.counts == ["GET /v1/configuration": 1])
    }

    @Test("faults: what can be done without a socket is done")
    func faults() async throws {
        let service = SampleService()
        let client = SampleClient(EmbeddedBackend(service, latency: .none))
        func send(_ fault: String) async throws -> HTTPResponse {
            service.setFault(try SampleFault(parsing: fault), for: "/v1/configuration", times: 1)
            return try await client.send(.get, path)
        }
        #expect(try await send("status:500").status == 500)
        #expect(try await send("status:503;retry-after=2").headers["Retry-After"] == "2")
        #expect(try await send("html").headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(try await send("empty").body.isEmpty)
        #expect(try await send("null").text == "null")
        #expect(try await send("garbage").body.first == 0x9f)
        #expect(try await send("slow:50ms").status == 200)
        #expect(try await send("header:Set-Cookie=a=b").headers["Set-Cookie"] == "a=b")
        #expect(try await send("redirect:http://127.0.0.1:1/").status == 302)
        for (fault, code) in [
            ("reset", URLError.Code.networkConnectionLost), ("truncated", .networkConnectionLost), ("plaintext", .badServerResponse),
        ] {
            let error = await #expect(throws: URLError.self) { try await send(fault) }
            #expect(error?.code == code, "\(fault)")
        }
        #expect(try await client.send(.get, path).status == 200)
    }

    @Test("faults: a large body arrives in pieces")
    func largeBody() async throws {
        let service = SampleService()
        service.setFault(.big(2_500_000), for: "/v1/configuration")
        let backend = EmbeddedBackend(service, latency: .none)
        let received = PieceCounter()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = backend.protocolClasses
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: received, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        let sizes = await received.pieces(of: session.dataTask(with: backend.baseURL.appending(path: "v1/configuration")))
        #expect(sizes == [1_000_000, 1_000_000, 500_000])
    }

    @Test("cancelling races answering: every request ends once", arguments: [1, 4, 16])
    func cancelRaces(_ width: Int) async throws {
        let client = SampleClient(EmbeddedBackend(latency: .none))
        let request = client.request(.get, path)
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<width {
                group.addTask {
                    for round in 0..<(2000 / width) {
                        await callback { done in
                            let task = client.start(request) { _ in done() }
                            for _ in 0..<((round &* 7 &+ lane) % 40) { sched_yield() }
                            task.cancel()
                        }
                    }
                }
            }
        }
        #expect(try await client.send(.get, path).status == 200)
    }
}

/// Collects the sizes of what one task receives.
private final class PieceCounter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    // @unchecked: the state is in a lock.
    private struct State {
        var sizes: [Int] = []
        var tell: (@Sendable ([Int]) -> Void)?
    }

    private let state = Locked(State())

    func pieces(of task: URLSessionDataTask) async -> [Int] {
        await callback(orElse: []) { tell in
            state.withLock { $0.tell = tell }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.sizes.append(data.count) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (sizes, tell) = state.withLock { ($0.sizes, $0.tell) }
        tell?(sizes)
    }
}
