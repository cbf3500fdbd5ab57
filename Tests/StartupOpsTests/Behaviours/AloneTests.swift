import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Each operation without the others.
@Suite("Behaviours: operations alone", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct AloneTests {
    @Test("A1: each operation runs in a launch of its own, and sets off no other")
    func alone() async throws {
        let begun = Locked<[String]>([])
        let steps = StartupSteps.simulated().observed { step in begun.withLock { $0.append(step.id) } }
        let loaded = LoadedConfiguration(.bundled, from: .bundled)
        let content = MainContent(configuration: loaded, account: .guest, speaker: nil)
        var bodies: [(BuiltInStep, @Sendable (StepContext) async throws -> Void)] = SomeSteps.screens.map { step in
            (BuiltInStep(step), { try await steps[step]($0) })
        }
        bodies.append((BuiltInStep(.forceUpdate), { try await steps[.forceUpdate]($0) }))
        bodies.append((BuiltInStep(.checkResources), { try await steps[.checkResources]($0) }))
        bodies.append((BuiltInStep(.fetchConfig), { _ = try await steps[.fetchConfig]($0) }))
        bodies.append((BuiltInStep(.cachedConfig), { _ = try await steps[.cachedConfig]($0) }))
        bodies.append((BuiltInStep(.fetchFlags), { _ = try await steps[.fetchFlags]($0) }))
        bodies.append((BuiltInStep(.entitlements), { _ = try await steps[.entitlements]($0) }))
        bodies.append((BuiltInStep(.login), { _ = try await steps[.login]($0, nil) }))
        bodies.append((BuiltInStep(.connectSpeaker), { _ = try await steps[.connectSpeaker]($0, nil) }))
        bodies.append((BuiltInStep(.tutorial), { try await steps[.tutorial]($0, nil) }))
        bodies.append((BuiltInStep(.paywall), { try await steps[.paywall]($0, nil) }))
        bodies.append((BuiltInStep(.mainApp), { try await steps[.mainApp]($0, content) }))
        bodies.append((BuiltInStep(.firstScreen), { try await steps[.firstScreen]($0, loaded) }))
        #expect(bodies.map(\.0) == BuiltInStep.all)
        for (step, body) in bodies {
            let (report, _) = try await runAlone(step.id) { launch in try await body(launch) }
            #expect(report.outcome == .succeeded, "\(step)")
            #expect(report.duration == step.expected, "\(step)")
        }
        #expect(begun.withLock { $0 } == BuiltInStep.all.map(\.id))
    }

    @Test("A38: one operation, alone: its completion says what it presented and what it stored, or that it did neither")
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
