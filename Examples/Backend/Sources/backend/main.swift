import Foundation

do {
    switch try BackendArguments(CommandLine.arguments.dropFirst()) {
    case .help:
        Output.line(BackendArguments.helpText)
    case .serve(let options):
        try await BackendServer(options).run { Output.line($0) }
    }
} catch let error as UsageError {
    Output.message("backend: \(error)\n\(BackendArguments.usage)")
    exit(64)
} catch {
    Output.message("backend: \(error)")
    exit(1)
}
