import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking

// Real: what it is about are the threads and the sockets of libcurl.
@Suite("Bursts of requests", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBurstTests {
    /// `BURSTS`, as in each night; a line that loses a request does so in one of some hundreds.
    private static let bursts = ProcessInfo.processInfo.environment["BURSTS"].flatMap { Int($0) } ?? 1

    @Test("of fifty requests at once, all are answered, and none waits while the server is idle", arguments: TransportKind.allCases)
    func fifty(_ kind: TransportKind) async throws {
        let transport = kind.make()
        let server = try LoopbackServer()
        server.on("/", .json("{}"))
        for burst in 1...Self.bursts {
            let failures = await withTaskGroup(of: NetworkError?.self) { group in
                for _ in 0..<50 { group.addTask { await transport.failure(HTTPRequest(.get, server.url())) } }
                var failures: [NetworkError] = []
                for await case let failure? in group { failures.append(failure) }
                return failures
            }
            // One that was left behind has never arrived.
            #expect(failures.isEmpty, "burst \(burst), \(server.requests.count) requests arrived: \(failures)")
            if !failures.isEmpty { return }
        }
        #expect(server.requests.count == 50 * Self.bursts)
    }

    @Test("requests that hang keep neither a token nor, for long, another request from a host", arguments: TransportKind.allCases)
    func hanging(_ kind: TransportKind) async throws {
        let server = try LoopbackServer()
        server.on("/hang", .hang)
        server.on("/", .json("{}"))
        server.on("/oauth/token", .json(#"{"access_token":"a"}"#))
        for slowAfter in [Duration.seconds(3_600), .milliseconds(1)] {
            var options = TransportOptions()
            options.slowAfter = slowAfter
            let transport = kind.make(options)
            let before = server.requests.count
            let hanging = (0..<6).map { _ in Task { await transport.failure(HTTPRequest(.get, server.url("/hang"))) } }
            await server.waitForRequests(before + 6)
            if slowAfter > .seconds(1) {
                let endpoint = TokenEndpoint(url: server.url("/oauth/token"), http: transport)
                _ = try await endpoint.session(username: "a", password: "b", deadline: httpPatience)
                let late = await transport.failure(HTTPRequest(.get, server.url()), deadline: .after(.milliseconds(100)))
                #expect(late?.code == .timedOut)
                #expect(late?.reason.hasPrefix("it was not sent within ") == true, "\(late?.reason ?? "")")
            } else {
                #expect(try await transport.send(HTTPRequest(.get, server.url()), deadline: httpPatience).status == 200)
            }
            hanging.forEach { $0.cancel() }
            for task in hanging { #expect(await task.value?.code == .cancelled) }
        }
    }
}
