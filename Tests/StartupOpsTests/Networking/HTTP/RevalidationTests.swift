import Foundation
import Sequencer
import Testing

@testable import StartupOps

@Suite("Asking whether something has changed", .serialized, .timeLimit(.minutes(10)))
struct RevalidationTests {
    private let client = HTTPClient()
    private let cache = ResponseCache(store: MemoryStore())

    private func fetch(_ request: HTTPRequest, scope: String = "") async throws -> HTTPResponse {
        try await client.send(request, revalidating: cache, key: CacheKey(request, scope: scope), deadline: httpPatience)
    }

    private func text(_ response: HTTPResponse?) -> String? { response.map { String(decoding: $0.body, as: UTF8.self) } }

    @Test("fault N15: not modified: the body that was cached, with the headers of now")
    func notModified() async throws {
        let server = try LoopbackServer()
        server.on(
            "/",
            .json("1", headers: ["ETag": "\"a\"", "X-Age": "old", "X-Kept": "yes"]),
            .status(304, headers: ["ETag": "W/\"a\"", "X-Age": "new"]),
            .json("2", headers: ["ETag": "\"b\""]),
            .status(304)
        )
        let request = HTTPRequest(.get, server.url())
        #expect(text(try await fetch(request)) == "1")
        let second = try await fetch(request)
        #expect(second.status == 200)
        #expect(text(second) == "1")
        #expect(second.headers["X-Age"] == "new")
        #expect(second.headers["X-Kept"] == "yes")
        #expect(second.headers["Content-Type"] == "application/json")
        #expect(cache.response(for: CacheKey(request, scope: ""))?.headers["X-Age"] == "new")
        #expect(text(try await fetch(request)) == "2")
        #expect(text(try await fetch(request)) == "2")
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"a\"", "W/\"a\"", "\"b\""])
    }

    @Test("fault N41: not modified, but there is nothing to go back to: asked again, once, in full")
    func lost() async throws {
        let server = try LoopbackServer()
        server.on("/", .status(304), .json("1"))
        let request = HTTPRequest(.get, server.url(), headers: ["If-None-Match": "\"from-elsewhere\""])
        #expect(text(try await fetch(request)) == "1")
        #expect(server.requests.map { $0.headers["if-none-match"] } == ["\"from-elsewhere\"", nil])
        // A server that says it again gets no third chance.
        server.on("/stubborn", .status(304))
        let stubborn = try await fetch(HTTPRequest(.get, server.url("/stubborn")))
        #expect(stubborn.status == 304)
        #expect(server.requests(for: "/stubborn").count == 2)
    }

    @Test("fault N41: a copy that was damaged meanwhile is not asked about")
    func damaged() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("1", headers: ["ETag": "\"a\""]))
        let store = MemoryStore()
        let request = HTTPRequest(.get, server.url())
        let key = CacheKey(request, scope: "")
        let cache = ResponseCache(store: store)
        _ = try await client.send(request, revalidating: cache, key: key, deadline: httpPatience)
        store.write(Data("garbage".utf8), for: StoreKey("response-\(key.name)"))
        _ = try await client.send(request, revalidating: cache, key: key, deadline: httpPatience)
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil])
    }

    @Test("fault N41: not modified since something else: asked again in full")
    func otherTag() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("1", headers: ["ETag": "\"a\""]), .status(304, headers: ["ETag": "\"z\""]), .json("2"))
        let request = HTTPRequest(.get, server.url())
        _ = try await fetch(request)
        #expect(text(try await fetch(request)) == "2")
        #expect(server.requests.count == 3)
    }

    @Test("what says no-store is not stored, neither what is no 200", arguments: ["no-store", "private, No-Store, max-age=0"])
    func noStore(_ value: String) async throws {
        let server = try LoopbackServer()
        server.on("/a", .json("1", headers: ["ETag": "\"a\"", "Cache-Control": value]))
        server.on("/b", .json("1", status: 404, headers: ["ETag": "\"a\""]))
        server.on("/c", .json("1", headers: ["ETag": "\"a\""]))
        for path in ["/a", "/b"] {
            let request = HTTPRequest(.get, server.url(path))
            for _ in 0..<2 { _ = try await fetch(request) }
            #expect(cache.response(for: CacheKey(request, scope: "")) == nil)
        }
        let request = HTTPRequest(.get, server.url("/c"), headers: ["Cache-Control": value])
        _ = try await fetch(request)
        #expect(cache.response(for: CacheKey(request, scope: "")) == nil)
        #expect(server.requests.allSatisfy { $0.headers["if-none-match"] == nil })
    }

    @Test("a POST is cached by its body; what changes something is not cached")
    func methods() async throws {
        let server = try LoopbackServer()
        server.onEveryRequest { .response(headers: ["ETag": "\"a\""], body: $0.body) }
        let requests = ["{1}", "{2}"].map { HTTPRequest(.post, server.url(), body: Data($0.utf8)) }
        for request in requests { _ = try await fetch(request) }
        #expect(requests.map { text(cache.response(for: CacheKey($0, scope: ""))) } == ["{1}", "{2}"])
        for method in [HTTPMethod.put, .patch, .delete] {
            let request = HTTPRequest(method, server.url(), body: Data("x".utf8))
            _ = try await fetch(request)
            #expect(cache.response(for: CacheKey(request, scope: "")) == nil)
        }
    }

    @Test("one user's answer, and its tag, is not another's")
    func scopes() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("1", headers: ["ETag": "\"a\""]))
        for scope in ["1", "2", "1"] { _ = try await fetch(HTTPRequest(.get, server.url()), scope: scope) }
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil, "\"a\""])
    }

    @Test("C37: what goes wrong on the way comes through as it is, and the cache stays")
    func failure() async throws {
        let server = try LoopbackServer()
        server.on("/", .json("1", headers: ["ETag": "\"a\""]), .truncated(declared: 100, body: "2"))
        let request = HTTPRequest(.get, server.url())
        _ = try await fetch(request)
        let error = await #expect(throws: NetworkError.self) { try await fetch(request) }
        #expect(error?.code == .invalidResponse)
        #expect(text(cache.response(for: CacheKey(request, scope: ""))) == "1")
        // The same error as without a cache.
        #expect(await client.failure(request)?.code == error?.code)
    }
}
