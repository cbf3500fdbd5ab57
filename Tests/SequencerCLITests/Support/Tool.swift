import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// The built tool, run as a person runs it.
struct Tool {
    /// What came of a command line: its exit code, and what it wrote to standard output and to standard error.
    struct Result: Sendable {
        let code: Int32
        let output: String
        let messages: String
    }

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
        let result = try await BuiltProgram(executable).run(arguments, input: input ?? Data(), environment: environment)
        return Result(code: result.code, output: result.output, messages: result.messages)
    }
}

extension Tool {
    /// Runs a command in this process: its exit code, its result, and its answer to a mistake. `-` stands for `input`.
    ///
    /// Warnings, and what depends on a terminal or on the environment, as the width of a text, only ``run`` shows.
    static func call(_ words: String..., input: String? = nil) async throws -> Result { try await call(words, input: input) }

    static func call(_ words: [String], input: String? = nil) async throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = folder.file("result")
        let file = try input.map { try folder.write($0, to: "input") }
        let line = words.map { $0 == "-" ? file ?? $0 : $0 } + (words.contains("-o") ? [] : ["-o", result.path])
        var (code, messages) = (ExitCode.success, "")
        do {
            let command = try parseArguments(line)
            code =
                if let command = command as? any LaunchingCommand {
                    try await command.launch(try ResultPage(command.common))
                } else {
                    try command.run()
                }
        } catch {
            code = CommandLineTool.exitCode(of: error)
            let usage = error as? UsageError
            let lines = (usage?.problem ?? "\(error)").split(separator: "\n", omittingEmptySubsequences: false)
            messages = lines.map { "sequencer-cli: \($0)\n" }.joined() + (usage.map { $0.usage + "\n" } ?? "")
        }
        let output = (try? String(contentsOf: result, encoding: .utf8)) ?? ""
        func named(_ text: String) -> String { file.map { text.replacing($0, with: "<stdin>") } ?? text }
        return Result(code: code.rawValue, output: named(output), messages: named(messages))
    }
}

extension Tool.Result {
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
