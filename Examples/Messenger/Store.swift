//  The part of the graph that the app and its extension have in common:
//
//  open-database ── migrate ── load-account
//
//  Only the app migrates.

import Sequencer

/// Where messages and account are: the steps that open it.
nonisolated struct Store: Sendable {
    let phone: Phone

    /// Adds the steps to a graph.
    ///
    /// - Parameters:
    ///   - first: the steps before them.
    ///   - loading: what is shown while messages are moved; nil for whoever may not move them.
    /// - Returns: the database, which is not to be read before the account is there, and the account.
    func add(
        to graph: inout OperationGraph,
        after first: [Step<Void>] = [],
        loading: StepOption? = nil
    ) -> (database: Step<Database>, account: Step<Account>) {
        let mayMigrate = loading != nil
        let database = graph.add("open-database", .retry(attempts: 2), .timeout(.seconds(15)), after: first) { launch in
            try await open(launch, mayMigrate: mayMigrate)
        }
        var migrated: [Step<Void>] = []
        if let loading {
            let ifOld = StepOption.when(database) { $0.isOld }
            let migrate = graph.add("migrate", ifOld, loading, .timeout(.seconds(120))) { launch in
                try await launch.sleep(for: phone.migration)
            }
            migrated.append(migrate)
        }
        let account = graph.add("load-account", .timeout(.seconds(5)), using: .context, database, after: migrated) { launch, _ in
            try await loadAccount(launch)
        }
        return (database, account)
    }

    private func open(_ launch: StepContext, mayMigrate: Bool) async throws -> Database {
        try await launch.sleep(for: .milliseconds(100))
        let database = Database(version: phone.databaseVersion)
        if database.isOld, !mayMigrate { throw DatabaseIsOld() }
        return database
    }

    private func loadAccount(_ launch: StepContext) async throws -> Account {
        try await launch.sleep(for: .milliseconds(50))
        if phone.isLocked { throw KeychainIsLocked() }
        return Account(name: "Ann")
    }
}
