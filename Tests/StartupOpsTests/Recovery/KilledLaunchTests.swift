import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupNetworking
@testable import StartupOps
@testable import StartupSamples
@testable import StartupStorage

/// Launches whose process is killed, and the launches after them.
@Suite("A launch that was killed", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct KilledLaunchTests {
    @Test(
        "fault P1: killed at any event (by day every ninth), a first launch leaves one that completes and says where it died, then a regular one"
    )
    func firstLaunch() async throws {
        try await killAtEveryEvent(of: "first-launch") { _ in }
    }

    @Test(
        "fault P1: killed at any event (by day every ninth), a regular launch leaves one that says where it died, and asks nobody for anything"
    )
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
        // The last one always.
        for event in 1...whole.events where Nightly.includes(event - 1, of: 9) || event == whole.events {
            try await run(afterCopying: prepared) { path in
                await #expect(processExitsWith: .signal(SIGKILL), "event \(event)") { [path = path as String, event = event as Int] in
                    _ = try await KillableApp(at: path).launch(killAt: event)
                }
                let ending = try expectNamed(path, event, isLast: event == whole.events)
                let next = try await KillableApp(at: path).launch()
                #expect(
                    next.remarks.contains("the launch before this one \(ending)") == ending.isDeath,
                    "after a kill at event \(event): \(next)"
                )
                #expect(next.outcome == .completed, "after a kill at event \(event): \(next)")
                #expect(next.problems.isEmpty, "after a kill at event \(event): \(next.problems)")
                if scenario == "regular" {
                    #expect(next.scenario == "regular" && next.shown == ["splash", "main"], "after a kill at event \(event)")
                }
                let third = try await KillableApp(at: path).launch()
                #expect(third.scenario == "regular" && third.outcome == .completed, "after a kill at event \(event)")
                #expect(third.shown == ["splash", "main"] && third.problems.isEmpty, "after a kill at event \(event): \(third)")
            }
        }
    }

    /// What the journal says of the launch that was killed, held against what its process knew.
    private func expectNamed(_ path: String, _ event: Int, isLast: Bool) throws -> LaunchEnding {
        let launch = try #require(LaunchJournal.launches(in: URL(fileURLWithPath: path)).first)
        let known = try JSONDecoder().decode(KillableApp.Progress.self, from: Data(contentsOf: KillableApp.evidence(path)))
        #expect(launch.damage == nil && !launch.isRunning, "event \(event)")
        switch launch.ending {
        case .completed: #expect(isLast, "event \(event)")
        // Which is told by the person's screen, not by events.
        case .quit(let asking): #expect(known.running.isSuperset(of: asking), "event \(event)")
        case .crashed(let operations):
            // An operation that has just started is written down before anybody is told.
            #expect(
                known.running.isSubset(of: operations) && known.ended.isDisjoint(with: operations),
                "event \(event): \(known) \(operations)"
            )
        default: Issue.record("event \(event): \(launch.ending)")
        }
        return launch.ending
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

    /// What the process that is killed knows of its operations.
    struct Progress: Codable {
        var running: Set<String> = []
        var ended: Set<String> = []
    }

    static func evidence(_ path: String) -> URL { URL(fileURLWithPath: path + ".progress") }

    private let path: String
    private let journal: LaunchJournal
    private let environment: StartupEnvironment
    private let backend: EmbeddedBackend
    private let speaker: LoopbackSpeaker
    private let person = AgreeablePerson()
    private let problems = Problems()

    init(at path: String) throws {
        self.path = path
        let directory = StateDirectory.open(
            at: URL(fileURLWithPath: path, isDirectory: true),
            // On a busy machine a thread may keep a lock for longer than an app would wait.
            lockTimeout: .seconds(60),
            onProblem: problems.add
        )
        journal = .open(in: directory, version: "1.0.0", onProblem: problems.add)
        let last = directory.launchState().lastSpeaker.value.flatMap { UInt16(exactly: $0.port) } ?? 0
        speaker = try (try? LoopbackSpeaker(id: "kitchen", name: "Kitchen", port: last)) ?? LoopbackSpeaker(id: "kitchen", name: "Kitchen")
        let known = speaker.speaker
        var options = SampleServiceOptions()
        options.speakers = [known]
        backend = EmbeddedBackend(SampleService(options, store: directory.secure), latency: .none)
        let app = AppInfo(version: SemanticVersion(1), platform: "linux", region: Region(country: "DE", language: "de"))
        let service = AppService(
            at: .service(at: backend.baseURL),
            http: HTTPClient(over: backend),
            directory: directory,
            app: app,
            deviceID: Settings(directory.settings).deviceIdentifier
        )
        environment = StartupEnvironment(
            app: app,
            services: StartupServices(service),
            presenters: StartupPresenters(all: person),
            directory: directory,
            journal: journal
        )
    }

    /// Launches as the stored state says.
    ///
    /// - Parameter killAt: the number of the event at which the process dies, before anything follows from it; nil for a launch that lives.
    func launch(killAt fatal: Int? = nil) async throws -> Result {
        let scenario = Scenario(for: environment.facts())
        var graph = environment.graph(scenario)
        journal.prepare(&graph)
        var options = journal.recording(LaunchOptions(clock: VirtualClock(patience: .seconds(300)), admission: .oneAtATime))
        let events = Locked((number: 0, progress: Progress()))
        let evidence = Self.evidence(path)
        options.observers.append { event in
            let (number, progress) = events.withLock { events in
                events.number += 1
                switch event.kind {
                case .started(let operation, _): events.progress.running.insert(operation)
                case .ended(let operation, _):
                    events.progress.running.remove(operation)
                    events.progress.ended.insert(operation)
                default: break
                }
                return events
            }
            guard number == fatal else { return }
            try? JSONEncoder().encode(progress).write(to: evidence)
            killThisProcess()
        }
        let report = try await graph.run(budget: .seconds(3), options: options).report
        journal.ended(report)
        if report.outcome == .completed { journal.stayedHealthy() }
        environment.devices.closeAll()
        return Result(
            scenario: scenario.name,
            outcome: report.outcome,
            events: events.withLock { $0.number },
            shown: person.shown,
            problems: problems.all.map { "\($0)" },
            remarks: report.operations.flatMap { [$0.message].compactMap(\.self) + $0.notes }
        )
    }
}
