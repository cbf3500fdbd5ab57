import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Each operation without the others.
@Suite("Behaviours: operations alone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AloneTests {
    @Test("A1, A38: one operation, alone: what it presents and what it stores, or that it does neither")
    func completion() async throws {
        // Not known yet, and not served: it has to ask. Then it is known.
        let store = ConfigurationStore(MemoryStore())
        let state = LaunchState(MemoryStore())
        let france = Region(country: "FR", language: "fr")
        for expected in [["region: FR"], []] {
            let person = FakePerson(region: france)
            let operation = FetchConfigurationOperation(
                service: OneCountry(),
                store: store,
                state: state,
                device: Region(country: "AT", language: "de"),
                presenter: person
            )
            let (report, _) = try await runAlone("fetch-config") { launch in try await operation.run(in: launch) }
            #expect(report.outcome == .succeeded && report.isInteractive == !expected.isEmpty)
            #expect(person.shown.withLock { $0 } == expected)
            #expect(state.chosenRegion == .value(france) && store.onTrial?.country == "FR")
        }
    }

    /// Serves France, and nothing else.
    private struct OneCountry: ConfigurationService {
        func countries(by deadline: Deadline) async throws -> [Country] {
            [Country(code: "FR", name: "France", languages: ["fr"])]
        }

        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            AppConfiguration(version: "1", country: region.country, language: region.language)
        }
    }
}
