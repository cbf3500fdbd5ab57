//  launch:     crash-reporter ── register-tasks    (its prologue; all else comes after it)
//
//              open-profile ── restore-tabs ────┐
//              main-connected ╌╌ address-bar ───┴── browser ──┬── show-terms ── terms ╌╌ start-telemetry
//              read-settings ── show-terms                    ├── sync
//              kept-links                                     └── prefetch
//
//  window:     profile-opened ╌╌ restore-tabs ──────┐
//              private-connected ╌╌ address-bar ────┴── browser
//
//  background: open-profile ── sync
//
//  What comes after a wait for an event is drawn dashed. Links wait for the event of their window, in no graph.

import Sequencer
import SequencerTestingCore

@main @MainActor struct Browser {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        let phone = Phone(
            settings: Settings(sendsTelemetry: words.contains("returning") ? true : nil),
            links: words.contains("returning") ? ["https://example.org/yesterday"] : [],
            profileTime: words.contains("moved") ? .seconds(3) : .milliseconds(200),
            isProfileDamaged: words.contains("damaged")
        )
        let app = BrowserApp(phone)
        let clock = VirtualClock()
        if words.contains("background") {
            let background = try app.background().start(options: LaunchOptions(clock: clock))
            await show(background)
        }

        let other = words.contains("windows") ? Window("private") : nil
        let windows = [app.main] + (other.map { [$0] } ?? [])
        app.links.receive("https://example.org/today", for: app.main)
        if let other { app.links.receive("https://example.org/secret", for: other) }
        let launches = try clock.hold {
            try World.graph(app, connecting: windows, accepts: !words.contains("declines")).start(options: LaunchOptions(clock: clock))
            let main = try app.launch().start(budget: .seconds(1), options: app.options(for: app.main, clock: clock))
            guard let other else { return [main] }
            return [main, try main.addScope(other.name, app.open(other), options: app.options(for: other, clock: clock))]
        }
        for launch in launches { await show(launch) }
        await app.links.settled()
        print("screens:   \(list(phone.screens))")
        print("links:     \(list(phone.openedLinks.sorted()))")
        print("kept:      \(list(phone.keptLinks))")
        print("telemetry: \(phone.sendsTelemetry ? "yes" : "no")")
    }

    private static func show(_ launch: RunningLaunch) async {
        let report = await launch.end().report
        print("\(report.scenario) \(report.outcome)")
        let left = report.operations.filter { $0.outcome == .skipped || $0.outcome == .cancelled }
        for operation in report.operations where !left.contains(operation) {
            let start = operation.start ?? operation.end
            print("  \(operation.id) \(operation.outcome): \(text(start)) to \(text(operation.end))")
        }
        for scope in report.scopes { print("  scope \(scope.name) \(scope.report.outcome)") }
        if !left.isEmpty { print("  without \(left.map(\.id).joined(separator: ", "))") }
    }

    private static func list(_ lines: [String]) -> String { lines.isEmpty ? "none" : lines.joined(separator: "; ") }

    private static func text(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
}
