import Sequencer
import TestSupport
import Testing

@testable import StartupOps

/// Each operation without the others.
@Suite("Behaviours: operations alone", .serialized, .timeLimit(.minutes(10)))
struct AloneTests {
    @Test("A1: each operation runs in a launch of its own, and sets off no other")
    func alone() async throws {
        let begun = Locked<[String]>([])
        let operations = StartupOperations.simulated().observed { step in begun.withLock { $0.append(step.id) } }
        let loaded = LoadedConfiguration(.bundled, from: .bundled)
        let content = MainContent(configuration: loaded, account: .guest, speaker: nil)
        let bodies: [(StartupStep, @Sendable (Launch) async throws -> Void)] = [
            (.splash, { try await operations.splash($0) }),
            (.forceUpdate, { try await operations.forceUpdate($0) }),
            (.fetchConfig, { _ = try await operations.fetchConfiguration($0) }),
            (.login, { _ = try await operations.logIn(nil, $0) }),
            (.tutorial, { try await operations.tutorial(nil, $0) }),
            (.connectSpeaker, { _ = try await operations.connectSpeaker(nil, $0) }),
            (.restoreAccount, { try await operations.restoreAccount($0) }),
            (.entitlements, { _ = try await operations.fetchEntitlements($0) }),
            (.paywall, { try await operations.paywall(nil, $0) }),
            (.onboarding, { try await operations.onboarding($0) }),
            (.presentPushInformation, { try await operations.presentPushInformation($0) }),
            (.deeplink, { try await operations.followLink($0) }),
            (.shortcut, { try await operations.performShortcut($0) }),
            (.becomeActive, { try await operations.becomeActive($0) }),
            (.mainApp, { try await operations.mainApp(content, $0) }),
            (.checkResources, { try await operations.bootstrap.checkResources($0) }),
            (.register, { try await operations.bootstrap.register($0) }),
            (.configure, { try await operations.bootstrap.configure($0) }),
            (.endProcessPhase, { try await operations.bootstrap.endProcessPhase($0) }),
            (.connectScene, { try await operations.bootstrap.connectScene($0) }),
            (.startCoordinator, { try await operations.bootstrap.startCoordinator($0) }),
            (.firstScreen, { try await operations.bootstrap.chooseFirstScreen(loaded, $0) }),
            (.installObservers, { try await operations.bootstrap.installObservers($0) }),
        ]
        #expect(bodies.map(\.0) == StartupStep.all)
        for (step, body) in bodies {
            let (report, _) = try await runAlone(step.id) { launch in try await body(launch) }
            #expect(report.outcome == .succeeded, "\(step)")
            #expect(report.duration == step.expected, "\(step)")
        }
        #expect(begun.withLock { $0 } == StartupStep.all.map(\.id))
    }

    @Test("A1: no operation's file names another operation")
    func isolated() throws {
        let files = try SourceFiles("Sources/StartupOps/Operations").all.filter { $0.name.hasSuffix("Operation.swift") }
        let types = Set(files.map { $0.name.dropLast(".swift".count) }.map(String.init))
        #expect(types.count >= 4)
        for file in files {
            #expect(file.words.intersection(types) == [String(file.name.dropLast(".swift".count))], "\(file.name)")
        }
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
                presenter: person,
                stage: Stage()
            )
            var graph = OperationGraph("alone")
            graph.add("fetch-config") { launch in try await operation.run(in: launch) }
            let sequencer = Sequencer(graph, options: LaunchOptions(clock: VirtualClock(patience: .seconds(20))))
            await withCheckedContinuation { continuation in
                do {
                    try sequencer.start { report in
                        #expect(report["fetch-config"]?.outcome == .succeeded)
                        #expect(report["fetch-config"]?.isInteractive == !expected.isEmpty)
                        #expect(person.shown.withLock { $0 } == expected)
                        #expect(state.chosenRegion == .value(france))
                        #expect(store.onTrial?.country == "FR")
                        continuation.resume()
                    }
                } catch {
                    Issue.record(error)
                    continuation.resume()
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
