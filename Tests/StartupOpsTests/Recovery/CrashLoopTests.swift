import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Launches whose processes really die, again and again.
@Suite("Crash loops", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CrashLoopTests {
    private let folder: TemporaryFolder
    private var path: String { folder("app").path }

    init() throws { folder = try TemporaryFolder() }

    private var launches: [JournaledLaunch] { LaunchJournal.launches(in: folder("app")) }

    /// A launch in a process of its own that dies in it.
    ///
    /// - Parameter now: what its clock says, in seconds.
    private func die(_ trouble: Trouble, now: Double? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        await #expect(processExitsWith: .signal(SIGKILL), sourceLocation: sourceLocation) {
            [path = path as String, trouble = trouble.rawValue as String, now = now as Double?] in
            let trouble = try #require(Trouble(rawValue: trouble))
            let date = now.map { Date(timeIntervalSince1970: $0) } ?? Date()
            _ = try await LoopingApp(at: path, trouble, now: date).launch(endsWhereItStalls: true)
        }
    }

    @Test("fault C7: launches are counted in their order, however the clock jumps between them")
    func clockJumps() async throws {
        for now in [2_000_000_000, 0, 4_000_000_000.0] { await die(.inTutorial, now: now) }
        #expect(launches.map(\.ending) == Array(repeating: .crashed(in: ["tutorial"]), count: 3))
        #expect(launches.map(\.number) == [3, 2, 1])
        let app = LoopingApp(at: path, .inTutorial, now: Date(timeIntervalSince1970: 1_000_000_000))
        #expect(app.journal.recovery.skipped == ["tutorial"])
        #expect(try await app.launch()["main-app"]?.outcome == .succeeded)
    }

    @Test("fault P2: an operation that crashes three launches is left out of the fourth, which says so and reaches main-app")
    func skips() async throws {
        for _ in 0..<3 { await die(.inTutorial) }
        #expect(launches.map(\.ending) == Array(repeating: .crashed(in: ["tutorial"]), count: 3))
        let app = LoopingApp(at: path, .inTutorial)
        #expect(app.journal.recovery == Recovery(.skipping, skipping: ["tutorial"], because: "the last 3 launches crashed in tutorial"))
        let report = try await app.launch()
        #expect(report.outcome == .completed && report["main-app"]?.outcome == .succeeded)
        #expect(report["tutorial"]?.outcome == .skipped)
        #expect(report["tutorial"]?.message == "left out: the last 3 launches crashed in tutorial")
        #expect(
            report["main-app"]?.notes == ["safe mode: tutorial is left out, because the last 3 launches crashed in tutorial"]
        )
        #expect(report["theme"]?.outcome == .succeeded && report["fetch-config"]?.outcome == .succeeded)
    }

    @Test(
        "fault P7, S6: where leaving out operations does not help, more is left out until the main screen is reached; what is the person's stays",
        arguments: [(Trouble.byNewConfiguration, 3), (.byCache, 4), (.byTheme, 5)]
    )
    func climbs(_ trouble: Trouble, _ deaths: Int) async throws {
        let before = try PersonalState(at: path, storing: true)
        for _ in 0..<deaths { await die(trouble) }
        let app = LoopingApp(at: path, trouble)
        let report = try await app.launch()
        #expect(report.outcome == .completed && report["main-app"]?.outcome == .succeeded)
        let levels = launches.map(\.recovery.level)
        let climbed: [RecoveryLevel] = [.withoutTrialConfiguration, .withoutCaches, .minimal]
        #expect(levels.reversed().prefix(3) == [.normal, .normal, .normal])
        #expect(levels.reversed().dropFirst(3) == climbed.prefix(deaths - 2))
        #expect(try PersonalState(at: path) == before)
        let directory = StateDirectory.open(at: folder("app"))
        #expect(ConfigurationStore(directory.state).onTrial == nil)
        #expect((directory.cache.read("poison") == .absent) == (deaths > 3))
    }

    @Test("fault P5: an app that is ended while it hangs is known for it, with the operation it hangs in; three of these are a loop too")
    func hanging() async throws {
        for _ in 0..<3 { await die(.whileHanging) }
        #expect(launches.map(\.ending) == Array(repeating: .hung(in: ["tutorial"]), count: 3))
        let app = LoopingApp(at: path, .whileHanging)
        #expect(app.journal.recovery.reason == "the last 3 launches hung in tutorial")
        #expect(try await app.launch().outcome == .completed)
    }
}

