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
}
