//  The graph of the app:
//
//  crash-reporter ─┬─ preflight ── open-database ── migrate ── load-account ── load-chats ─┐
//  (the prologue)  ├─ window-connected (an event) ─────────────────────────────────────────┼─ main-app ─┐
//                  ├─ fetch-config ────────────────────────────────────────────────────────┤            │
//                  └─ force-update ────────────────────────────────────────────────────────┘            │
//  ┌────────────────────────────────────────────────────────────────────────────────────────────────────┘
//  └─ connect ── receive-messages ── clean-up
//
//  `main-app` brings the event `app-ready` about, for which other parts of the app wait. The notification extension runs `open-database` and
//  `load-account` too, and two steps of its own.

import Foundation
import Sequencer
import SequencerTestingCore
import StartupOps
import StartupStorage

/// Launches of a messenger, in virtual time: those of a story, or one of an app that was updated, with a fault in a step.
@main @MainActor struct Messenger {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words.isEmpty { return try await Story.tell() }
        guard words.count == 2 || words.count == 3, let fault = faults[words[0]] else {
            print("usage: Messenger [\(faults.keys.sorted().joined(separator: "|")) STEP [FOLDER]]")
            exit(64)
        }
        let app = App(.updated, Screen())
        var graph = app.graph()
        try graph.inject(fault, into: words[1])
        let journal = journal(in: words.count == 3 ? URL(fileURLWithPath: words[2]) : nil)
        Story.show("\(words[1]) \(fault):", app.screen, try await app.launch(graph, journal))
    }

    /// The faults, by what they are called in a command line.
    static let faults: [String: Fault] = [
        "abort": .abort("fault"), "crash": .crash, "delay": .delay(.seconds(10)), "fail": .fail, "hang": .hang,
    ]

    /// The journal of a launch.
    ///
    /// - Parameter folder: the app's; nil where nothing is to be written down.
    static func journal(in folder: URL?, limits: RecoveryLimits = RecoveryLimits()) -> LaunchJournal {
        .open(in: folder.map { StateDirectory.open(at: $0) } ?? .inMemory(), version: "1.0", limits: limits)
    }
}
