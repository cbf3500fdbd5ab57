import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Asking on a terminal", .serialized, .timeLimit(.minutes(30)), .real)
struct RealTerminalInputTests {
    private let terminal: PseudoTerminal
    private let input: TerminalInput

    init() throws {
        terminal = try PseudoTerminal()
        input = try #require(TerminalInput(terminalOf: terminal.descriptor))
    }

    private func ask(_ prompt: String, isSecret: Bool = false) async -> Reading<String>? {
        await input.line(isSecret: isSecret) { terminal.write(prompt) }
    }

    @Test("What a person types is the answer, as they have edited it, and they see it")
    func line() async {
        async let line = ask("Name: ")
        #expect(await terminal.shows("Name: "))
        // Backspace.
        terminal.type("Zöx\u{7F}e\n")
        #expect(await line == .answer("Zöe"))
        // The echo is read on another thread.
        #expect(await terminal.shows("Name: Zöx"))
    }

    @Test("Lines typed ahead answer the questions that follow, one each")
    func typedAhead() async {
        terminal.type("one\ntwo\n\nfour\n")
        var lines: [Reading<String>?] = []
        for number in 1...4 { lines.append(await ask("\(number)? ", isSecret: number == 2)) }
        #expect(lines == [.answer("one"), .answer("two"), .answer(""), .answer("four")])
    }

    // MARK: Secrets

    @Test("A password is not shown; afterwards everything is as it was")
    func secret() async {
        let modes = terminal.modes
        async let line = ask("Password: ", isSecret: true)
        #expect(await terminal.shows("Password: "))
        #expect(!terminal.echoes)
        terminal.type("correct horse\n")
        #expect(await line == .answer("correct horse"))
        #expect(areEqual(terminal.modes, modes))
        async let next = ask("Name: ")
        #expect(await terminal.shows("Name: "))
        terminal.type("seen\n")
        #expect(await next == .answer("seen"))
        #expect(await terminal.shows("seen\r\n"))
        #expect(terminal.shown == "Password: \r\nName: seen\r\n")
    }

    @Test("While a password is typed the keys that suspend and quit do nothing; Ctrl-C still interrupts")
    func keys() async throws {
        async let line = ask("Password: ", isSecret: true)
        #expect(await terminal.shows("Password: "))
        var modes = try #require(terminal.modes)
        let keys = withUnsafeBytes(of: &modes.c_cc) { [$0[Int(VSUSP)], $0[Int(VQUIT)], $0[Int(VINTR)]] }
        let disabled = UInt8(truncatingIfNeeded: fpathconf(terminal.descriptor, Int32(_PC_VDISABLE)))
        #expect(keys == [disabled, disabled, 3])
        terminal.type("\n")
        #expect(await line == .answer(""))
    }

    @Test("A password that nobody wants any more leaves no trace: the terminal is restored, and what was typed is dropped")
    func cancelledSecret() async {
        let modes = terminal.modes
        let task = Task { await ask("Password: ", isSecret: true) }
        #expect(await terminal.shows("Password: "))
        terminal.type("half a pass")
        task.cancel()
        #expect(await task.value == nil)
        #expect(areEqual(terminal.modes, modes))
        async let next = ask("Name: ")
        #expect(await terminal.shows("Name: "))
        terminal.type("whole\n")
        #expect(await next == .answer("whole"))
        #expect(!terminal.shown.contains("half"))
    }

    // MARK: Ends

    @Test("Ctrl-D leaves one question, not all; after half a line it sends that")
    func endOfInput() async {
        async let first = ask("1? ")
        #expect(await terminal.shows("1? "))
        terminal.type("\u{4}")
        #expect(await first == nil)
        async let second = ask("2? ")
        #expect(await terminal.shows("2? "))
        terminal.type("half\u{4}\u{4}")
        #expect(await second == .answer("half"))
        async let third = ask("3? ")
        #expect(await terminal.shows("3? "))
        terminal.type("there\n")
        #expect(await third == .answer("there"))
    }

    @Test("A question that is cancelled ends at once, however early")
    func cancellation() async {
        for _ in 0..<50 {
            let task = Task { await ask("? ") }
            await Task.yield()
            task.cancel()
            #expect(await task.value == nil)
        }
        async let line = ask("Still there? ")
        #expect(await terminal.shows("Still there? "))
        terminal.type("yes\n")
        #expect(await line == .answer("yes"))
    }

    @Test("A terminal that is closed while it asks, and one that was closed before, count as dismissed", arguments: [false, true])
    func hangUp(isSecret: Bool) async throws {
        let terminal = try PseudoTerminal(isWatched: false)
        let input = try #require(TerminalInput(terminalOf: terminal.descriptor))
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        async let line = input.line(isSecret: isSecret) { ask.yield() }
        var asks = asked.makeAsyncIterator()
        await asks.next()
        terminal.hangUp()
        #expect(await line == nil)
        #expect(await input.line(isSecret: isSecret) == nil)
        #expect(TerminalInput(terminalOf: terminal.descriptor) == nil)
    }

    @Test("What is no terminal is none")
    func noTerminal() async throws {
        #expect(TerminalInput(terminalOf: -1) == nil)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        #expect(TerminalInput(terminalOf: null) == nil)
        #expect(await TerminalInput(descriptor: null).line() == nil)
        #expect(await TerminalInput(descriptor: -1).line() == nil)
    }

    @Test("Lines of a pipe come one by one, up to its end, and too long ones not at all")
    func pipe() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(Foundation.pipe(&ends) == 0)
        let text = Array(("one\n" + String(repeating: "x", count: 5000) + "\ntwo\nrest").utf8)
        #expect(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        let input = TerminalInput(descriptor: ends[0])
        defer { close(ends[0]) }
        var lines: [Reading<String>] = []
        while let line = await input.line() { lines.append(line) }
        #expect(lines == [.answer("one"), .nonsense("That is too long."), .answer("two"), .answer("rest")])
    }

    @Test("Bytes that are no text are said to be")
    func notUTF8() async {
        async let line = ask("? ")
        #expect(await terminal.shows("? "))
        terminal.type([0xFF, 0xFE, 0x0A])
        #expect(await line == .nonsense("That is not text in UTF-8."))
    }

    @Test("Many questions leave neither descriptors nor threads behind")
    func leaks() async {
        // In a process of its own: other tests open files and start threads too.
        await #expect(processExitsWith: .success) {
            let terminal = try PseudoTerminal()
            @Sendable func askOnce() async throws {
                let input = try #require(TerminalInput(terminalOf: terminal.descriptor))
                terminal.type("x\n")
                #expect(await input.line(isSecret: true) == .answer("x"))
            }
            func descriptors() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count }
            try await askOnce()
            let before = try descriptors()
            for _ in 0..<20 { try await askOnce() }
            // The threads of the last ones may be about to end; and Dispatch opens some for itself when it likes.
            while try descriptors() >= before + 20 { sched_yield() }
        }
    }
}
