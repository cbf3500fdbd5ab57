import Foundation
import Sequencer
import SequencerTesting
import StartupOps
import StartupSamples
import StartupStorage
import TestSupport
import Testing

@testable import PortedApp

/// Every way through the app's life is a list of events: no launch runs, and no time passes.
@Suite("The state of a ported app", .timeLimit(.minutes(30)))
struct AppStateTests {
    private static let all: [AppEvent] = [
        .willEnterForeground, .didEnterBackground, .homeShown, .launchEnded(isCompleted: true), .launchEnded(isCompleted: false),
        .entryPointReceived, .takenOver, .retry, .loggedOut,
    ]

    /// The phase after these events, and what was to be done on the way.
    private func life(_ events: AppEvent..., isAsking: Bool = false) -> (phase: AppState.Phase, actions: [AppAction]) {
        var state = AppState()
        state.isAsking = isAsking
        let actions = events.flatMap { state.apply($0) }
        return (state.phase, actions)
    }

    @Test("The first scene in front starts the launch, a later one a resume")
    func foreground() {
        #expect(life(.willEnterForeground) == (.launching, [.cancelRefresh, .launch]))
        let launched = life(.willEnterForeground, .homeShown, .launchEnded(isCompleted: true), .didEnterBackground)
        #expect(launched == (.background(hasLaunched: true), [.cancelRefresh, .launch, .cancelResume]))
        let ended = life(.willEnterForeground, .launchEnded(isCompleted: true), .didEnterBackground, .willEnterForeground)
        #expect(ended == (.foreground, launched.actions + [.cancelRefresh, .resume, .deliver, .retry]))
    }

    @Test("What was cut off after the first screen goes on when the launch that was cancelled is over")
    func cutOff() {
        let back = life(.willEnterForeground, .homeShown, .didEnterBackground, .willEnterForeground)
        #expect(back == (.foreground, [.cancelRefresh, .launch, .cancelResume, .cancelLaunch, .cancelRefresh, .resume, .deliver]))
        let over = life(.willEnterForeground, .homeShown, .didEnterBackground, .willEnterForeground, .launchEnded(isCompleted: true))
        #expect(over == (.foreground, back.actions + [.retry]))
    }

    @Test("A launch that asks goes on in the background, and when the user comes back")
    func asking() {
        let back = life(.willEnterForeground, .didEnterBackground, .willEnterForeground, isAsking: true)
        #expect(back == (.launching, [.cancelRefresh, .launch, .cancelRefresh]))
        let answered = life(.willEnterForeground, .didEnterBackground, .homeShown, isAsking: true)
        #expect(answered == (.background(hasLaunched: true), [.cancelRefresh, .launch]))
    }

    @Test("Who goes in the middle of a launch and comes back gets another one, when the first is over")
    func leaving() {
        let gone = life(.willEnterForeground, .didEnterBackground)
        #expect(gone == (.background(hasLaunched: false), [.cancelRefresh, .launch, .cancelLaunch]))
        let early = life(.willEnterForeground, .didEnterBackground, .willEnterForeground, .homeShown)
        #expect(early == (.launching, gone.actions + [.cancelRefresh]))
        let over = life(.willEnterForeground, .didEnterBackground, .willEnterForeground, .launchEnded(isCompleted: false))
        #expect(over == (.launching, gone.actions + [.cancelRefresh, .launch]))
        let late = life(.willEnterForeground, .didEnterBackground, .launchEnded(isCompleted: false), .willEnterForeground)
        #expect(late == over)
    }

