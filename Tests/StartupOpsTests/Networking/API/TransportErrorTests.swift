import Foundation
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps

@Suite("Errors of the network", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TransportErrorTests {
    @Test(
        "C37: a network that fails is the same error for both transports",
        arguments: [NetworkError.Code.unreachable, .untrusted, .timedOut, .cancelled]
    )
    func sameError(code: NetworkError.Code) async throws {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        service.next("POST /graphql", fails: code)
        service.next("GET /v1/countries", fails: code)
        let viaGraphQL = await failure { () throws(NetworkError) in
            _ = try await harness.client.query(.speakers, as: [NamedSpeaker].self, deadline: .never)
        }
        let viaREST = await failure { () throws(NetworkError) in
            _ = try await harness.client.get("v1/countries", as: [Country].self, deadline: .never)
        }
        #expect(viaGraphQL?.code == code && viaREST?.code == code)
        #expect(viaGraphQL?.reason == viaREST?.reason)
    }
}
