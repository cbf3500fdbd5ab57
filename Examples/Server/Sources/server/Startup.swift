import Sequencer

// The launch graph (time from left to right):
//
//     load-configuration ──────────────┐
//       falls back to what is built in ├─ warm-cache ── serve
//     open-database ── migrate ────────┘                milestone: /ready answers 200
//
// Every operation but load-configuration is required: when one fails, the launch has failed, and the process ends.

/// What the start-up does: one closure for each operation, so that a test can replace one.
struct StartupSteps: Sendable {
    var loadConfiguration: @Sendable () async throws -> ServerConfiguration
    var openDatabase: @Sendable () async throws -> Catalogue
    var migrate: @Sendable (StepContext, Catalogue) async throws -> MigratedCatalogue
    var warmCache: @Sendable (MigratedCatalogue, ServerConfiguration) async throws -> ProductCache

    init(_ options: ServerOptions) {
        loadConfiguration = { try ServerConfiguration.read(options.configuration) }
        openDatabase = { try Catalogue(options.database) }
        migrate = { launch, catalogue in
            try await launch.waiting(for: catalogue.migrationActivity) { try catalogue.migrate { !launch.isCancelled } }
        }
        warmCache = { try ProductCache($0, $1) }
    }

    /// The start-up as a graph; `serve` is given the warm cache at its end.
    func graph(
        _ settings: StartupSettings = StartupSettings(),
        serve: @escaping @Sendable (ProductCache) -> Void
    ) -> OperationGraph {
        var graph = OperationGraph("server")
        let timeout = StepOption.timeout(settings.loadConfigurationTimeout)
        let configuration =
            settings.requiresConfiguration
            ? graph.add("load-configuration", timeout, body: loadConfiguration)
            : graph.add("load-configuration", timeout, fallback: .builtIn, body: loadConfiguration)
        let database = graph.add("open-database", .timeout(settings.openDatabaseTimeout), body: openDatabase)
        let catalogue = graph.add("migrate", using: .context, database, body: migrate)
        let cache = graph.add(
            "warm-cache",
            .timeout(settings.warmCacheTimeout),
            using: catalogue,
            configuration,
            body: warmCache
        )
        graph.add("serve", .milestone, using: cache, body: serve)
        return graph
    }
}
