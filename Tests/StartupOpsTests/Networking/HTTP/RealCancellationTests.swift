import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupStorage

@Suite("Cancelling requests", .serialized, .timeLimit(.minutes(30)), .real)
struct RealCancellationTests {
    @Test("a request that is cancelled ends at once; one that was cancelled before is not sent")
    func cancel() async throws {
        let server = try LoopbackServer()
        server.on("/", .hang)
        let client = HTTPClient()
        let url = server.url()
        let running = Task { await client.failure(HTTPRequest(.get, url)) }
        await server.waitForRequests(1)
        running.cancel()
        #expect(await running.value?.code == .cancelled)
        let early = Task {
            while !Task.isCancelled { await Task.yield() }
            return await client.failure(HTTPRequest(.get, url))
        }
        early.cancel()
        #expect(await early.value?.code == .cancelled)
        #expect(server.requests.count == 1)
    }

    @Test("fault N33: the answer to a request that was cancelled reaches nobody, and no cache")
    func late() async throws {
        let server = try LoopbackServer()
        let gate = LoopbackGate()
        server.on("/", .json("\"old\"", headers: ["ETag": "\"1\""]).after(gate), .json("\"new\""))
        let cache = ResponseCache(store: MemoryStore())
        let client = APIClient(
            APIEnvironment(graphQL: server.url("/graphql"), rest: server.url()),
            client: ClientInfo(deviceID: "device", platform: "linux", appVersion: "1.0"),
            http: HTTPClient(),
            cache: cache,
            tokens: TokenManager(store: SessionStore(MemoryStore(), of: server.url()), refresh: { session, _ in session })
        )
        let options = RequestOptions(requirement: .optional)
        let old = Task { try await client.get("", as: String.self, options: options, deadline: httpPatience) }
        await server.waitForRequests(1)
        old.cancel()
        await #expect(throws: NetworkError.self) { try await old.value }
        gate.open()
        let kept = RequestOptions(requirement: .optional, cachePolicy: .returnCacheDataDontFetch)
        await #expect(throws: NetworkError.self) { try await client.get("", as: String.self, options: kept, deadline: httpPatience) }
        #expect(try await client.get("", as: String.self, options: options, deadline: httpPatience) == "new")
    }

    @Test("a pause between two attempts ends when the request is cancelled")
    func cancelledPause() async throws {
        let server = try LoopbackServer()
        server.on("/", .status(503, headers: ["Retry-After": "3600"]))
        let (pauses, continuation) = AsyncStream.makeStream(of: Duration.self)
        var configuration = HTTPClient.Configuration()
        configuration.pause = { duration in
            continuation.yield(duration)
            try await DeadlineTimer.sleep(for: duration)
        }
        let client = HTTPClient(configuration)
        let request = HTTPRequest(.get, server.url())
        let task = Task { await client.failure(request, deadline: .never) }
        for await _ in pauses { break }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    /// Cancelling meets every point of a request's way: before it is sent, while a connection is made, with the answer, with a redirection.
    @Test(
        "fault N34: many requests are cancelled as their answers arrive, and each ends once",
        arguments: TransportKind.allCases,
        Nightly.isNight ? [1, 4, 16] : [16]
    )
    func races(_ kind: TransportKind, _ width: Int) async throws {
        let server = try LoopbackServer()
        server.on("/", .json("{}"))
        server.on("/moved", .redirect(307, to: "/"))
        server.on("/login", .basicChallenge())
        let transport = kind.make()
        let urls = ["/", "/moved", "/login"].map { server.url($0) }
        let outcomes = await withTaskGroup(of: [String].self) { group in
            for lane in 0..<width {
                group.addTask {
                    var outcomes: [String] = []
                    for round in 0..<(Nightly.times(day: 320, night: 1_800) / width) {
                        let request = HTTPRequest(.get, urls[round % urls.count])
                        let task = Task { await transport.failure(request).map { "\($0.code)" } ?? "answered" }
                        // Some are left alone, so that connections stay open; some are cancelled when they should be answered.
                        let yields = (round * 7 + lane * 13) % 60 * (round % 4 == 1 ? 40 : 1)
                        for _ in 0..<yields { await Task.yield() }
                        if round % 4 != 0 { task.cancel() }
                        outcomes.append(await task.value)
                    }
                    return outcomes
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count == Nightly.times(day: 320, night: 1_800) / width * width)
        #expect(Set(outcomes).isSubset(of: ["answered", "cancelled"]), "\(Set(outcomes))")
        #expect(outcomes.filter { $0 == "answered" }.count >= outcomes.count / 4)
        #expect(outcomes.contains("cancelled"))
        // And it works as before.
        #expect(try await transport.send(HTTPRequest(.get, urls[0]), deadline: httpPatience).status == 200)
    }
}
