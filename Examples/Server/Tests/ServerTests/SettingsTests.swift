import Configuration
import Sequencer
import SequencerTestingCore
import Testing

@testable import server

@Suite("The settings of the start-up, from a reader", .serialized, .timeLimit(.minutes(10)))
struct SettingsTests {
    private static func settings(_ values: [AbsoluteConfigKey: ConfigValue]) async throws -> StartupSettings {
        try await StartupSettings(ConfigReader(provider: InMemoryProvider(values: values)))
    }

    @Test("nothing is set: what is built in")
    func defaults() async throws {
        #expect(try await Self.settings([:]) == StartupSettings())
    }

    @Test("each key, in memory and by its name in the environment")
    func keys() async throws {
        var expected = StartupSettings()
        expected.budget = .seconds(2.5)
        expected.deadline = .seconds(90)
        expected.loadConfigurationTimeout = .seconds(2)
        expected.openDatabaseTimeout = .seconds(3)
        expected.warmCacheTimeout = .seconds(4)
        expected.requiresConfiguration = true
        let inMemory = try await Self.settings([
            "startup.budget": 2.5, "startup.deadline": 90.0, "startup.load-configuration.timeout": 2.0,
            "startup.open-database.timeout": 3.0, "startup.warm-cache.timeout": 4.0,
            "startup.load-configuration.required": true,
        ])
        #expect(inMemory == expected)

        let environment = EnvironmentVariablesProvider(environmentVariables: [
            "STARTUP_BUDGET": "2.5", "STARTUP_DEADLINE": "90", "STARTUP_LOAD_CONFIGURATION_TIMEOUT": "2",
            "STARTUP_OPEN_DATABASE_TIMEOUT": "3", "STARTUP_WARM_CACHE_TIMEOUT": "4",
            "STARTUP_LOAD_CONFIGURATION_REQUIRED": "true",
        ])
        #expect(try await StartupSettings(ConfigReader(provider: environment)) == expected)
    }

    @Test("a value that makes no sense is refused", arguments: [0.0, -1, 86_401, .infinity, .nan])
    func refused(_ seconds: Double) async throws {
        let error = await #expect(throws: SettingError.self) {
            try await Self.settings(["startup.budget": ConfigValue(.double(seconds), isSecret: false)])
        }
        #expect(error?.description == "startup.budget is \(seconds); expected seconds, more than 0 and at most 86400")
        await #expect(throws: (any Error).self) { try await Self.settings(["startup.budget": "soon"]) }
    }

    // The launches below are in virtual time: a step that sleeps on the clock takes exactly as long.

    @Test("a timeout from the reader cuts its step off, and no other")
    func timeouts() async throws {
        let settings = try await Self.settings([
            "startup.load-configuration.timeout": 5.0, "startup.open-database.timeout": 3.0,
            "startup.warm-cache.timeout": 2.0,
        ])
        let within = try await Self.launch(settings, configuration: 4, database: 2, cache: 1)
        #expect(within.outcome == .completed)
        #expect(within.operations.allSatisfy { $0.outcome == .succeeded })

        let configuration = try await Self.launch(settings, configuration: 6, database: 2, cache: 1)
        #expect(configuration.outcome == .completed)
        #expect(configuration.operations.filter { $0.outcome == .fellBack }.map(\.id) == ["load-configuration"])

        let database = try await Self.launch(settings, configuration: 4, database: 4, cache: 1)
        #expect(database.outcome == .failed(operation: "open-database", message: "not ended after its timeout of 3 s"))
        let cache = try await Self.launch(settings, configuration: 4, database: 2, cache: 3)
        #expect(cache.outcome == .failed(operation: "warm-cache", message: "not ended after its timeout of 2 s"))
    }

    /// The report of a launch whose steps take so many seconds each.
    private static func launch(
        _ settings: StartupSettings,
        configuration: Int,
        database: Int,
        cache: Int
    ) async throws -> LaunchReport {
        let clock = VirtualClock()
        var steps = StartupSteps(ServerOptions())
        let (openDatabase, warmCache) = (steps.openDatabase, steps.warmCache)
        steps.loadConfiguration = {
            try await clock.sleep(for: .seconds(configuration))
            return .builtIn
        }
        steps.openDatabase = {
            try await clock.sleep(for: .seconds(database))
            return try await openDatabase()
        }
        steps.warmCache = { catalogue, configuration in
            try await clock.sleep(for: .seconds(cache))
            return try await warmCache(catalogue, configuration)
        }
        return try await steps.graph(settings) { _ in }.run(options: LaunchOptions(clock: clock)).report
    }

    @Test("a budget from the reader: a start-up that takes longer gets ready, and says so; one in time says nothing")
    func budget() async throws {
        for (budget, line) in [(2.0, "start-up over budget: 3 s of 2 s, fail"), (4.0, "ready")] {
            let settings = try await Self.settings([
                "startup.budget": ConfigValue(.double(budget), isSecret: false),
                "startup.load-configuration.timeout": 10.0,
            ])
            let clock = VirtualClock()
            let server = try await LocalServer(settings: settings, launch: LaunchOptions(clock: clock)) { steps in
                steps.loadConfiguration = {
                    try await clock.sleep(for: .seconds(3))
                    return .builtIn
                }
            }
            let first = await server.lines.next()
            #expect(first == line)
            if first != "ready" { #expect(await server.lines.next() == "ready") }
            await server.server.shutDown()
            try await server.end()
        }
    }

    @Test("a deadline from the reader ends a start-up that hangs")
    func deadline() async throws {
        let settings = try await Self.settings(["startup.deadline": 7.0])
        let clock = VirtualClock()
        let options = LaunchOptions(deadline: .never, clock: clock)
        let server = try await LocalServer(settings: settings, launch: options) { steps in
            steps.loadConfiguration = { .builtIn }
            steps.migrate = { _, _ in
                try await clock.sleep(for: .seconds(3600))
                throw CancellationError()
            }
        }
        let error = await #expect(throws: StartupError.self) { try await server.end() }
        #expect(error?.operation == "migrate")
        #expect(error?.message.contains("the launch's deadline") == true)
    }

    @Test("a flag from the reader: without a configuration the start-up fails")
    func flag() async throws {
        let settings = try await Self.settings(["startup.load-configuration.required": true])
        var steps = StartupSteps(ServerOptions())
        steps.loadConfiguration = { throw ConfigurationError(path: "server.json", problem: "is not there") }
        let graph = steps.graph(settings) { _ in }
        let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        let message = "the configuration server.json is not there"
        #expect(report.outcome == .failed(operation: "load-configuration", message: message))
    }
}