    @Test("A screen that has taken over stays until the button, or until the user comes back")
    func stopped() {
        let stopped = life(.willEnterForeground, .launchEnded(isCompleted: false), .entryPointReceived, .homeShown)
        #expect(stopped == (.stopped, [.cancelRefresh, .launch]))
        #expect(life(.willEnterForeground, .launchEnded(isCompleted: false), .retry).actions.last == .retry)
        let back = life(.willEnterForeground, .launchEnded(isCompleted: false), .didEnterBackground, .willEnterForeground)
        #expect(back == (.launching, [.cancelRefresh, .launch, .cancelRefresh, .launch]))
        // The check had its answer when the user was gone.
        let late = life(.willEnterForeground, .launchEnded(isCompleted: true), .didEnterBackground, .takenOver)
        #expect(late == (.background(hasLaunched: false), [.cancelRefresh, .launch, .cancelResume]))
        // What comes after the first screen still runs.
        #expect(life(.willEnterForeground, .homeShown, .takenOver) == (.stopped, [.cancelRefresh, .launch, .cancelLaunch]))
    }

    @Test("A link is delivered at once while the first screen is there, and by the launch otherwise")
    func links() {
        #expect(life(.entryPointReceived, .willEnterForeground, .entryPointReceived).actions == [.cancelRefresh, .launch])
        #expect(life(.willEnterForeground, .homeShown, .entryPointReceived).actions.last == .deliver)
    }

    @Test("In no order of seven events is a launch started beside another one, or the user left without one")
    func oneLaunch() {
        var states: Set<AppState> = [AppState()]
        for _ in 0..<7 {
            for (before, isAsking) in states.flatMap({ [($0, false), ($0, true)] }) {
                for event in Self.all {
                    // Only a launch that runs can get anywhere.
                    if !before.isRunning, [.homeShown, .launchEnded(isCompleted: true), .launchEnded(isCompleted: false)].contains(event) {
                        continue
                    }
                    var state = before
                    state.isAsking = isAsking
                    let starts = state.apply(event).contains { $0 == .launch || $0 == .retry }
                    let isOver = if case .launchEnded = event { true } else { false }
                    #expect(!starts || !before.isRunning || isOver, "\(before) \(event)")
                    #expect(state.phase != .launching || state.isRunning, "\(before) \(event)")
                    states.insert(state)
                }
            }
        }
        #expect(Set(states.map(\.phase)).count == 6)
    }

    @Test("Who has logged out gets a launch that keeps nothing of the last one")
    func loggedOut() {
        #expect(
            life(.willEnterForeground, .launchEnded(isCompleted: true), .loggedOut) == (
                .launching, [.cancelRefresh, .launch, .cancelResume, .launch]
            )
        )
        let early = life(.willEnterForeground, .homeShown, .loggedOut, .launchEnded(isCompleted: true))
        #expect(early == (.launching, [.cancelRefresh, .launch, .cancelResume, .cancelLaunch, .launch]))
    }
}

