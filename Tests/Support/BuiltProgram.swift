import Foundation
import Testing

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

    /// It did not end while a test is patient, and was killed.
    package struct Endless: Error {
        package let program: String
        package let arguments: [String]
        /// What the system said of it before it was killed: its state, and where each of its threads waited; empty where the system does not say.
        package let state: String
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
        // Without the size of the caller's terminal, to which lines would be fitted.
        let callers = ProcessInfo.processInfo.environment.filter { !["COLUMNS", "LINES"].contains($0.key) }
        process.environment = callers.merging(own) { $1 }.merging(environment) { $1 }
        let handles = (
            input: try FileHandle(forReadingFrom: standardInput), output: try FileHandle(forWritingTo: output),
            messages: try FileHandle(forWritingTo: messages)
        )
        // A process keeps its handles on Linux. With more than 1,300 open files, Foundation reads past the end of its list of them in `run()`.
        defer { for handle in [handles.input, handles.output, handles.messages] { try? handle.close() } }
        (process.standardInput, process.standardOutput, process.standardError) = handles
        let ended: Swift.Result<Void, any Error>? = await callback(orElse: nil) { done in
            process.terminationHandler = { _ in done(.success(())) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                done(.failure(error))
            }
        }
        guard let ended else {
            let state = Self.state(of: process.processIdentifier)
            // All that it started: a program has a process group of its own.
            kill(-process.processIdentifier, SIGKILL)
            throw Endless(program: url.lastPathComponent, arguments: arguments, state: state)
        }
        try ended.get()
        return Result(
            code: process.terminationReason == .uncaughtSignal ? 128 + process.terminationStatus : process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            messages: String(decoding: try Data(contentsOf: messages), as: UTF8.self)
        )
    }

    /// What Linux says of a process: "S (sleeping)", and the name and the wait of each thread.
    private static func state(of process: Int32) -> String {
        func read(_ path: String) -> String {
            (try? String(contentsOfFile: "/proc/\(process)/\(path)", encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
                ?? ""
        }
        let state = read("status").split(separator: "\n").first { $0.hasPrefix("State:") } ?? "gone"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return ([String(state)] + threads.sorted().map { "\(read("task/\($0)/comm")) \(read("task/\($0)/wchan"))" }).joined(separator: "; ")
    }
}

/// Runs a command of this machine, whose input is empty and whose output nobody sees, to learn whether it can be done here.
///
/// - Returns: its exit code; nil where it cannot be started, or does not end while a test is patient.
package func exitCode(of path: String, _ arguments: String...) -> Int32? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    guard (try? process.run()) != nil else { return nil }
    guard ended.wait(timeout: .now() + patience / .seconds(1)) == .success else {
        kill(process.processIdentifier, SIGKILL)
        return nil
    }
    return process.terminationStatus
}
