import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import Browser

/// Launches beside the first one: a second window, and the app in the background.
@Suite("The browser's windows, and its sync in the background", .serialized, .timeLimit(.minutes(30)), .besideOthers)
@MainActor
struct BrowserWindowTests {
    private let app = BrowserApp(Phone())
    private let other = Window("private")
    private let clock = VirtualClock()
    private let secret = "https://example.org/secret"

    // MARK: A second window

    /// Starts the app and, at the same moment, a second window that joins its launch.
    ///
    /// - Parameter closing: when the person closes the second window; nil for never.
    private func startBoth(_ window: OperationGraph, closing: Duration? = nil) throws -> (main: RunningLaunch, window: RunningLaunch) {
        app.links.receive(Trial.today, for: app.main)
        app.links.receive(secret, for: other)
        return try clock.hold {
            try World.graph(app, connecting: [app.main, other]).start(options: LaunchOptions(clock: clock))
            let main = try app.launch().start(options: app.options(for: app.main, clock: clock))
            let second = try main.addScope(other.name, window, options: app.options(for: other, clock: clock))
            if let closing { try cancel(second, after: closing) }
            return (main, second)
        }
    }

    /// Cancels a launch at its moment, by a step on the same clock: no other code can tell when that is.
    private func cancel(_ launch: RunningLaunch, after time: Duration) throws {
        var graph = OperationGraph("cancel")
        graph.add("cancel") { step in
            try await step.sleep(for: time)
            launch.cancel()
        }
        try graph.start(options: LaunchOptions(clock: clock))
    }

    /// That the first window has come as always, and its link.
    private func expectMainWindow(_ report: LaunchReport) {
        #expect(report.outcome == .completed && report.afterMilestone?.outcome == .completed)
        #expect(app.phone.screens.filter { $0.hasPrefix("main") } == BrowserFault.usual)
        #expect(app.phone.openedLinks.contains(Trial.today))
        #expect(app.phone.sendsTelemetry && app.phone.isSynced)
    }

    @Test("A second window has the profile that the first launch opens, and its own links")
    func secondWindow() async throws {
        let launches = try startBoth(app.open(other))
        let (main, window) = (await launches.main.end().report, await launches.window.end().report)
        await app.links.settled()
        expectMainWindow(main)
        #expect(window.outcome == .completed && main.scopes.map(\.report) == [window])
        #expect(window["profile-opened"]?.end == .milliseconds(200) && window["browser"]?.end == .milliseconds(400))
        #expect(app.phone.screens.contains("private: news, weather"))
        #expect(app.phone.openedLinks.contains(secret) && app.phone.keptLinks.isEmpty)
    }

    @Test("Closing a window before it is shown cancels its launch and no other")
    func closedWindow() async throws {
        let launches = try startBoth(app.open(other), closing: .milliseconds(300))
        let (main, window) = (await launches.main.end().report, await launches.window.end().report)
        await app.links.settled()
        expectMainWindow(main)
        #expect(window.outcome == .cancelled && main.scopes.map(\.report.outcome) == [.cancelled])
        #expect(app.phone.keptLinks == [secret])
    }

    @Test(
        "A fault in a step of the second window harms no other, and loses no link",
        arguments: BrowserApp(Phone()).open(Window("private")).identifiers,
        BrowserFault.faults
    )
    func windowFaults(step: String, fault: Fault) async throws {
        var graph = app.open(other)
        try graph.inject(fault, into: step)
        let launches = try startBoth(graph)
        let (main, window) = (await launches.main.end().report, await launches.window.end().report)
        await app.links.settled()
        expectMainWindow(main)
        let isShown = window["browser"]?.outcome == .succeeded
        #expect(app.phone.openedLinks.contains(secret) == isShown)
        #expect(app.phone.keptLinks == (isShown ? [] : [secret]))
    }

    @Test("Without a profile there is no second window either, and it says why")
    func noProfile() async throws {
        var graph = app.launch()
        try graph.inject(.fail, into: "open-profile")
        let changed = graph
        let (main, window) = try clock.hold {
            let main = try changed.start(options: app.options(for: app.main, clock: clock))
            return (main, try app.open(other).start(options: app.options(for: other, clock: clock)))
        }
        #expect(await main.end().report.outcome.name == "failed")
        guard case .failed(operation: "profile-opened", message: let message) = await window.end().report.outcome else {
            Issue.record("the window's launch should have failed with the profile")
            return
        }
        #expect(message.contains("open-profile failed"))
        #expect(app.phone.screens.contains("private: the profile does not open, try again?"))
    }

    // MARK: In the background

    @Test(
        "What comes in the background is opened by the window that follows, whatever went wrong there",
        arguments: BrowserApp(Phone()).background().identifiers,
        BrowserFault.faults
    )
    func background(step: String, fault: Fault) async throws {
        var graph = app.background()
        try graph.inject(fault, into: step)
        _ = try await graph.run(options: LaunchOptions(clock: clock))
        #expect(app.phone.screens.isEmpty)
        app.links.receive(Trial.today, for: app.main)
        let trial = try await Trial.run(app)
        #expect(trial.report.outcome == .completed)
        #expect(trial.phone.screens == BrowserFault.usual)
        #expect(trial.phone.openedLinks == [Trial.today] && trial.phone.isSynced)
    }

    @Test("When the time in the background is over, the sync ends at once, and the next launch does it")
    func expiry() async throws {
        let running = try clock.hold {
            let running = try app.background().start(options: LaunchOptions(clock: clock))
            try cancel(running, after: .milliseconds(300))
            return running
        }
        let report = await running.end().report
        #expect(report.outcome == .cancelled)
        #expect(report["open-profile"]?.outcome == .succeeded && report["sync"]?.outcome == .cancelled)
        #expect(report.makespan == .milliseconds(300) && !app.phone.isSynced)
        #expect(try await Trial.run(app).phone.isSynced)
    }
}
