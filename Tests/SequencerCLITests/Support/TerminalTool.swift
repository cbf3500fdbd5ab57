import Foundation
import TestSupport

extension Tool {
    /// Starts the tool on a terminal, which is its input, output and standard error.
    ///
    /// - Parameters:
    ///   - input: in place of the terminal.
    ///   - output: in place of the terminal.
    /// - Returns: the process, and its exit code, once it has ended.
    static func start(
        on terminal: PseudoTerminal,
        _ arguments: [String],
        input: Any? = nil,
        output: FileHandle? = nil,
        environment: [String: String] = [:]
    ) throws -> (process: Process, code: Task<Int32, Never>) {
        let process = Process()
        process.executableURL = path
        process.arguments = arguments
        // What decides about colours is what the test says, and nothing else.
        var all = ProcessInfo.processInfo.environment.filter { !["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"].contains($0.key) }
        all.merge(["LC_ALL": "C.UTF-8", "TERM": "xterm"]) { $1 }
        all.merge(environment) { $1 }
        process.environment = all
        let end = FileHandle(fileDescriptor: terminal.descriptor, closeOnDealloc: false)
        process.standardInput = input ?? end
        process.standardOutput = output ?? end
        process.standardError = end
        let (codes, code) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            code.yield(process.terminationStatus)
            code.finish()
        }
        try process.run()
        return (
            process,
            Task { [pid = process.processIdentifier] in
                let end = Task {
                    try await Task.sleep(for: patience)
                    kill(pid, SIGKILL)
                }
                defer { end.cancel() }
                for await code in codes { return code }
                return -1
            }
        )
    }
}
