import Foundation
import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Progress", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProgressTextTests {
    /// What is done at a time since the begin.
    private func progress(_ fraction: Double?, at elapsed: Duration, detail: String = "") -> ProgressState {
        var progress = ProgressState()
        progress.update(fraction: fraction, detail: detail, elapsed: elapsed)
        return progress
    }

    private func line(
        _ title: String,
        _ fraction: Double?,
        _ elapsed: Duration,
        detail: String = "",
        width: Int = 60,
        isUnicode: Bool = false
    ) -> String {
        progress(fraction, at: elapsed, detail: detail).line(title, elapsed: elapsed, width: width, isUnicode: isUnicode)
    }

    @Test("A bar, its share, the time that has gone, and the time that is left")
    func bar() {
        #expect(line("bench", 0.25, .seconds(10)) == "bench  [#####..................]  25%  10 s, about 30 s left")
        #expect(line("bench", 0.5, .seconds(600)) == "bench  [#####......]  50%  10 min 0 s, about 10 min 0 s left")
        #expect(line("bench", 1, .seconds(2)).hasSuffix("]  100%  2 s"))
        #expect(line("bench", 0, .milliseconds(2900)).hasSuffix("]  0%  2 s"))
        #expect(line("stats", 0.5, .seconds(2), width: 48, isUnicode: true) == "stats  ██████░░░░░░░  50%  2 s, about 2 s left")
    }

    @Test("While nobody says anything its time goes on and the rest gets less; past that, nobody knows what is left")
    func ticks() {
        let state = progress(0.4, at: .seconds(8))
        let lines = [8, 9, 19, 20, 21, 500].map {
            state.line("bench", elapsed: .seconds($0), width: 200, isUnicode: false).drop { $0 != "4" }
        }
        #expect(
            lines == [
                "40%  8 s, about 12 s left", "40%  9 s, about 11 s left", "40%  19 s, about 1 s left", "40%  20 s", "40%  21 s",
                "40%  8 min 20 s",
            ]
        )
        #expect(progress(0, at: .seconds(3)).left(.seconds(4)) == nil)
        #expect(progress(nil, at: .seconds(3)).left(.seconds(4)) == nil)
        #expect(progress(1e-300, at: .seconds(3)).left(.seconds(4)) == nil)
        #expect(progress(.nan, at: .seconds(3)).fraction == 0 && progress(7, at: .zero).fraction == 1)
    }

    @Test("It fits any width; what has no known end has a count and a time")
    func widths() {
        for width in 1...80 {
            for fraction in [nil, -1, 0, 0.3, 1, 7] as [Double?] {
                let text = line("stats", fraction, .seconds(5), detail: "120 MB, 5 lines", width: width, isUnicode: true)
                #expect(displayWidth(text) <= width, "\(width)")
            }
        }
        #expect(line("stats", nil, .seconds(5), detail: "120 MB, 5 lines") == "stats  120 MB, 5 lines, 5 s")
        #expect(line("stats", nil, .seconds(5)) == "stats  5 s")
    }

    @Test("On a terminal it is drawn over, and gone at the end; elsewhere, and before its time, there is none")
    func terminal() async throws {
        let person = try PseudoTerminal()
        let terminal = Terminal(descriptor: person.descriptor)
        let environment = ["TERM": "xterm", "LC_ALL": "C"]
        func view(patience: Duration, environment: [String: String], now: (@Sendable () -> Duration)? = nil) -> LiveView? {
            LiveView(on: terminal, isLine: true, patience: patience, tick: nil, environment: environment, now: now)
        }
        let early = ProgressBar("early", on: try #require(view(patience: .seconds(3600), environment: environment)))
        early.update(fraction: 0.1)
        early.erase {}
        early.end()
        let bar = ProgressBar("bench", on: try #require(view(patience: .zero, environment: environment) { .seconds(7) }))
        bar.update(fraction: 0.5)
        // Too soon after the one before.
        bar.update(fraction: 0.6)
        bar.erase { terminal.write("words\n") }
        bar.update(fraction: 0.7)
        bar.end()
        bar.update(fraction: 0.8)
        terminal.write("result\n")
        #expect(await person.shows("result"))
        #expect(person.shown.contains("\r\u{1B}[Kbench  [") && person.shown.contains("\r\u{1B}[Kwords"))
        #expect(person.shown.contains("70%") && person.shown.contains("\r\u{1B}[Kresult"))
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
            isLine: true,
            patience: .seconds(1),
            tick: .milliseconds(1),
            environment: ["TERM": "xterm", "LC_ALL": "C"],
            now: { .seconds(seconds.withLock { $0 }) }
        )
        let bar = ProgressBar("bench", on: try #require(view))
        bar.update(fraction: 0)
        for second in 1...3 {
            seconds.withLock { $0 = second }
            #expect(await person.shows("0%  \(second) s"))
        }
        bar.end()
        #expect(person.shown.components(separatedBy: "0%").count == 4)
    }

    @Test("In lines it stays, off a terminal too: one at once, and another after five seconds")
    func lines() throws {
        let pipe = Pipe()
        let seconds = Locked(0)
        let view = LiveView(
            on: Terminal(descriptor: pipe.fileHandleForWriting.fileDescriptor),
            inLines: true,
            isLine: true,
            tick: nil,
            environment: ["LC_ALL": "C", "COLUMNS": "60"],
            now: { .seconds(seconds.withLock { $0 }) }
        )
        let bar = ProgressBar("bench", on: try #require(view))
        for (second, fraction) in [(0, 0.0), (1, 0.1), (5, 0.5), (6, 0.6)] {
            seconds.withLock { $0 = second }
            bar.update(fraction: fraction)
        }
        bar.end()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("]  0%  0 s") && lines[1].hasSuffix("]  50%  5 s, about 5 s left"), "\(text)")
        #expect(!text.contains("\u{1B}") && !text.contains("\r"))
    }

    @Test("--progress: a line for each operation that has ended")
    func operations() async throws {
        let plain = try await Tool.run("run", "regular", "--clock", "virtual")
        let result = try await Tool.run("run", "regular", "--clock", "virtual", "--progress")
        #expect(plain.messages.isEmpty && result.code == 0 && result.output == plain.output)
        let lines = result.messages.split(separator: "\n").filter { $0.contains(" of 7  ") }
        #expect(lines.count == 7 && lines.first == "run  1 of 7  force-update succeeded at 300 ms", "\(result.messages)")
        #expect(lines.last == "run  7 of 7  main-app succeeded at 800 ms", "\(result.messages)")
        #expect(try await Tool.run("plan", "regular", "--progress").messages.hasPrefix("plan  regular, "))
    }
}
