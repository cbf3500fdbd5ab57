//  The graph of a first launch, in which each question needs the answer before it:
//
//  force-update ────────────────────────────────────────────────────────┐
//  splash ── fetch-config ── login ── tutorial ── connect-speaker ──────┴── main-app
//
//  That of a regular launch, in which all is known:
//
//  splash ── tutorial ───┐
//  force-update ─────────┤
//  fetch-config ─────────┼── main-app
//  login ────────────────┤
//  connect-speaker ──────┘
//
//  The other scenarios are variations of these two: `swift run sequencer-cli graph SCENARIO` draws each.

import Foundation
import Sequencer
import StartupOps

/// A few weeks in the life of a music app: each of the eleven built-in scenarios, for the reason for which an app would follow it.
///
/// Nothing here says which scenario comes next: `Scenario(for:)` does, from what the phone remembers and what started the app.
///
/// `swift run MusicApp steps` prints each operation, too.
@main @MainActor struct MusicApp {
    static func main() async throws {
        let phone = try Phone()
        defer { phone.remove() }
        var diary = Diary(showsSteps: CommandLine.arguments.dropFirst().first == "steps")

        diary.add("The app is installed and opened.", try await phone.launch())
        diary.add("It is opened again.", try await phone.launch())

        phone.configure(onboarding: .dismissable)
        let push = #"{"aps": {"alert": {"title": "New", "body": "An album is out"}, "category": "message"}}"#
        diary.add("A push notification is opened.", try await phone.launch { $0.receive(.push(try EntryPoints.push(push))) })

        try await phone.logOut()
        diary.add("The person has logged out; the app can be tried without an account.", try await phone.launch())

        phone.configure(onboarding: .none)
        let link = "https://music.example.com/playlists/42"
        diary.add("A link to a playlist is followed.", try await phone.launch { $0.receive(.link(try EntryPoints.link(link))) })

        try await phone.logOut()
        diary.add("The guest has logged out; the app does not mind who uses it.", try await phone.launch())

        phone.configure(onboarding: .regular)
        diary.add("The icon's menu is used.", try await phone.launch { $0.receive(.shortcut(try EntryPoints.shortcut("play"))) })

        try await phone.logOut()
        diary.add("Everybody has to log in now.", try await phone.launch())
        diary.add("The app comes back from the background.", try await phone.launch(isRunning: true))

        try phone.reinstall()
        diary.add("The app is deleted and installed again.", try await phone.launch())
        diary.add("The app is sold to another brand.", try await phone.launch(.bootstrap))

        if !diary.isAllWell { exit(EXIT_FAILURE) }
    }
}
