import Foundation
import Sequencer
import Testing

@testable import StartupOps

/// Launches whose process is killed, and the launches after them.
@Suite("A launch that was killed", .serialized, .timeLimit(.minutes(10)))
struct KilledLaunchTests {
    @Test("fault P1: killed at any event, a first launch leaves a next one that completes, and the one after that is a regular one")
    func firstLaunch() async throws {
        try await killAtEveryEvent(of: "first-launch") { _ in }
    }

    @Test("fault P1: killed at any event, a regular launch leaves a next one that completes as one, and asks nobody for anything")
    func regularLaunch() async throws {
        try await killAtEveryEvent(of: "regular") { path in
            let first = try await KillableApp(at: path).launch()
            #expect(first.scenario == "first-launch" && first.outcome == .completed)
        }
    }

    private func killAtEveryEvent(of scenario: String, prepare: (String) async throws -> Void) async throws {
        let prepared = try TemporaryFolder()
        try await prepare(prepared("app").path)
        let whole = try await run(afterCopying: prepared) { path in try await KillableApp(at: path).launch() }
        #expect(whole.scenario == scenario && whole.outcome == .completed)
        #expect(whole.events > 20)
        for event in 1...whole.events {
            try await run(afterCopying: prepared) { path in
                await #expect(processExitsWith: .signal(SIGKILL), "event \(event)") { [path = path as String, event = event as Int] in
                    _ = try await KillableApp(at: path).launch(killAt: event)
                }
                let next = try await KillableApp(at: path).launch()
                #expect(next.outcome == .completed, "after a kill at event \(event): \(next)")
                #expect(next.problems.isEmpty, "after a kill at event \(event)")
                if scenario == "regular" {
                    #expect(next.scenario == "regular" && next.shown == ["splash", "main"], "after a kill at event \(event)")
                }
                let third = try await KillableApp(at: path).launch()
                #expect(third.scenario == "regular" && third.outcome == .completed, "after a kill at event \(event)")
                #expect(third.shown == ["splash", "main"] && third.problems.isEmpty, "after a kill at event \(event)")
            }
        }
    }

    private func run<Result>(afterCopying prepared: TemporaryFolder, _ body: (String) async throws -> Result) async throws -> Result {
        let folder = try TemporaryFolder()
        let app = folder("app")
        if FileManager.default.fileExists(atPath: prepared("app").path) { try FileManager.default.copyItem(at: prepared("app"), to: app) }
        return try await body(app.path)
    }
}

/// The sample app in a process of its own, or as if it were: everything but the screens is real, and the service remembers what the device's files
/// say.
private struct KillableApp {
    struct Result: Sendable {
        let scenario: String
        let outcome: LaunchReport.Outcome
        let events: Int
        let shown: [String]
        let problems: [String]
        let remarks: [String]
    }

    private let environment: StartupEnvironment
    private let backend: EmbeddedBackend
    private let speaker: LoopbackSpeaker
    private let person = AgreeablePerson()
    private let problems = Problems()

    init(at path: String) throws {
        let directory = StateDirectory.open(at: URL(fileURLWithPath: path, isDirectory: true), onProblem: problems.add)
        let last = directory.launchState().lastSpeaker.value.flatMap { UInt16(exactly: $0.port) } ?? 0
        speaker = try (try? LoopbackSpeaker(id: "kitchen", name: "Kitchen", port: last)) ?? LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        let known = speaker.speaker
        let options = SampleServiceOptions(speakers: [SampleSpeaker(id: known.id, name: known.name, host: known.host, port: known.port)])
        backend = EmbeddedBackend(SampleService(options, store: directory.secure), latency: .none)
        var http = HTTPClient.Configuration()
        http.protocolClasses = backend.protocolClasses
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        let service = AppService(
            at: backend.baseURL,
            http: HTTPClient(http),
            directory: directory,
            app: app,
            deviceID: Settings(directory.settings).deviceIdentifier
        )
        environment = StartupEnvironment(
            app: app,
            services: StartupServices(
                updates: service,
                configurations: service,
                accounts: service,
                entitlements: service,
                speakers: ServiceSpeakers(client: service.client, connector: TCPSpeakerConnector())
            ),
            presenters: StartupPresenters(all: person),
            directory: directory
        )
    }

    /// Launches as the stored state says.
    ///
    /// - Parameter killAt: the number of the event at which the process dies, before anything follows from it; nil for a launch that lives.
    func launch(killAt fatal: Int? = nil) async throws -> Result {
        let scenario = Scenario.choose(for: environment.context())
        let sequencer = Sequencer(environment.graph(scenario), options: LaunchOptions(clock: VirtualClock(patience: .seconds(20))))
        let events = Locked(0)
        sequencer.observe { _ in
            let number = events.withLock { events in
                events += 1
                return events
            }
            if number == fatal { killThisProcess() }
        }
        let report = try await sequencer.run()
        environment.devices.closeAll()
        return Result(
            scenario: scenario.name,
            outcome: report.outcome,
            events: events.withLock { $0 },
            shown: person.shown,
            problems: problems.all.map { "\($0)" },
            remarks: report.operations.flatMap { [$0.message].compactMap(\.self) + $0.notes }
        )
    }
}
