import Foundation
import Sequencer
import SequencerTesting
import StartupOps
import StartupStorage
import TestSupport
import Testing

@testable import PortedApp

/// Every way through the app's life is a list of events: no launch runs, and no time passes.
@Suite("The state of a ported app", .timeLimit(.minutes(30)))
struct AppStateTests {
    private static let all: [AppEvent] = [
        .willEnterForeground, .didEnterBackground, .homeShown, .launchEnded(isCompleted: true), .launchEnded(isCompleted: false),
        .entryPointReceived, .takenOver, .retry,
    ]

    /// The state after these events, and what was to be done on the way.
    private func life(_ events: AppEvent...) -> (state: AppState, actions: [AppAction]) {
        var state = AppState.started
        let actions = events.flatMap { state.apply($0) }
        return (state, actions)
    }

    @Test("The first scene in front starts the launch, a later one a resume")
    func foreground() {
        #expect(life(.willEnterForeground) == (.launching, [.cancelRefresh, .launch]))
        let (state, actions) = life(.willEnterForeground, .homeShown, .launchEnded(isCompleted: true), .didEnterBackground)
        #expect(state == .background(hasLaunched: true) && actions.last == .cancelLaunch)
        let back = life(.willEnterForeground, .homeShown, .didEnterBackground, .willEnterForeground)
        #expect(back.state == .foreground && back.actions.suffix(2) == [.cancelRefresh, .resume])
    }

    @Test("Who goes in the middle of a launch and comes back gets another one, when the first is over")
    func leaving() {
        let gone = life(.willEnterForeground, .didEnterBackground)
        #expect(gone == (.leaving, [.cancelRefresh, .launch, .cancelLaunch]))
        let early = life(.willEnterForeground, .didEnterBackground, .willEnterForeground)
        #expect(early.state == .returning && early.actions == gone.actions)
        let over = life(.willEnterForeground, .didEnterBackground, .willEnterForeground, .launchEnded(isCompleted: false))
        #expect(over == (.launching, gone.actions + [.launch]))
        let late = life(.willEnterForeground, .didEnterBackground, .launchEnded(isCompleted: false), .willEnterForeground)
        #expect(late == (.launching, gone.actions + [.cancelRefresh, .launch]))
        // Its milestone came first: there is nothing to launch.
        let shown = life(.willEnterForeground, .didEnterBackground, .willEnterForeground, .launchEnded(isCompleted: true))
        #expect(shown == (.foreground, gone.actions + [.resume]))
    }

    @Test("A screen that has taken over stays until the button, or until the user comes back")
    func stopped() {
        let stopped = life(.willEnterForeground, .launchEnded(isCompleted: false), .entryPointReceived, .homeShown)
        #expect(stopped == (.stopped, [.cancelRefresh, .launch]))
        #expect(life(.willEnterForeground, .launchEnded(isCompleted: false), .retry).actions.last == .retry)
        let back = life(.willEnterForeground, .launchEnded(isCompleted: false), .didEnterBackground, .willEnterForeground)
        #expect(back == (.launching, [.cancelRefresh, .launch, .cancelRefresh, .launch]))
        #expect(life(.willEnterForeground, .homeShown, .takenOver).state == .stopped)
    }

    @Test("A link is delivered at once while the first screen is there, and by the launch otherwise")
    func links() {
        #expect(life(.entryPointReceived, .willEnterForeground, .entryPointReceived).actions == [.cancelRefresh, .launch])
        #expect(life(.willEnterForeground, .homeShown, .entryPointReceived).actions.last == .deliver)
    }

    @Test("In no order of five events is a launch started beside another one")
    func oneLaunch() {
        var lives: [(state: AppState, runs: Bool)] = [(.started, false)]
        for _ in 0..<5 {
            lives = lives.flatMap { life in
                Self.all.compactMap { event in
                    var (state, runs) = life
                    // Only a launch that runs can get anywhere.
                    if case .homeShown = event, !runs { return nil }
                    if case .launchEnded = event {
                        guard runs else { return nil }
                        runs = false
                    }
                    for action in state.apply(event) where action == .launch || action == .retry {
                        #expect(!runs, "\(life.state) \(event)")
                        runs = true
                    }
                    return (state, runs)
                }
            }
        }
        #expect(lives.contains { $0.state == .foreground } && lives.contains { $0.state == .returning })
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
        #expect(app.state == .foreground)
    }

    @Test("Without the network the app starts with what it has")
    func offline() async {
        phone.isOnline = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["home of ann (bundled)"] && app.state == .foreground)
    }

    @Test("A failure is shown, and the button runs what has failed and not what has not")
    func retry() async {
        phone.opensDatabase = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(app.state == .stopped && screen.take().count == 1)
        phone.opensDatabase = true
        app.handle(.retry)
        await app.following?.value
        #expect(screen.shown == ["home of ann (remote)"] && app.state == .foreground)
    }

    @Test("An update that is required takes over the launch, and also the app that comes back")
    func update() async {
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.take() == ["update"] && app.state == .stopped)
        app.handle(.didEnterBackground)
        phone.isOutdated = false
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.take() == ["home of ann (remote)"])
        app.handle(.didEnterBackground)
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await app.following?.value
        #expect(screen.shown == ["update"] && app.state == .stopped)
    }

    @Test("Time in the background fetches news, shows nothing, and opens the database for the launch that follows")
    func background() async {
        #expect(await app.refresh())
        #expect(app.state == .started && screen.shown.isEmpty)
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
        #expect(app.state == .returning)
        // Of the launch that was cancelled, then of the one that follows.
        await app.following?.value
        #expect(app.state == .launching)
        await app.following?.value
        #expect(app.state == .foreground && screen.shown == ["home of ann (remote)"])
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
}
