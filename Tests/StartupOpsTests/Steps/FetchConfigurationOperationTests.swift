import Foundation
import Sequencer
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("Fetching the configuration", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FetchConfigurationOperationTests {
    private struct FakeConfigurations: ConfigurationService {
        let asked = Locked<[Region]>([])
        var error: NetworkError?

        func countries(by deadline: Deadline) async throws -> [Country] {
            if let error { throw error }
            return [Country(code: "DE", name: "Germany", languages: ["de", "en"]), Country(code: "FR", name: "France", languages: ["fr"])]
        }

        func configuration(for region: Region, by deadline: Deadline) async throws -> AppConfiguration {
            asked.withLock { $0.append(region) }
            if let error { throw error }
            return AppConfiguration(version: "7", country: region.country, language: region.language)
        }
    }

    private func run(
        _ service: FakeConfigurations = FakeConfigurations(),
        store: ConfigurationStore = ConfigurationStore(MemoryStore()),
        state: LaunchState = LaunchState(MemoryStore()),
        device: Region = Region(country: "DE", language: "de"),
        _ person: FakePerson? = nil
    ) async throws -> (report: OperationReport, value: LoadedConfiguration?) {
        let operation = FetchConfigurationOperation(
            service: service,
            store: store,
            state: state,
            device: device,
            presenter: person
        )
        return try await runAlone("fetch-config") { launch in
            try await operation.run(in: launch)
        } fallback: { launch, _ in
            operation.fallback(launch, after: nil)
        }
    }

    @Test(
        "A14, A15: a device whose country or language is not served gets a menu, which is the person's time",
        arguments: [Region(country: "AT", language: "de"), Region(country: "FR", language: "de")]
    )
    func menu(_ device: Region) async throws {
        let person = FakePerson(region: Region(country: "FR", language: "fr"))
        let state = LaunchState(MemoryStore())
        let (report, loaded) = try await run(state: state, device: device, person)
        #expect(loaded?.configuration.language == "fr")
        #expect(person.shown.withLock { $0 } == ["region: DE FR"])
        #expect(report.isInteractive && state.chosenRegion.value?.country == "FR")
    }

    @Test(
        "B45: what takes the place of a configuration that cannot be fetched: the last one a launch completed with, or else the bundled one"
    )
    func fallback() async throws {
        let store = ConfigurationStore(MemoryStore())
        let (report, bundled) = try await run(FakeConfigurations(error: unreachable), store: store)
        #expect(report.outcome == .fellBack && bundled == LoadedConfiguration(.bundled, from: .bundled))
        #expect(report.message == "GET example.invalid/v1: connection refused; its fallback was used")
        #expect(report.notes == ["the configuration the app was delivered with was used"])

        _ = try await run(store: store)
        // No launch has completed with it yet: it may be what keeps the app from starting.
        #expect(try await run(FakeConfigurations(error: unreachable), store: store).value?.source == .bundled)
        try store.confirmTrial()
        let (later, cached) = try await run(FakeConfigurations(error: unreachable), store: store)
        #expect(cached?.source == .cached && cached?.configuration.version == "7")
        #expect(later.notes == ["the last known configuration, 7, was used"])
    }

    @Test("who leaves the menu, or cannot be asked, gets the bundled configuration, and is asked again the next time")
    func dismissed() async throws {
        let state = LaunchState(MemoryStore())
        let device = Region(country: "XX", language: "xx")
        let (left, _) = try await run(state: state, device: device, FakePerson(region: nil))
        #expect(left.message == "the person dismissed fetch-config; its fallback was used")
        let (alone, _) = try await run(state: state, device: device)
        #expect(alone.message?.contains("there is no presenter for fetch-config") == true)
        #expect(state.chosenRegion == .absent)
    }
}
