import Foundation

/// A program of this package as the build has made it, run as a person runs it.
package struct BuiltProgram: Sendable {
    /// What came of a run.
    package struct Result: Sendable {
        /// The exit code; 128 and the signal for a program that one ended.
        package let code: Int32
        /// What it wrote to standard output.
        package let output: String
        /// What it wrote to standard error.
        package let messages: String
    }

    /// Where it is.
    package let url: URL

    /// The program at `url`.
    package init(_ url: URL) { self.url = url }

    /// The program of that name, beside the test bundle, where the build puts both.
    package init(named name: String) {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let candidates = [bundle.deletingLastPathComponent(), Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
        let programs = candidates.map { $0.appendingPathComponent(name) }
        url = programs.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? programs[0]
    }

    /// Runs it to its end, with an environment without colours and a state folder of its own.
    package func run(_ arguments: [String] = [], input: Data = Data(), environment: [String: String] = [:]) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sequencer-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes: whatever the program prints, nobody has to read while it runs.
        let (output, messages) = (folder.appendingPathComponent("output"), folder.appendingPathComponent("messages"))
        let standardInput = folder.appendingPathComponent("input")
        try input.write(to: standardInput)
        for file in [output, messages] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        // A state folder of its own: what one launch remembers must not change another.
        let own = ["NO_COLOR": "1", "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": folder.appendingPathComponent("state").path]
        process.environment = ProcessInfo.processInfo.environment.merging(own) { $1 }.merging(environment) { $1 }
        let handles = (
            input: try FileHandle(forReadingFrom: standardInput), output: try FileHandle(forWritingTo: output),
            messages: try FileHandle(forWritingTo: messages)
        )
        // A process keeps its handles on Linux. With more than 1,300 open files, Foundation reads past the end of its list of them in `run()`.
        defer { for handle in [handles.input, handles.output, handles.messages] { try? handle.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = handles
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Result(
            code: process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            messages: String(decoding: try Data(contentsOf: messages), as: UTF8.self)
        )
    }
}
