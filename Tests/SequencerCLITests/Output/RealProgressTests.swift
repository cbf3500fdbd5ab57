import Foundation
import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

/// A process has one live view: no other test may run beside.
@Suite("Progress", .serialized, .timeLimit(.minutes(30)), .real)
struct RealProgressTests {
    @Test("On a terminal it is drawn over, and gone at the end; elsewhere, and before its time, there is none")
    func terminal() async throws {
        let person = try PseudoTerminal()
        let terminal = Terminal(descriptor: person.descriptor)
        let environment = ["TERM": "xterm", "LC_ALL": "C"]
        func view(patience: Duration, environment: [String: String], now: (@Sendable () -> Duration)? = nil) -> LiveView? {
            LiveView(on: terminal, patience: patience, tick: nil, environment: environment, now: now)
        }
        let early = ProgressLine("early", on: try #require(view(patience: .seconds(3600), environment: environment)))
        early.update(fraction: 0.1)
        let drawn = try #require(view(patience: .zero, environment: environment) { .seconds(7) })
        let bar = ProgressLine("bench", on: drawn)
        bar.update(fraction: 0.5)
        // Too soon after the one before.
        bar.update(fraction: 0.6)
        drawn.pause()
        terminal.write("words\n")
        drawn.resume()
        bar.update(fraction: 0.7)
        drawn.end()
        bar.update(fraction: 0.8)
        terminal.write("result\n")
        #expect(await person.shows("result"))
        #expect(person.shown.contains("bench  50%  7 s") && person.shown.contains("\u{1B}[1A\r\u{1B}[Jwords"))
        #expect(person.shown.contains("70%") && person.shown.contains("\u{1B}[1A\r\u{1B}[Jresult"))
        #expect(!person.shown.contains("early") && !person.shown.contains("60%") && !person.shown.contains("80%"))
        #expect(view(patience: .zero, environment: ["TERM": "dumb"]) == nil)
        #expect(LiveView(on: Terminal(descriptor: -1), environment: environment) == nil)
    }

    @Test("A timer draws it while nobody says anything, once for each line that is new")
    func timer() async throws {
        let person = try PseudoTerminal()
        let seconds = Locked(0)
        let view = LiveView(
            on: Terminal(descriptor: person.descriptor),
            patience: .seconds(1),
            tick: .milliseconds(1),
            environment: ["TERM": "xterm", "LC_ALL": "C"],
            now: { .seconds(seconds.withLock { $0 }) }
        )
        let drawn = try #require(view)
        let bar = ProgressLine("bench", on: drawn)
        bar.update(fraction: 0)
        for second in 1...3 {
            seconds.withLock { $0 = second }
            #expect(await person.shows("0%  \(second) s"))
        }
        drawn.end()
        #expect(person.shown.components(separatedBy: "0%").count == 4)
    }

    @Test("In lines it stays, off a terminal too: one at once, and another after five seconds")
    func lines() throws {
        let pipe = Pipe()
        let seconds = Locked(0)
        let view = LiveView(
            on: Terminal(descriptor: pipe.fileHandleForWriting.fileDescriptor),
            inLines: true,
            tick: nil,
            environment: ["LC_ALL": "C", "COLUMNS": "60"],
            now: { .seconds(seconds.withLock { $0 }) }
        )
        let told = try #require(view)
        let bar = ProgressLine("bench", on: told)
        for (second, fraction) in [(0, 0.0), (1, 0.1), (5, 0.5), (6, 0.6)] {
            seconds.withLock { $0 = second }
            bar.update(fraction: fraction)
        }
        told.end()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "bench  0%  0 s" && lines[1] == "bench  50%  5 s", "\(text)")
        #expect(!text.contains("\u{1B}") && !text.contains("\r"))
    }

    @Test("--progress: how many operations have ended, on standard error")
    func operations() async throws {
        let plain = try await Tool.run("run", "regular", "--clock", "virtual")
        let result = try await Tool.run("run", "regular", "--clock", "virtual", "--progress")
        #expect(plain.messages.isEmpty && result.code == 0 && result.output == plain.output)
        #expect(result.messages.contains("of 7 ended"), "\(result.messages)")
        #expect(try await Tool.run("plan", "regular", "--progress").messages.hasPrefix("plan  regular  "))
    }
}
