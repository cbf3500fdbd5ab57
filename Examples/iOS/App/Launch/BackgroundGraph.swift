//  What runs where nobody looks:
//
//  restore-session ── entitlements
//  fetch-config

import Sequencer
import StartupOps
import StartupStorage

extension StartupEnvironment {
    /// What can be done without a screen and without a person: no splash, no update screen, no login, no tutorial, no main screen.
    ///
    /// Each step fails alone. The configuration that is fetched is on trial until a launch has completed with it, as any other.
    func backgroundGraph() -> OperationGraph {
        var unseen = self
        unseen.presenters = StartupPresenters()
        let steps = StartupSteps(unseen)
        let accounts = services.accounts
        var graph = OperationGraph("background-refresh")
        graph.add("fetch-config", .onFailure(.continue), .timeout(.seconds(10))) { try await steps[.fetchConfig]($0) }
        // Who is logged in stays so; nobody is logged in, or out, where nobody looks.
        guard case .value = accounts.storedSession() else { return graph }
        let session = graph.add("restore-session", .onFailure(.skipDependents), .timeout(.seconds(10))) { launch in
            try await launch.request("the session") { try await accounts.restore(by: $0) }
        }
        graph.add("entitlements", .onFailure(.continue), .timeout(.seconds(10)), after: session) { try await steps[.entitlements]($0) }
        return graph
    }
}
