import Foundation
import Testing

/// The tool on a terminal, with a person who answers.
@Suite("run --interactive", .serialized, .timeLimit(.minutes(10)))
struct InteractiveRunTests {
    @Test("a first launch asks for everything on the terminal, hides the password, and remembers the answers")
    func firstLaunch() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let terminal = try PseudoTerminal()
        let process = try start(terminal, ["run", "--interactive", "--region", "de-DE", "--state", folder.file("device").path])
        #expect(await terminal.shows("Number or name: "))
        terminal.type("1\n")
        #expect(await terminal.shows("E-mail: "))
        terminal.type("person@example.com\n")
        #expect(await terminal.shows("Password: "))
        terminal.type("correct horse\n")
        #expect(await terminal.shows("Return: next, s: skip "))
        terminal.type("\n")
        #expect(await terminal.shows("Return: done "))
        terminal.type("\n")
        #expect(await terminal.shows("Which speaker do you want to use?"))
        #expect(await terminal.shows("Number or name: ", times: 2))
        terminal.type("Kitchen\n")
        #expect(await terminal.shows("Connected to Kitchen."))
        #expect(await terminal.shows("first-launch: completed"))
        #expect(await process.value == 0)
        #expect(!terminal.shown.contains("correct horse"))
        #expect(terminal.shown.contains("waiting for a person not counted"))

        let next = try await Tool.run("run", "--state", folder.file("device").path, "--json", "--budget", "60s")
        #expect(try next.json()["scenario"] as? String == "regular")
    }

    @Test("without a terminal it is refused, in one sentence")
    func noTerminal() async throws {
        let result = try await Tool.run("run", "--interactive")
        #expect(result.code == 64)
        #expect(result.messages.hasPrefix("sequencer-cli: --interactive needs a terminal"))
    }

    /// Starts the tool on the terminal.
    ///
    /// - Returns: its exit code, once it has ended.
    private func start(_ terminal: PseudoTerminal, _ arguments: [String]) throws -> Task<Int32, Never> {
        let process = Process()
        process.executableURL = Tool.path
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm"]) { $1 }
        let end = FileHandle(fileDescriptor: terminal.descriptor, closeOnDealloc: false)
        process.standardInput = end
        process.standardOutput = end
        process.standardError = end
        let (codes, code) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            code.yield(process.terminationStatus)
            code.finish()
        }
        try process.run()
        return Task {
            for await code in codes { return code }; return -1
        }
    }
}
