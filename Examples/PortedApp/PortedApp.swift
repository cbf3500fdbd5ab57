//  The launch of an app that came from an application delegate; `Launches.swift` has all graphs.
//
//  open-database ──┬── log-in ──┬── home ── what comes later
//  check-update ───┘            │
//  fetch-configuration ─────────┘
//
//  The folder iOS has its delegates and its screens, which are not built here.

import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps
import StartupStorage

/// A day of the app, in virtual time: the system and the user are this program.
@main @MainActor struct PortedApp {
    static func main() async throws {
        let clock = VirtualClock()
        let (phone, screen) = (Phone(clock), Screen())
        let app = LaunchCoordinator(Launches(phone, screen, in: .inMemory(), version: "1.0"), clock: clock)
        func tell(_ title: String) async {
            await app.following?.value
            print("\(title):\n  \(list(screen.take())) [\(app.state.phase)]")
        }

        app.begin { print("The process begins:\n  tasks are registered") }
        print("Time in the background:\n  \(await app.refresh() ? "all was done" : "not all was done") [\(app.state.phase)]")

        try app.receive(.app(AppEntryPoint("article", "7")))
        app.launches.deviceToken.set("token 1")
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await tell("A link opens the app, which is too old")

        app.handle(.didEnterBackground)
        phone.isOutdated = false
        screen.enters = nil
        app.handle(.willEnterForeground)
        await tell("It was updated; the user does not log in")

        screen.enters = Account(id: "ann")
        app.handle(.retry)
        await tell("The user tries again")

        app.handle(.didEnterBackground)
        phone.isOutdated = true
        app.handle(.willEnterForeground)
        await tell("Back, when a version is required")

        print("In all:")
        for work in phone.done { print("  \(work)") }
    }

    private static func list(_ lines: [String]) -> String { lines.isEmpty ? "nothing" : lines.joined(separator: "; ") }
}
