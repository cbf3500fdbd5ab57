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

    @Test("fault P8: safe mode goes on until a launch stayed healthy, and then the operation is tried again")
    func heals() async throws {
        for _ in 0..<3 { await die(.inTutorial) }
        for _ in 0..<2 {
            let app = LoopingApp(at: path, .inTutorial)
            #expect(try await app.launch()["tutorial"]?.outcome == .skipped)
            app.journal.quit()
        }
        let app = LoopingApp(at: path, .inTutorial)
        _ = try await app.launch()
        app.journal.stayedHealthy()
        #expect(LoopingApp(at: path, .none).journal.recovery == .none)
        await die(.inTutorial)
        #expect(LoopingApp(at: path, .none).journal.recovery == .none)
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

    @Test("fault P7: a launch that dies whatever is left out goes on with the least there is, and loses nothing")
    func hopeless() async throws {
        let before = try PersonalState(at: path, storing: true)
        for _ in 0..<7 { await die(.inMain) }
        #expect(launches.first?.recovery.level == .minimal)
        #expect(launches.first?.recovery.reason?.contains("crashed in main-app") == true)
        #expect(try PersonalState(at: path) == before)
    }

    @Test(
        "fault P3: a launch that dies before its graph is known is counted, and nobody is blamed; one that dies before its journal is not"
    )
    func early() async throws {
        for _ in 0..<3 { await die(.beforeJournal) }
        #expect(launches.isEmpty)
        for _ in 0..<3 { await die(.beforeGraph) }
        #expect(launches.map(\.ending) == Array(repeating: .crashed(in: []), count: 3))
        #expect(LoopingApp(at: path, .none).journal.recovery.level == .withoutTrialConfiguration)
    }

    @Test("fault P4: an app that is ended while it asks the person something has not crashed")
    func asking() async throws {
        for _ in 0..<4 { await die(.whileAsking) }
        #expect(launches.map(\.ending) == Array(repeating: .quit(asking: ["tutorial"]), count: 4))
        #expect(LoopingApp(at: path, .none).journal.recovery == .none)
    }

    @Test(
        "fault P34: an app that the person ends while a step of its own asks has not crashed, whichever way the step says that it asks",
        arguments: [Trouble.whileInteractive, .whileWaitingForPerson]
    )
    func ownQuestion(_ trouble: Trouble) async throws {
        for _ in 0..<4 { await die(trouble) }
        #expect(launches.map(\.ending) == Array(repeating: .quit(asking: ["tutorial"]), count: 4))
        #expect(LoopingApp(at: path, .none).journal.recovery == .none)
    }

    @Test("fault P5: an app that is ended while it hangs is known for it, with the operation it hangs in; three of these are a loop too")
    func hanging() async throws {
        for _ in 0..<3 { await die(.whileHanging) }
        #expect(launches.map(\.ending) == Array(repeating: .hung(in: ["tutorial"]), count: 3))
        let app = LoopingApp(at: path, .whileHanging)
        #expect(app.journal.recovery.reason == "the last 3 launches hung in tutorial")
        #expect(try await app.launch().outcome == .completed)
    }

    @Test("fault P11: what the system ends while nobody waits for it is not counted, until somebody does")
    func background() async throws {
        for _ in 0..<4 { await die(.prewarmed) }
        for _ in 0..<4 { await die(.inBackground) }
        #expect(launches.allSatisfy { $0.ending == .unknown })
        #expect(LoopingApp(at: path, .none).journal.recovery == .none)
        for _ in 0..<3 { await die(.prewarmedThenSeen) }
        #expect(LoopingApp(at: path, .none).journal.recovery.skipped == ["tutorial"])
    }
}

/// What kills a launch.
enum Trouble: String, Sendable {
    case none, inTutorial, inMain, byNewConfiguration, byCache, byTheme, beforeJournal, beforeGraph, whileAsking, whileHanging
    case whileInteractive, whileWaitingForPerson
    case prewarmed, inBackground, prewarmedThenSeen
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
        if trouble == .beforeJournal { killThisProcess() }
        let isPrewarmed = trouble == .prewarmed || trouble == .prewarmedThenSeen
        journal = .open(in: directory, version: version, kind: isPrewarmed ? .prewarmed : .foreground, now: now)
    }

    /// - Parameter endsWhereItStalls: only in a process of its own. The clock's patience may end where the machine is
    ///     busy, and a launch that should go on would end the process of all tests.
    func launch(endsWhereItStalls: Bool = false) async throws -> LaunchReport {
        if trouble == .beforeGraph { killThisProcess() }
        var graph = graph()
        journal.prepare(&graph)
        var options = LaunchOptions(clock: VirtualClock(), admission: .oneAtATime)
        options.stallWatch = journal.watching(StallWatch(after: .seconds(5)) { _ in if endsWhereItStalls { killThisProcess() } })
        return try await journal.run(graph, budget: .seconds(3), options: options).report
    }

    private func graph() -> OperationGraph {
        let (journal, directory, trouble) = (journal, directory, trouble)
        let configurations = ConfigurationStore(directory.state)
        let stage = Stage { journal.questionAsked(by: $0, isAnswered: $1) }
        var graph = OperationGraph("regular")
        let configuration = graph.add("fetch-config") {
            let new = AppConfiguration(version: "8", country: "DE", language: "de")
            try configurations.beginTrial(of: new)
            return new
        } fallback: { _, _ in
            configurations.lastKnown.configuration
        }
        let asks: [StepOption] = trouble == .whileInteractive ? [.interactive] : []
        let tutorial = graph.add("tutorial", .onFailure(.continue), .all(asks), after: configuration) { launch in
            switch trouble {
            case .inTutorial, .prewarmed, .whileInteractive: killThisProcess()
            case .whileWaitingForPerson: _ = try await launch.waitForPerson { () -> Bool in killThisProcess() }
            case .inBackground:
                try journal.change(to: .background)
                killThisProcess()
            case .prewarmedThenSeen:
                try journal.change(to: .foreground)
                killThisProcess()
            case .whileAsking: _ = try await stage.ask(in: launch) { () -> Bool in killThisProcess() }
            case .whileHanging: try await launch.sleep(for: .seconds(60))
            default: break
            }
        }
        let theme = graph.add("theme", .onFailure(.continue), after: tutorial) { true }
        graph.add("main-app", .milestone, using: configuration, theme.optional, on: .main) { configuration, theme in
            switch trouble {
            case .inMain: killThisProcess()
            case .byNewConfiguration where configuration.version == "8": killThisProcess()
            case .byCache where directory.cache.read("poison") != .absent: killThisProcess()
            case .byTheme where theme == true: killThisProcess()
            default: break
            }
        }
        return graph
    }
}
