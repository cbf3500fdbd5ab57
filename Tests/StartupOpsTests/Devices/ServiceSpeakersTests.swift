import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Speakers that the service knows", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ServiceSpeakersTests {
    private let configured = AppConfiguration.Endpoint(host: "h", port: 1)

    /// Where speakers are looked for, and the notes, when the service answers as `script` says.
    private func scan(_ script: (WireService) -> Void) async throws -> (endpoints: [AppConfiguration.Endpoint], notes: [String]) {
        let service = WireService()
        let harness = try ClientHarness(service.issue(), service: service)
        script(service)
        let (connector, notes) = (LookedFor(), Locked<[String]>([]))
        let speakers = ServiceSpeakers(client: harness.client, connector: connector)
        _ = try await speakers.scan([configured], by: .never) { note in notes.withLock { $0.append(note) } }
        return (connector.asked.withLock { $0 }, notes.withLock { $0 })
    }

    @Test("C24: the service's speakers are looked for as those of the configuration, each once")
    func known() async throws {
        let found = try await scan { service in
            service.next("POST /graphql", #"{"data":{"speakers":[{"host":"h","port":1},{"host":"k","port":2},{"host":"k","port":2}]}}"#)
        }
        #expect(found.endpoints == [configured, AppConfiguration.Endpoint(host: "k", port: 2)])
        #expect(found.notes.isEmpty)
    }

    @Test("A26: a service that does not answer knows of none, and that is noted")
    func silent() async throws {
        let found = try await scan { $0.next("POST /graphql", fails: .unreachable) }
        #expect(found.endpoints == [configured])
        #expect(found.notes.count == 1 && found.notes.first?.contains("could not say which speakers there are") == true)
    }
}
