import Configuration
import Sequencer

/// How the start-up is run: times in seconds, and a flag, read where a server's settings are.
struct StartupSettings: Sendable, Hashable {
    /// The most time until the server is ready; nil for none.
    var budget: Duration?
    /// When a start-up that has not ended has failed; nil for what the launch's options say.
    var deadline: Duration?
    var loadConfigurationTimeout = Duration.seconds(1)
    var openDatabaseTimeout = Duration.seconds(60)
    var warmCacheTimeout = Duration.seconds(60)
    /// Whether the start-up fails without a configuration, rather than use what is built in.
    var requiresConfiguration = false

    /// What is used where nothing is set.
    init() {}

    /// Reads the keys of `startup`, such as `startup.open-database.timeout`, which is `STARTUP_OPEN_DATABASE_TIMEOUT`
    /// in the environment.
    ///
    /// - Throws: what is wrong with a value that is set.
    init(_ config: ConfigReader) async throws {
        let config = config.scoped(to: "startup")

        func time(_ key: ConfigKey) async throws -> Duration? {
            guard let seconds = try await config.fetchDouble(forKey: key) else { return nil }
            guard seconds > 0, seconds <= 86_400 else { throw SettingError(key: "startup.\(key)", seconds: seconds) }
            return .seconds(seconds)
        }
        budget = try await time("budget")
        deadline = try await time("deadline")
        loadConfigurationTimeout = try await time("load-configuration.timeout") ?? loadConfigurationTimeout
        openDatabaseTimeout = try await time("open-database.timeout") ?? openDatabaseTimeout
        warmCacheTimeout = try await time("warm-cache.timeout") ?? warmCacheTimeout
        requiresConfiguration = try await config.fetchBool(
            forKey: "load-configuration.required",
            default: requiresConfiguration
        )
    }
}

/// A time that makes no sense.
struct SettingError: Error, CustomStringConvertible {
    let key: String
    let seconds: Double

    var description: String { "\(key) is \(seconds); expected seconds, more than 0 and at most 86400" }
}