/// What kills a launch.
enum Trouble: String, Sendable {
    case none, inTutorial, byNewConfiguration, byCache, byTheme, whileHanging
}

/// What the person has done, in the app's stores.
private struct PersonalState: Equatable {
    let region: StoredAnswer<Region>
    let speaker: StoredAnswer<Speaker>
    let tutorial: StoredAnswer<SemanticVersion>
    let session: StoredAnswer<Data>
    let setting: String
    let known: AppConfiguration

    init(at path: String, storing: Bool = false) throws {
        let directory = StateDirectory.open(at: URL(fileURLWithPath: path))
        let state = directory.launchState()
        let configurations = ConfigurationStore(directory.state)
        if storing {
            try state.recordChosenRegion(Region(country: "DE", language: "de"))
            try state.rememberSpeaker(Speaker(id: "kitchen", name: "Kitchen", host: "127.0.0.1", port: 7400))
            try state.recordTutorialSeen(version: SemanticVersion(1))
            try directory.secure.write(Data("a session".utf8), for: "session")
            try directory.cache.write(Data("poison".utf8), for: "poison")
            try configurations.beginTrial(of: AppConfiguration(version: "7", country: "DE", language: "de"))
            try configurations.confirmTrial()
        }
        region = state.chosenRegion
        speaker = state.lastSpeaker
        tutorial = state.tutorialVersionSeen
        session = directory.secure.read("session")
        setting = Settings(directory.settings).deviceIdentifier
        known = configurations.lastKnown.configuration
    }
}

/// An app that is killed where it is told to be.
private struct LoopingApp {
    let journal: LaunchJournal
    private let directory: StateDirectory
    private let trouble: Trouble

    init(at path: String, _ trouble: Trouble, version: String = "1", now: Date = Date()) {
        self.trouble = trouble
        directory = .open(at: URL(fileURLWithPath: path))
        journal = .open(in: directory, version: version, now: now)
    }

    /// - Parameter endsWhereItStalls: only in a process of its own. The clock's patience may end where the machine is
    ///     busy, and a launch that should go on would end the process of all tests.
    func launch(endsWhereItStalls: Bool = false) async throws -> LaunchReport {
        var graph = graph()
        journal.prepare(&graph)
        var options = LaunchOptions(clock: VirtualClock(), admission: .oneAtATime)
        options.stallWatch = journal.watching(StallWatch(after: .seconds(5)) { _ in if endsWhereItStalls { killThisProcess() } })
        return try await journal.run(graph, budget: .seconds(3), options: options).report
    }

    private func graph() -> OperationGraph {
        let (directory, trouble) = (directory, trouble)
        let configurations = ConfigurationStore(directory.state)
        var graph = OperationGraph("regular")
        let configuration = graph.add("fetch-config") {
            let new = AppConfiguration(version: "8", country: "DE", language: "de")
            try configurations.beginTrial(of: new)
            return new
        } fallback: { _, _ in
            configurations.lastKnown.configuration
        }
        let tutorial = graph.add("tutorial", .onFailure(.continue), after: configuration) { launch in
            switch trouble {
            case .inTutorial: killThisProcess()
            case .whileHanging: try await launch.sleep(for: .seconds(60))
            default: break
            }
        }
        let theme = graph.add("theme", .onFailure(.continue), after: tutorial) { true }
        graph.add("main-app", .milestone, using: configuration, theme.optional, on: .main) { configuration, theme in
            switch trouble {
            case .byNewConfiguration where configuration.version == "8": killThisProcess()
            case .byCache where directory.cache.read("poison") != .absent: killThisProcess()
            case .byTheme where theme == true: killThisProcess()
            default: break
            }
        }
        return graph
    }
}
