import Foundation
import TestSupport
import Testing

/// The built tool, run as a person runs it.
struct Tool {
    typealias Result = BuiltProgram.Result

    /// Beside the test bundle, where the build puts both.
    static let path = BuiltProgram(named: "sequencer-cli").url

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
        try await BuiltProgram(executable).run(arguments, input: input ?? Data(), environment: environment)
    }
}

extension BuiltProgram.Result {
    /// The output as JSON.
    func json() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
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
