import Foundation
import Sequencer
import StartupNetworking
import StartupSamples
import StartupStorage
import TestSupport
import Testing

/// The sample service without a socket.
@Suite("Embedded backend", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EmbeddedBackendTests {
    private let path = "/v1/configuration?country=DE&language=de"

    @Test("several backends at once keep apart; none answers for another host")
    func severalBackends() async throws {
        let backends = (0..<4).map { _ in EmbeddedBackend(latency: .none) }
        #expect(Set(backends.map(\.baseURL)).count == 4)
        for (index, backend) in backends.enumerated() {
            let client = SampleClient(backend)
            for _ in 0...index { _ = try await client.send(.get, "/v1/countries") }
        }
        #expect(backends.map { $0.service.counts["GET /v1/countries"] } == [1, 2, 3, 4])
        let elsewhere = HTTPRequest(.get, backends[1].baseURL.appending(path: "v1/countries"))
        let error = await #expect(throws: NetworkError.self) { try await backends[0].send(elsewhere, deadline: .never) }
        #expect(error?.code == .unreachable)
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

    @Test("answers take the time that is set for their path, each on its own")
    func latency() async throws {
        let latency = EmbeddedLatency(other: 0, paths: ["/v1/countries": 3_600_000])
        let client = SampleClient(EmbeddedBackend(latency: latency))
        let ended = Locked(false)
        let slow = Task {
            defer { ended.withLock { $0 = true } }
            return try await client.send(.get, "/v1/countries")
        }
        #expect(try await client.send(.get, path).status == 200)
        #expect(!ended.withLock { $0 })
        slow.cancel()
        await #expect(throws: NetworkError.self) { try await slow.value }

        #expect(EmbeddedLatency.typical.duration(of: "/v1/devices/abc") == .milliseconds(70))
        #expect(EmbeddedLatency.typical.duration(of: "/v1/version-policy") == .milliseconds(120))
        #expect(EmbeddedLatency.typical.duration(of: "/elsewhere") == .milliseconds(60))
    }

    @Test("a request that waits or hangs ends when it is cancelled, and at its deadline", arguments: ["hang", "drip", "slow:3600s"])
    func ending(_ fault: String) async throws {
        let service = SampleService()
        service.setFault(try SampleFault(parsing: fault), for: "/v1/configuration")
        let client = SampleClient(EmbeddedBackend(service, latency: .none))
        let late = await #expect(throws: NetworkError.self) {
            try await client.send(client.request(.get, path), deadline: .after(.milliseconds(1)))
        }
        #expect(late?.code == .timedOut)
        let waiting = Task { try await client.send(.get, path) }
        await eventually { service.counts.values.reduce(0, +) == 2 }
        waiting.cancel()
        let cancelled = await #expect(throws: NetworkError.self) { try await waiting.value }
        #expect(cancelled?.code == .cancelled)
    }

    @Test("faults: what can be done without a socket is done")
    func faults() async throws {
        let service = SampleService()
        let client = SampleClient(EmbeddedBackend(service, latency: .none))
        func send(_ fault: String) async throws -> HTTPResponse {
            service.setFault(try SampleFault(parsing: fault), for: "/v1/configuration", times: 1)
            return try await client.send(.get, path)
        }
        let failures: [(String, NetworkError.Code)] = [
            ("reset", .unreachable), ("truncated", .invalidResponse), ("plaintext", .invalidResponse),
            ("gzip-bomb:200MB", .invalidResponse),
        ]
        for (fault, code) in failures {
            let error = await #expect(throws: NetworkError.self) { try await send(fault) }
            #expect(error?.code == code, "\(fault)")
        }
        #expect(try await client.send(.get, path).status == 200)
    }
}
