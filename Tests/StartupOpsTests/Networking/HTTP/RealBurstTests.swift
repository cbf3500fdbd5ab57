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
}
