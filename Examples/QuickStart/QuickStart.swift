//  splash ────────────────────┐
//  force-update ──────────────┼── main-app
//  fetch-config ─── login ────┘
//
//  Three operations start at once. `login` reads the configuration and `main-app` the session. The server is too slow, so the configuration is the
//  bundled one. When the version is too old, `force-update` ends the launch, and its takeover has the screen.

import Sequencer

@main struct QuickStart {
    static func main() async throws {
        let version = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 1.0

        var graph = OperationGraph("first-launch")
        let splash = graph.add("splash") { launch in try await launch.sleep(for: .milliseconds(400)) }
        let update = graph.add("force-update", .onFailure(.continue), .timeout(.seconds(1))) { launch in
            try await launch.sleep(for: .milliseconds(300))  // ask the server
            if version < 1.0 { launch.abort(.forceUpdate) { print("Takeover: version \(version) is too old, please update.") } }
        }
        let config = graph.add("fetch-config", .timeout(.seconds(1)), fallback: "bundled") { launch in
            try await launch.sleep(for: .seconds(8))  // a server that is too slow
            return "remote"
        }
        let login = graph.add("login", .retry(attempts: 3), using: config) { config in "a session with the \(config) configuration" }
        graph.add("main-app", .milestone, using: login, after: splash, update, on: .main) { session in print("Hello:", session) }

        let report = try await graph.run(budget: .seconds(3)).report
        for operation in report.operations { print(operation.id, operation.outcome, operation.message ?? "") }
        print(report.outcome.name, report.budget.isMet ? "within" : "over", "budget")
        if report.outcome == .completed { print("critical path:", report.criticalPath) }
    }
}
