import Foundation
import TestSupport
import Testing

/// The tool on a terminal, with a person who answers.
@Suite("run --interactive", .serialized, .timeLimit(.minutes(30)), .real)
struct RealInteractiveRunTests {
    @Test("a first launch asks for everything on the terminal, hides the password, and remembers the answers")
    func firstLaunch() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let terminal = try PseudoTerminal()
        let arguments = ["run", "--interactive", "--region", "de-DE", "--state", folder.file("device").path]
        let tool = try Tool.start(on: terminal, arguments, environment: ["NO_COLOR": "1"])
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
        #expect(await tool.code.value == 0)
        #expect(!terminal.shown.contains("correct horse"))
        #expect(terminal.shown.contains("waiting for a person not counted"))

        let next = try await Tool.run("run", "--state", folder.file("device").path, "--json", "--budget", "60s")
        #expect(try next.json()["scenario"] as? String == "regular")
    }
}
