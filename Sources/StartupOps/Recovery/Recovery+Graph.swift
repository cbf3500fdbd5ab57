import Sequencer

extension Recovery {
    /// Takes out of a graph what this recovery leaves out, as far as the milestone can be reached without it.
    ///
    /// - Parameter skippable: what the graph can do without.
    func apply(to graph: inout OperationGraph, skippable: Set<String>) {
        guard isSafeMode else { return }
        var reasons: [String: String] = [:]
        if level == .minimal {
            for operation in skippable { reasons[operation] = "in safe mode, only what the main screen needs is done" }
        }
        if level >= .withoutTrialConfiguration { reasons[StartupStep.fetchConfig.id] = "in safe mode, no new configuration is used" }
        for operation in skipped { reasons[operation] = reason ?? "launches died in it" }
        for (operation, reason) in reasons where skippable.contains(operation) { try? graph.skip(operation, because: reason) }
    }

    /// Drops from what is stored what this recovery leaves out: never what is the person's.
    ///
    /// - Returns: what could not be dropped.
    func drop(from directory: StateDirectory) -> [StorageError] {
        var problems: [StorageError] = []
        func attempt(_ body: () throws(StorageError) -> Void) {
            do throws(StorageError) { try body() } catch { problems.append(error) }
        }
        if level >= .withoutTrialConfiguration {
            attempt { () throws(StorageError) in try ConfigurationStore(directory.state).dropTrial() }
        }
        if level >= .withoutCaches { attempt { () throws(StorageError) in try directory.cache.removeAll() } }
        return problems
    }
}
