import Hummingbird
import Logging
import Sequencer
import ServiceLifecycle
import UnixSignals

/// The server: one service group that owns the HTTP server and the launch.
struct Server: Sendable {
    private let group: ServiceGroup

    /// - Parameters:
    ///   - settings: the times and the flag of the start-up.
    ///   - steps: what the start-up does; what `options` say unless given.
    ///   - launch: how the start-up is run.
    ///   - announce: is called with a line for each thing that a person, or a script, waits for.
    init(
        _ options: ServerOptions,
        settings: StartupSettings = StartupSettings(),
        steps: StartupSteps? = nil,
        launch launchOptions: LaunchOptions = LaunchOptions(),
        gracefulShutdownSignals: [UnixSignal] = [],
        announce: @escaping @Sendable (String) -> Void
    ) {
        let readiness = Readiness()
        // Weak, for readiness holds the launch.
        let graph = (steps ?? StartupSteps(options)).graph(settings) { [weak readiness] in readiness?.serve($0) }
        readiness.prepare(graph.identifiers)
        let (listening, hasListened) = AsyncStream.makeStream(of: Void.self)

        var logger = Logger(label: "server")
        logger.logLevel = .error
        let http = Application(
            router: Routes(readiness: readiness).router(),
            configuration: ApplicationConfiguration(address: .hostname(options.host, port: options.port), serverName: nil),
            onServerRunning: { channel in
                announce("listening on http://\(options.host):\(channel.localAddress?.port ?? options.port)")
                hasListened.yield()
            },
            logger: logger
        )
        var launchOptions = launchOptions
        if let deadline = settings.deadline { launchOptions.deadline = .after(deadline) }
        let launch = LaunchService(
            graph: graph,
            budget: settings.budget.map { Budget($0) },
            options: launchOptions,
            readiness: readiness,
            listening: listening,
            listeningEnds: hasListened,
            linger: options.linger,
            announce: announce
        )
        // A shutdown goes through the list from its end: first the launch is cancelled and has ended, while /ready still answers; then the HTTP
        // server goes. A launch that has failed shuts the group down in the same way, and its error is what `run` throws.
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: HTTPService(application: http, address: "\(options.host):\(options.port)")),
                .init(
                    service: launch,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup
                ),
            ],
            gracefulShutdownSignals: gracefulShutdownSignals,
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        group = ServiceGroup(configuration: configuration)
    }

    /// Serves until the group is shut down.
    ///
    /// - Throws: ``StartupError`` when the launch has failed, ``ListenError`` when the address cannot be listened on.
    func run() async throws { try await group.run() }

    /// Does what SIGTERM does.
    func shutDown() async { await group.triggerGracefulShutdown() }
}

/// The HTTP server, whose errors say which address they are about.
private struct HTTPService: Service {
    let application: Application<RouterResponder<BasicRequestContext>>
    let address: String

    func run() async throws {
        do {
            try await application.run()
        } catch let error where !(error is CancellationError) {
            throw ListenError(address: address, reason: "\(error)")
        }
    }
}

/// A server that cannot listen, or cannot go on listening.
struct ListenError: Error, CustomStringConvertible {
    let address: String
    let reason: String

    var description: String { "cannot listen on \(address): \(reason); --port 0 takes one that is free" }
}