@Suite("A ported app", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct PortedAppTests {
    private let clock = VirtualClock()
    private let screen = Screen()
    private let phone: Phone
    private let app: LaunchCoordinator

    init() {
        phone = Phone(clock, account: Account(id: "ann"))
        app = LaunchCoordinator(Launches(phone, screen, in: .inMemory(), version: "1.0"), clock: clock)
    }

    /// Until all launches are over, also those that others were followed by.
    private func settle() async {
        var followed: Task<Void, Never>?
        while app.following != followed {
            followed = app.following
            await followed?.value
        }
    }

    @Test("The first screen waits for the account, the configuration and the check, and for nothing else")
    func graph() throws {
        let graph = try app.launches.launch().validated()
        #expect(try graph.ancestors(of: "home") == ["open-database", "log-in", "check-update", "fetch-configuration"])
        #expect(graph.milestone == "home")
    }

    @Test("What the delegate did in front of everything is done when the call returns")
    func prologue() {
        var isRegistered = false
        app.begin { isRegistered = true }
        #expect(isRegistered && phone.done == ["crashes are reported"])
    }

    @Test("A scene that comes to the front shows the home, and then the link that has started the app")
    func launch() async throws {
        try app.receive(.app(AppEntryPoint("article", 7)))
        app.launches.deviceToken.set("old")
        app.launches.deviceToken.set("new")
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["home of ann (remote)", "article"])
        #expect(phone.done.contains("new is registered for ann"))
        #expect(app.state.phase == .foreground)
    }

    @Test("Without the network the app starts with what it has")
    func offline() async {
        phone.isOnline = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["home of ann (bundled)"] && app.state.phase == .foreground)
    }

    @Test("A failure is shown, and the button runs what has failed and not what has not")
    func retry() async {
        phone.opensDatabase = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(app.state.phase == .stopped && screen.take().count == 1)
        phone.opensDatabase = true
        app.handle(.retry)
        await app.following?.value
        #expect(app.last?.report["check-update"]?.notes.isEmpty == false)
        #expect(app.last?.report["open-database"]?.notes.isEmpty == true)
        #expect(screen.shown == ["home of ann (remote)"] && app.state.phase == .foreground)
    }

    @Test("An update that is required takes over the launch, and also the app that comes back")
    func update() async {
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.take() == ["update"] && app.state.phase == .stopped)
        app.handle(.didEnterBackground)
        phone.isOutdated = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.take() == ["home of ann (remote)"])
        app.handle(.didEnterBackground)
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["update"] && app.state.phase == .stopped)
    }

    @Test("Time in the background fetches news, shows nothing, and opens the database for the launch that follows")
    func background() async {
        #expect(await app.refresh())
        #expect(app.state.phase == .started && screen.shown.isEmpty)
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(await !app.refresh())
        #expect(phone.done.filter { $0 == "the database is opened" }.count == 1)
        #expect(phone.done.contains("news are fetched"))
    }

    @Test("Who goes in the middle of the launch and comes back at once sees the home in the end")
    func returning() async {
        app.handle(.willEnterForeground)
        app.handle(.didEnterBackground)
        app.handle(.willEnterForeground)
        #expect(app.state.phase == .launching)
        // Of the launch that was cancelled, then of the one that follows.
        await app.following?.value
        #expect(app.state.phase == .launching)
        await app.following?.value
        #expect(app.state.phase == .foreground && screen.shown == ["home of ann (remote)"])
    }

    @Test("A link of a process that has died is opened by the next one; the journal takes several launches")
    func processes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ported-app-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func process() -> LaunchCoordinator {
            LaunchCoordinator(Launches(phone, screen, in: .open(at: folder), version: "1.0"), clock: clock)
        }
        try process().receive(.app(AppEntryPoint("article", 7)))
        let app = process()
        app.begin {}
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        phone.isOutdated = false
        app.handle(.didEnterBackground)
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["update", "home of ann (remote)", "article"])
        #expect(app.launches.journal.problem == nil)
    }

    @Test("What is cut off shortly after the home is done when the user comes back, and nothing twice")
    func cutOff() async throws {
        app.launches.deviceToken.set("new")
        // A user, by the clock. Time stands still until the coordinator has heard of what was before.
        var user = OperationGraph("user")
        let leaves = user.add("leaves", .delay(.milliseconds(320)), on: .main) {
            await eventually { app.state.phase == .foreground }
            app.handle(.didEnterBackground)
        }
        user.add("returns", .delay(.seconds(20)), after: leaves, on: .main) {
            await eventually { !app.state.isRunning }
            app.handle(.willEnterForeground)
        }
        let life = try clock.hold {
            app.handle(.willEnterForeground)
            return try user.start(options: LaunchOptions(clock: clock))
        }
        _ = await life.end()
        await settle()
        #expect(Set(phone.done) == ["the database is opened", "new is registered for ann", "old files are removed", "images are fetched"])
        #expect(phone.done.count == 4 && screen.shown == ["home of ann (remote)"])
        #expect(app.state.phase == .foreground)
    }

    @Test("A link that comes in the background is opened on return")
    func link() async throws {
        app.handle(.willEnterForeground)
        await settle()
        app.handle(.didEnterBackground)
        try app.receive(.app(AppEntryPoint("article", 7)))
        app.handle(.willEnterForeground)
        await settle()
        await eventually { screen.shown.count == 2 }
        #expect(screen.shown == ["home of ann (remote)", "article"])
    }

    @Test("Who leaves the app for a code finds the question, and it counts", arguments: [false, true])
    func asking(comesBack: Bool) async {
        phone.account = nil
        screen.whileAsking = {
            app.handle(.didEnterBackground)
            if comesBack { app.handle(.willEnterForeground) }
        }
        app.handle(.willEnterForeground)
        await settle()
        #expect(app.state.phase == (comesBack ? .foreground : .background(hasLaunched: true)))
        if !comesBack { app.handle(.willEnterForeground) }
        await settle()
        #expect(screen.shown == ["log in", "home of ann (remote)"] && phone.account == Account(id: "ann"))
        #expect(app.state.phase == .foreground)
    }

    @Test("A migration that time in the background has begun does not begin again for the user")
    func migration() async {
        phone.openingTakes = .seconds(20)
        phone.whileOpening = { app.handle(.willEnterForeground) }
        #expect(await !app.refresh())
        await settle()
        #expect(phone.done.filter { $0 == "the database is opened" }.count == 1)
        #expect(screen.shown == ["home of ann (remote)"])
    }

    @Test("A check that the user does not wait for shows nothing")
    func resumeLeft() async {
        app.handle(.willEnterForeground)
        await settle()
        app.handle(.didEnterBackground)
        phone.isOutdated = true
        clock.hold {
            app.handle(.willEnterForeground)
            app.handle(.didEnterBackground)
        }
        await settle()
        #expect(screen.shown == ["home of ann (remote)"] && app.state.phase == .background(hasLaunched: true))
    }

    @Test("A token that comes again is registered, also a second one")
    func tokens() async {
        app.launches.deviceToken.set("old")
        app.handle(.willEnterForeground)
        await settle()
        for token in ["new", "newer"] {
            app.launches.deviceToken.set(token)
            await eventually { phone.done.last == "\(token) is registered for ann" }
        }
        #expect(phone.done.filter { $0.contains("is registered") }.count == 3)
    }

    @Test("Who logs out is asked again; the database is opened once")
    func logOut() async {
        app.handle(.willEnterForeground)
        await settle()
        screen.enters = Account(id: "ben")
        app.logOut()
        await settle()
        #expect(screen.shown == ["home of ann (remote)", "log in", "home of ben (remote)"])
        #expect(phone.done.filter { $0 == "the database is opened" }.count == 1)
    }

    /// An app in a folder in which launches have died.
    private func appInSafeMode(_ count: Int, diedIn step: String, in folder: URL) throws -> LaunchCoordinator {
        try LaunchJournal.writeDeadLaunches(count, in: .open(at: folder), version: "1.0", diedIn: step)
        return LaunchCoordinator(Launches(phone, screen, in: .open(at: folder), version: "1.0"), clock: clock)
    }

    @Test("Whatever launches died in, an outdated app asks for the update", arguments: [(3, "check-update"), (7, "log-in")])
    func safeMode(_ count: Int, _ step: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ported-app-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = try appInSafeMode(count, diedIn: step, in: folder)
        #expect(app.launches.journal.recovery.isSafeMode)
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown.last == "update" && app.state.phase == .stopped)
    }

    @Test("A check in which launches died comes after the home, and takes the screen over")
    func lateCheck() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ported-app-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<3 {
            // Released at the end of its round, as when the process has died.
            let journal = LaunchJournal.open(in: .open(at: folder), version: "1.0")
            var graph = app.launches.launch()
            journal.prepare(&graph)
            journal.launchBegins()
            journal.recordStart(of: "check-update", attempt: 1)
        }
        let app = LaunchCoordinator(Launches(phone, screen, in: .open(at: folder), version: "1.0"), clock: clock)
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["home of ann (remote)", "update"] && app.state.phase == .stopped)
    }

    @Test("A visit of a moment counts as healthy, and ends safe mode")
    func shortVisit() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ported-app-tests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = try appInSafeMode(3, diedIn: "prefetch", in: folder)
        app.handle(.willEnterForeground)
        await eventually { app.state.phase == .foreground }
        app.handle(.didEnterBackground)
        #expect(LaunchJournal.launches(in: folder).first?.isHealthy == true)
    }
}
