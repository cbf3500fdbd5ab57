import Sequencer

extension StartupEnvironment {
    /// A scenario's graph, with the real operations.
    ///
    /// Whatever the scenario: what started the app is delivered once the main screen is visible. Where the scenario has no step of its own for
    /// that, and something waits, one is added.
    public func graph(_ scenario: Scenario) -> OperationGraph {
        let operations = StartupOperations(self)
        var graph = scenario.graph(operations)
        let waiting = mailbox.waiting().count - (graph.contains(.presentPushInformation) ? 1 : 0)
        if waiting > 0, graph.contains(.mainApp), !graph.contains(.deeplink), !graph.contains(.shortcut) {
            graph.addAfterMain(.entryPoints) { launch in try await operations.followLink(launch) }
        }
        return graph
    }
}

extension OperationGraph {
    fileprivate func contains(_ step: StartupStep) -> Bool { identifiers.contains(step.id) }
}
