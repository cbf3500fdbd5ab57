import Configuration
import Foundation

do {
    switch try ServerArguments(CommandLine.arguments.dropFirst()) {
    case .help:
        Output.line(ServerArguments.helpText)
    case .serve(let options):
        let settings = try await StartupSettings(ConfigReader(provider: EnvironmentVariablesProvider()))
        let server = Server(options, settings: settings, gracefulShutdownSignals: [.sigterm, .sigint]) {
            Output.line($0)
        }
        try await server.run()
    }
} catch let error as UsageError {
    Output.message("server: \(error)\n\(ServerArguments.usage)")
    exit(64)
} catch {
    Output.message("server: \(error)")
    exit(1)
}
