//  open-database ──┬── main-app
//  login ──────────┘
//
//  A launch in SwiftUI, for Xcode. `Scripts/check-apple` and `Scripts/test-apps` check its types.

import Sequencer
import SwiftUI

@main struct QuickStartApp: App {
    @State private var text = "Loading"

    var body: some Scene { WindowGroup { Text(text).task { await launch() } } }

    private func launch() async {
        var graph = OperationGraph("first-launch")
        let database = graph.add("open-database") { try Database.open() }  // may block: it has a thread
        let login = graph.add("login", .timeout(.seconds(2)), fallback: "guest") { try await Server.logIn() }
        graph.add("main-app", .milestone, using: login, after: database, on: .main) { user in text = "Hello, \(user)" }
        do {
            if try await graph.run(budget: .seconds(3)).report.outcome != .completed { text = "Please try again" }
        } catch { text = "\(error)" }
    }
}

/// What the app has already.
nonisolated enum Database { static func open() throws {} }
nonisolated enum Server { static func logIn() async throws -> String { "Ann" } }
