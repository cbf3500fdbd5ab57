import Foundation
import Testing

/// The built server, run as a person runs it, on a port that is free.
final class BuiltServer {
    let client: Client
    private let process: Process
    private let output: FileHandle
    private let messages: FileHandle

    /// Beside the test bundle, where the build puts both.
    static let path: URL = {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let candidates = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        let tools = candidates.map { $0.appendingPathComponent("server") }
        return tools.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? tools[0]
    }()

    /// Starts the server and waits until it listens.
    init(_ arguments: String...) async throws {
        (process, output, messages) = try Self.start(["--port", "0"] + arguments)
        let (process, output) = (process, output)
        do {
            client = try Client(try await Self.line(output) ?? "nothing was said")
        } catch {
            process.terminate()
            throw error
        }
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The next line the server says; nil when it has said all.
    func line() async throws -> String? { try await Self.line(output) }

    /// Sends SIGTERM.
    func terminate() { process.terminate() }

    /// Waits for the end: the rest of what was said, what was said on standard error, and the exit status.
    func end() async throws -> (output: String, messages: String, status: Int32) {
        try await Self.end(process, output, messages)
    }

    /// Runs a server that ends by itself. `environment` is added to the test's own.
    static func run(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> (output: String, messages: String, status: Int32) {
        let (process, output, messages) = try start(arguments, environment)
        return try await end(process, output, messages)
    }

    private static func start(
        _ arguments: [String],
        _ environment: [String: String] = [:]
    ) throws -> (Process, FileHandle, FileHandle) {
        let process = Process()
        let (output, messages) = (Pipe(), Pipe())
        process.executableURL = path
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        return (process, output.fileHandleForReading, messages.fileHandleForReading)
    }

    private static func line(_ reader: FileHandle) async throws -> String? {
        try await onThread {
            var line = Data()
            while let byte = try reader.read(upToCount: 1), !byte.isEmpty {
                if byte == Data([0x0a]) { return String(decoding: line, as: UTF8.self) }
                line += byte
            }
            return nil
        }
    }

    private static func end(_ process: Process, _ output: FileHandle, _ messages: FileHandle) async throws -> (String, String, Int32) {
        try await onThread {
            // A few lines each: neither pipe fills up while the other is read.
            let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
            let complained = String(decoding: try messages.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return (said, complained, process.terminationStatus)
        }
    }
}

/// Runs what blocks on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
