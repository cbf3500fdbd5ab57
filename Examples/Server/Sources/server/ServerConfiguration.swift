import Foundation

/// What can be configured about the catalogue.
struct ServerConfiguration: Sendable, Hashable, Decodable {
    var currency: String
    /// The most products that are kept in memory.
    var cacheLimit: Int

    /// What is used when there is no other.
    static let builtIn = ServerConfiguration(currency: "EUR", cacheLimit: 1000)

    /// Reads the JSON file `path`.
    static func read(_ path: String) throws -> ServerConfiguration {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ConfigurationError(path: path, problem: "cannot be read; --configuration names another file")
        }
        let configuration: ServerConfiguration
        do {
            configuration = try JSONDecoder().decode(ServerConfiguration.self, from: data)
        } catch {
            throw ConfigurationError(path: path, problem: #"is not as expected: {"currency":"EUR","cacheLimit":1000}"#)
        }
        guard (1...1_000_000).contains(configuration.cacheLimit) else {
            throw ConfigurationError(path: path, problem: "has a cacheLimit of \(configuration.cacheLimit); expected 1 to 1000000")
        }
        return configuration
    }
}

/// A configuration file that is not used.
struct ConfigurationError: Error, CustomStringConvertible {
    let path: String
    let problem: String

    var description: String { "the configuration \(path) \(problem)" }
}
