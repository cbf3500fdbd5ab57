import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

/// What a failing network looks like through the client, over real sockets.
@Suite("Errors of a real network", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTransportErrorTests {
    /// What becomes of a request.
    enum Fate: CaseIterable {
        case refused, reset, unanswered, cancelled

        var code: NetworkError.Code {
            switch self {
            case .refused, .reset: .unreachable
            case .unanswered: .timedOut
            case .cancelled: .cancelled
            }
        }
    }

    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func client(at base: URL) throws -> APIClient {
        let tokens = TokenManager(store: SessionStore(MemoryStore(), of: base)) { _, _ in
            Session(accessToken: "new", refreshToken: "r-2", expiresAt: .distantFuture)
        }
        let graphQL = try webAddress("\(base)graphql")
        return APIClient(
            APIEnvironment(graphQL: graphQL, rest: base),
            client: ClientHarness.info,
            http: quickClient(),
            cache: ResponseCache(store: MemoryStore()),
            tokens: tokens,
            guestOperations: ["Speakers", "GET v1/speakers"]
        )
    }

    /// The error of a request, which is cancelled when it has arrived if that is its fate.
    private func send(
        to fate: Fate,
        arrivals: Int,
        _ request: @escaping @Sendable () async throws(NetworkError) -> Void
    ) async -> NetworkError? {
        let sending = Task { await failure(request) }
        if fate == .cancelled {
            await server.waitForRequests(arrivals)
            sending.cancel()
        }
        return await sending.value
    }

    @Test(
        "C37: a connection that is refused, cut, never answered or given up is the same error for both transports",
        arguments: Fate.allCases
    )
    func sameError(_ fate: Fate) async throws {
        let (socket, closedPort) = try LoopbackSocket.bound()
        defer { close(socket) }
        for path in ["/graphql", "/v1/speakers"] { server.on(path, fate == .reset ? .reset : .hang) }
        let client = try client(at: fate == .refused ? webAddress("http://127.0.0.1:\(closedPort)/") : server.url())
        let deadline: Deadline = fate == .unanswered ? .after(.milliseconds(500)) : httpPatience

        let viaGraphQL = await send(to: fate, arrivals: 1) { () throws(NetworkError) in
            _ = try await client.query(.speakers, as: [NamedSpeaker].self, deadline: deadline)
        }
        let viaREST = await send(to: fate, arrivals: 2) { () throws(NetworkError) in
            _ = try await client.get("v1/speakers", as: [NamedSpeaker].self, deadline: deadline)
        }
        for error in [viaGraphQL, viaREST] { #expect(error?.code == fate.code, "\(error?.description ?? "no error")") }
        #expect(viaGraphQL?.isTransient == viaREST?.isTransient)
    }
}
