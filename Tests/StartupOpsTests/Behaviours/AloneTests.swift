import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Each operation without the others.
@Suite("Behaviours: operations alone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AloneTests {
    @Test("A1, A38: one operation, alone: its completion says what it presented and what it stored, or that it did neither")
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
            var graph = OperationGraph("alone")
            graph.add("fetch-config") { launch in try await operation.run(in: launch) }
            let options = LaunchOptions(clock: VirtualClock(patience: .seconds(300)))
            await callback { [graph] done in
                do {
                    try graph.start(budget: .seconds(3), options: options) { launch in
                        let report = launch.report
                        #expect(report["fetch-config"]?.outcome == .succeeded)
                        #expect(report["fetch-config"]?.isInteractive == !expected.isEmpty)
                        #expect(person.shown.withLock { $0 } == expected)
                        #expect(state.chosenRegion == .value(france))
                        #expect(store.onTrial?.country == "FR")
                        done()
                    }
                } catch {
                    Issue.record(error)
                    done()
                }
            }
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
