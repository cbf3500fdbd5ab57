import Foundation
import Sequencer
import SequencerTesting
import StartupSamples
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupStorage

@Suite("A launch that fails, of a version that has to be updated", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FailedLaunchUpdateTests {
    /// Demands an update a second after it was asked, or does not answer.
    private struct Policies: UpdatePolicyService {
        let clock: VirtualClock
        let answers: Bool

        func updatePolicy(for version: SemanticVersion, by deadline: Deadline) async throws -> UpdatePolicy {
            guard answers else { throw unreachable }
            try await clock.sleep(for: .seconds(1))
            return FailedLaunchUpdateTests.required
        }
    }

    fileprivate static let required = UpdatePolicy(minimumVersion: SemanticVersion(2))

    private struct Failure: Error {}

    private static func fail() throws { throw Failure() }

    /// What the app shows of its own accord: neither questions nor the splash.
    private static let screens: Set = ["main", "active", "update", "failure"]

    /// Launches with a graph that `prepare` has changed, and waits for a late check.
    ///
    /// - Returns: the screens that were shown, and the report.
    @MainActor
    private func launch(
        _ scenario: Scenario,
        isStored: Bool,
        _ prepare: (inout OperationGraph) throws -> Void
    ) async throws -> (shown: [String], report: LaunchReport) {
        // Steps that wait for the screen are waited for in real time: this long.
        let (clock, directory, person) = (VirtualClock(patience: .milliseconds(50)), StateDirectory.inMemory(), AgreeablePerson())
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        let url = try #require(URL(string: "https://api.example.com"))
        let service = AppService(at: url, http: WireService(), directory: directory, app: app, deviceID: "d1")
        let services = StartupServices(
            updates: Policies(clock: clock, answers: !isStored),
            configurations: service,
            accounts: service,
            entitlements: service,
            speakers: ServiceSpeakers(client: service.client, connector: TCPSpeakerConnector())
        )
        let environment = StartupEnvironment(app: app, services: services, presenters: StartupPresenters(all: person), directory: directory)
        if isStored { try environment.state.recordUpdatePolicy(try JSONEncoder().encode(Self.required)) }
        let failures = Locked(0)
        var options = LaunchOptions(grace: .seconds(60), clock: clock)
        options.failureTakeover = { _ in failures.withLock { $0 += 1 } }
        var graph = environment.graph(scenario)
        try prepare(&graph)
        let report = try await graph.run(options: options).report
        await environment.lateUpdateCheck.end()
        let shown = person.shown.filter(Self.screens.contains)
        return (Array(repeating: "failure", count: failures.withLock { $0 }) + shown, report)
    }

    @Test(
        "fault P17: whichever step fails at once, the update's screen comes: now where the policy is stored, else with the service's answer",
        arguments: Scenario.all.map(\.name),
        [false, true]
    )
    @MainActor
    func everyStep(name: String, isStored: Bool) async throws {
        let scenario = try #require(Scenario.named(name))
        let ids = scenario.graph(.simulated()).identifiers.filter { $0 != "force-update" }
        try #require(!ids.isEmpty)
        // By day, other steps in each scenario.
        let first = Scenario.all.firstIndex { $0.name == name } ?? 0
        for (number, id) in ids.enumerated() where Nightly.includes(first + number, of: 6) {
            let (shown, report) = try await launch(scenario, isStored: isStored) { graph in
                // The real graph may lack a step that only a simulated one has.
                if graph.identifiers.contains(id) { try graph.inject(.fail, into: id) }
            }
            #expect(shown.filter { $0 != "failure" } == ["update"], "\(id): \(shown), \(report.outcome)")
            // The update is in the failure's place.
            if isStored { #expect(!shown.contains("failure"), "\(id)") }
        }
    }

    @Test(
        "fault P17: a required step of the prologue fails before the check could begin: the update's screen comes",
        arguments: [false, true]
    )
    @MainActor
    func prologue(isStored: Bool) async throws {
        let (shown, report) = try await launch(.regular, isStored: isStored) { graph in
            graph.addPrologue("sdk") { try Self.fail() }
        }
        #expect(report["force-update"]?.outcome == .cancelled)
        #expect(report.outcome.name == "failed" && shown == ["update"])
    }
}
