import Foundation
import Testing

/// The built tool, run as a person runs it.
struct Tool {
    struct Result {
        let code: Int32
        let output: String
        let messages: String

        /// The output as JSON.
        func json() throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        }
    }

    /// Beside the test bundle, where the build puts both.
    static let path: URL = {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let candidates = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        let tools = candidates.map { $0.appendingPathComponent("sequencer-cli") }
        return tools.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? tools[0]
    }()

    /// Runs the tool with `arguments` and waits for its end.
    @discardableResult
    static func run(_ arguments: String..., input: String? = nil, environment: [String: String] = [:]) async throws -> Result {
        try await run(arguments, input: input.map { Data($0.utf8) }, environment: environment)
    }

    /// Runs a shell line in which `$TOOL` is the tool.
    static func shell(_ line: String) async throws -> Result {
        try await run(["-c", line], executable: URL(fileURLWithPath: "/bin/sh"), environment: ["TOOL": path.path])
    }

    static func run(
        _ arguments: [String],
        executable: URL = path,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) async throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Files instead of pipes: whatever the tool prints, nobody has to read while it runs.
        let output = folder.file("output")
        let messages = folder.file("messages")
        let standardInput = folder.file("input")
        try (input ?? Data()).write(to: standardInput)
        for file in [output, messages] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        // A state folder of its own: what one launch remembers must not change another.
        let own = ["NO_COLOR": "1", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": folder.file("state").path]
        var all = ProcessInfo.processInfo.environment.merging(own) { $1 }
        all.merge(environment) { $1 }
        process.environment = all
        process.standardInput = try FileHandle(forReadingFrom: standardInput)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: messages)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        let code = process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus
        return Result(
            code: code,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            messages: String(decoding: try Data(contentsOf: messages), as: UTF8.self)
        )
    }
}

/// A folder of a test's own.
struct TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-cli-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// Writes a file and returns its path.
    func write(_ text: String, to name: String = "launch.json") throws -> String {
        try Data(text.utf8).write(to: file(name))
        return file(name).path
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}

/// A scenario file of these operations, each a JSON object.
func scenarioText(_ operations: String..., head: String = "") -> String {
    """
    { "schema": "sequencer.scenario/1", "name": "test", \(head)
      "operations": [
        \(operations.joined(separator: ",\n    "))
      ] }
    """
}
