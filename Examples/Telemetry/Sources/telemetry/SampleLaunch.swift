import Sequencer
import SequencerTelemetry
import SequencerTestingCore

// The launch graph (time from left to right; "settings" takes 100 ms):
//
//     settings ─┬─ config    one attempt that hangs, cut off after 300 ms: falls back ─┬─ main-screen
//               └─ session   fails after 80 ms, pauses, succeeds after another 120 ms ─┘
//
enum SampleLaunch {
    struct NoAnswer: Error, CustomStringConvertible {
        let description = "the server did not answer"
    }

    static func graph() -> OperationGraph {
        var graph = OperationGraph("sample")
        let settings = graph.add("settings") { launch in try await launch.sleep(for: .milliseconds(100)) }
        let config = graph.add("config", .timeout(.milliseconds(300)), after: settings, fallback: "bundled") { launch in
            try await launch.sleep(for: .seconds(8))
            return "remote"
        }
        let session = graph.add("session", .retry(attempts: 2, jitter: 0), after: settings) { launch in
            try await launch.sleep(for: .milliseconds(launch.attempt == 1 ? 80 : 120))
            if launch.attempt == 1 { throw NoAnswer() }
            return "a session"
        }
        graph.add("main-screen", .milestone, using: .context, config, session) { launch, _, _ in
            try await launch.sleep(for: .milliseconds(100))
        }
        return graph
    }

    /// Runs in virtual time: in an instant, and with the same times each time.
    static func run(telling observers: any LaunchObserver...) async throws -> LaunchReport {
        try await graph().run(budget: .seconds(1), options: LaunchOptions(clock: VirtualClock()), telling: observers).report
    }
}
