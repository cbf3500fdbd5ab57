import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Uploads", .serialized, .timeLimit(.minutes(30)), .real)
struct RealUploadTests {
    private let server: LoopbackServer
    private let client: APIClient
    private let tokens: TokenManager
    private let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0xFF, 0xFE])

    init() throws {
        server = try LoopbackServer()
        tokens = TokenManager(store: SessionStore(MemoryStore(), of: server.url())) { _, _ in
            Session(accessToken: "new", refreshToken: "r-2", expiresAt: .distantFuture)
        }
        client = APIClient(
            APIEnvironment(graphQL: server.url("/graphql"), rest: server.url()),
            client: ClientHarness.info,
            http: quickClient(),
            cache: ResponseCache(store: MemoryStore()),
            tokens: tokens
        )
    }

    private func logIn() {
        tokens.begin(Session(accessToken: "old", refreshToken: "r-1", userID: "u1", expiresAt: .distantFuture))
    }

    @Test("F10: bytes go as they are, with their content type and the session's token; the answer is decoded, or ignored")
    func sends() async throws {
        server.on("/v1/pictures", .json(#"{"id":"p1"}"#, status: 201))
        server.on("/v1/pictures/p1", .status(204))
        logIn()
        let id: [String: String] = try await client.send(
            .post,
            "v1/pictures",
            query: ["album": "a b"],
            body: picture,
            contentType: "image/png",
            deadline: httpPatience
        )
        #expect(id == ["id": "p1"])
        try await client.send(.put, "v1/pictures/p1", body: picture, contentType: "image/png", deadline: httpPatience)
        #expect(server.requests.map(\.method) == ["POST", "PUT"])
        #expect(server.requests.map(\.target) == ["/v1/pictures?album=a%20b", "/v1/pictures/p1"])
        for request in server.requests {
            #expect(request.body == picture && request.headers["content-type"] == "image/png")
            #expect(request.headers["authorization"] == "Bearer old" && request.headers["x-sequencer-user-id"] == "u1")
        }
    }

    @Test("F9: a text goes as it is where it is said to be one")
    func plainText() async throws {
        server.on("/v1/notes", .status(204))
        logIn()
        try await client.send(.post, "v1/notes", body: #"a "b""#, contentType: "text/plain; charset=utf-8", deadline: httpPatience)
        #expect(server.requests.map(\.body) == [Data(#"a "b""#.utf8)])
    }

    @Test("F10: turned down with an old token, the bytes are sent once more with a new one", arguments: [HTTPMethod.put, .post])
    func turnedDown(_ method: HTTPMethod) async throws {
        server.on("/v1/pictures/p1", .status(401), .status(204))
        logIn()
        try await client.send(method, "v1/pictures/p1", body: picture, contentType: "image/png", deadline: httpPatience)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer old", "Bearer new"])
        #expect(server.requests.allSatisfy { $0.body == picture && $0.headers["content-type"] == "image/png" })
    }

    @Test(
        "F10, fault N36: a content type that is none, or that would begin another field, is refused; nothing is sent",
        arguments: [
            "", " ", "png", "/", "image/", "/png", "image/png/x", "image /png", "image/png\r\nX-Evil: 1", "image/png\n", "image/\0",
        ]
    )
    func contentType(_ text: String) async throws {
        logIn()
        let error = await failure { () throws(NetworkError) in
            try await client.send(.put, "v1/pictures/p1", body: picture, contentType: text, deadline: httpPatience)
        }
        #expect(error?.code == .invalidRequest && error?.reason.contains("content type") == true)
        #expect(server.requests.isEmpty)
    }
}
