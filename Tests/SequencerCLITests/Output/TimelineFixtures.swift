import Sequencer
import SequencerTesting

@testable import sequencer_cli

/// Launches in virtual time, for pictures of their reports.
enum TimelineFixtures {
    struct ServerError: Error, CustomStringConvertible {
        let description: String
    }

    static func run(
        _ graph: OperationGraph,
        budget: Budget = .seconds(3),
        lanes: Int? = nil,
        deadline: Duration? = nil
    ) async throws -> LaunchReport {
        try await graph.run(
            budget: budget,
            options: LaunchOptions(lanes: lanes, deadline: deadline.map { .after($0) } ?? .never, clock: VirtualClock())
        ).report
    }

    /// Steps on the main thread and beside it; all succeed.
    static func regular() -> OperationGraph {
        var graph = OperationGraph("regular")
        let splash = graph.add("splash", .title("Present splash"), on: .main) { launch in try await launch.sleep(for: .milliseconds(400)) }
        let config = graph.add("fetch-config") { launch in try await launch.sleep(for: .milliseconds(450)) }
        let login = graph.add("login", after: config) { launch in try await launch.sleep(for: .milliseconds(337)) }
        graph.add("main-app", .milestone, after: splash, login, on: .main) { launch in try await launch.sleep(for: .milliseconds(100)) }
        return graph
    }

    /// Every way to end.
    static func trouble() -> OperationGraph {
        var graph = OperationGraph("trouble")
        let config = graph.add("fetch-config", .timeout(.seconds(1)), fallback: 1) { launch in
            try await launch.sleep(for: .seconds(10))
            return 2
        }
        let login = graph.add("login", .onFailure(.skipDependents)) { launch in
            try await launch.sleep(for: .milliseconds(700))
            throw ServerError(
                description: "the server answered 503 Service Unavailable, and asks to be left alone for at least 120 seconds"
            )
        }
        graph.add("connect-speaker", .onFailure(.continue), .timeout(.milliseconds(300))) { launch in
            try await launch.sleep(for: .seconds(9))
        }
        graph.add("profile", after: login) { launch in try await launch.sleep(for: .seconds(9)) }
        graph.add("tutorial", .when { false }, after: config) {}
        graph.add("push", .retry(attempts: 3, backoff: .milliseconds(200), jitter: 0)) { launch in
            try await launch.sleep(for: .milliseconds(50))
            if launch.attempt < 3 { throw ServerError(description: "no network") }
        }
        graph.add("sync", .exclusive("disk")) { launch in try await launch.sleep(for: .milliseconds(500)) }
        graph.add("migrate", .exclusive("disk")) { launch in try await launch.sleep(for: .milliseconds(300)) }
        graph.add("main-app", .milestone, after: config, on: .main) { launch in try await launch.sleep(for: .milliseconds(100)) }
        return graph
    }

    /// 2 s and 900 ms one after the other, then half a second: over 3 s.
    static func slow() -> OperationGraph {
        var graph = OperationGraph("slow")
        let config = graph.add("fetch-config") { launch in try await launch.sleep(for: .seconds(2)) }
        let login = graph.add("login", after: config) { launch in try await launch.sleep(for: .milliseconds(900)) }
        graph.add("main-app", .milestone, after: login, on: .main) { launch in try await launch.sleep(for: .milliseconds(500)) }
        return graph
    }

    /// An update is required.
    static func outdated() -> OperationGraph {
        var graph = OperationGraph("regular")
        let splash = graph.add("splash", on: .main) { launch in try await launch.sleep(for: .milliseconds(400)) }
        graph.add("force-update") { launch in
            try await launch.sleep(for: .milliseconds(300))
            launch.abort(.forceUpdate)
        }
        graph.add("main-app", .milestone, after: splash, on: .main) { launch in try await launch.sleep(for: .milliseconds(100)) }
        return graph
    }
}
