import Foundation
import Testing

/// A server of `Examples/Backend` for one test, which may end it: others go on with the server that all tests share.
package struct BackendProcess {
    /// Why there is none.
    package struct NotStarted: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where it listens: `http://127.0.0.1:PORT`.
    package let url: URL
    private let process: Process
    private let ended: DispatchSemaphore

    /// Starts the program that `Scripts/test-examples` names in `SEQUENCER_BACKEND_PROGRAM`, on free ports, and waits until it listens.
    package static func start() throws -> BackendProcess {
        guard let program = ProcessInfo.processInfo.environment["SEQUENCER_BACKEND_PROGRAM"] else {
            throw NotStarted(description: "SEQUENCER_BACKEND_PROGRAM is not set; Scripts/test-examples sets it")
        }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--port", "0", "--speaker-port", "0"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        let ended = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        do {
            return BackendProcess(url: try address(in: output.fileHandleForReading), process: process, ended: ended)
        } catch {
            end(process, ended)
            throw error
        }
    }

    /// Kills it; when this returns, nobody listens where it was. Again: does nothing.
    package func stop() { Self.end(process, ended) }

    private static func end(_ process: Process, _ ended: DispatchSemaphore) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        ended.waitPatiently()
    }

    /// The address in "listening on http://127.0.0.1:8080, ...".
    private static func address(in output: FileHandle) throws -> URL {
        var said = Data()
        while !said.contains(UInt8(ascii: "\n")) {
            var ready = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, Int32(patience / .milliseconds(1))) == 1 else {
                throw NotStarted(description: "the server does not say where it listens")
            }
            let piece = output.availableData
            if piece.isEmpty { throw NotStarted(description: "the server ended before it listened") }
            said += piece
        }
        let words = String(decoding: said, as: UTF8.self).split { " ,\n".contains($0) }
        guard words.starts(with: ["listening", "on"]), words.count > 2, let url = URL(string: String(words[2])) else {
            throw NotStarted(description: "the server said \(String(decoding: said, as: UTF8.self)) where its address was expected")
        }
        return url
    }
}
