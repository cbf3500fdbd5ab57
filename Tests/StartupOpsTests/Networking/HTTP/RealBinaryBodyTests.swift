import Foundation
import TestSupport
import Testing

@testable import StartupNetworking

@Suite("Bodies that are not JSON", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBinaryBodyTests {
    @Test("F9: a body of any kind is sent as it is, with the content type that is said, and answered as any other")
    func picture() async throws {
        let server = try LoopbackServer()
        server.on("/v1/pictures", .json(#"{"id":"p1"}"#, status: 201))
        let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF, 0xFE])
        let request = HTTPRequest(.post, server.url("/v1/pictures"), headers: ["Content-Type": "image/png"], body: picture)
        let response = try await quickClient().send(request, deadline: httpPatience)
        #expect(response.status == 201)
        #expect(try response.decoded([String: String].self, for: request) == ["id": "p1"])
        let arrived = try #require(server.requests.first)
        #expect(arrived.headers["content-type"] == "image/png" && arrived.body == picture)
    }
}
