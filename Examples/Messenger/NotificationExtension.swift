//  A message comes while the app does not run. The extension runs a part of the app's graph, and one step of its own:
//
//  open-database ── load-account ── decrypt ── notify
//
//  The system gives it half a minute. Whatever happens, the person hears that there is a message.

import Sequencer
import SequencerTestingCore

/// Makes a notification of a push, in a process of its own, beside the app or without it.
nonisolated struct NotificationExtension: Sendable {
    let phone: Phone
    let screen: Screen

    /// For a message that cannot be read here.
    static let generic = "You may have a new message"

    func graph() -> OperationGraph {
        var graph = OperationGraph("notification")
        let store = Store(phone: phone).add(to: &graph)
        let text = graph.add(
            "decrypt",
            .timeout(.seconds(5)),
            using: .context,
            store.database,
            store.account,
            fallback: Self.generic
        ) { launch, _, _ in
            try await decrypt(launch)
        }
        graph.add("notify", .milestone, .timeout(.seconds(5)), using: text, on: .main) { text in screen.show(text) }
        return graph
    }

    /// Shows a notification.
    @MainActor
    func launch(_ graph: OperationGraph) async throws -> LaunchReport {
        let options = LaunchOptions(deadline: .seconds(25), clock: VirtualClock())
        let report = try await graph.run(budget: .seconds(5), options: options).report
        // A launch that failed, was aborted or met its deadline: there is one place for all of them.
        if screen.shown.isEmpty { screen.show(Self.generic) }
        return report
    }

    private func decrypt(_ launch: StepContext) async throws -> String {
        try await launch.sleep(for: .milliseconds(30))
        return "Bo: see you at eight"
    }
}
