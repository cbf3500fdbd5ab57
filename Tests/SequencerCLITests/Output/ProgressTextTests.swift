import Foundation
import Sequencer
import Testing

@testable import sequencer_cli

@Suite("Progress", .serialized, .timeLimit(.minutes(10)))
struct ProgressTextTests {
    @Test("A bar, its share, and the time that is left")
    func bar() {
        let text = ProgressText(title: "bench", width: 60, isUnicode: false)
        #expect(
            text.line(fraction: 0.25, elapsed: .seconds(10), detail: "")
                == "bench  [#######......................]  25%  about 30 s left"
        )
        #expect(
            text.line(fraction: 0.5, elapsed: .seconds(600), detail: "")
                == "bench  [#############..............]  50%  about 10 min left"
        )
        #expect(text.line(fraction: 1, elapsed: .seconds(2), detail: "").hasSuffix("]  100%"))
        #expect(text.line(fraction: 0, elapsed: .seconds(2), detail: "").hasSuffix("]  0%"))
        let unicode = ProgressText(title: "stats", width: 40, isUnicode: true)
        #expect(unicode.line(fraction: 0.5, elapsed: .seconds(2), detail: "") == "stats  █████░░░░░  50%  about 2 s left")
    }

    @Test("It fits any width; what has no known end has a count")
    func widths() {
        for width in 1...80 {
            for fraction in [nil, -1, 0, 0.3, 1, 7] as [Double?] {
                let line = ProgressText(title: "stats", width: width, isUnicode: true)
                    .line(fraction: fraction, elapsed: .seconds(5), detail: "120 MB, 5 lines")
                #expect(displayWidth(line) <= width, "\(width)")
            }
        }
        let text = ProgressText(title: "stats", width: 60, isUnicode: false)
        #expect(text.line(fraction: nil, elapsed: .seconds(5), detail: "120 MB, 5 lines") == "stats  120 MB, 5 lines")
    }

    @Test("On a terminal it is drawn over, and gone at the end; elsewhere, and before its time, there is none")
    func terminal() async throws {
        let person = try PseudoTerminal()
        let terminal = Terminal(descriptor: person.descriptor)
        let environment = ["TERM": "xterm", "LC_ALL": "C"]
        var early = try #require(ProgressBar("early", on: terminal, patience: .seconds(3600), environment: environment))
        early.update(fraction: 0.1, detail: "")
        early.erase()
        var bar = try #require(ProgressBar("bench", on: terminal, patience: .zero, environment: environment))
        bar.update(fraction: 0.5, detail: "")
        // Too soon after the one before.
        bar.update(fraction: 0.6, detail: "")
        bar.erase()
        terminal.write("result\n")
        #expect(await person.shows("result"))
        #expect(person.shown.contains("\r\u{1B}[Kbench  [") && person.shown.contains("\r\u{1B}[Kresult"))
        #expect(!person.shown.contains("early") && !person.shown.contains("60%"))
        #expect(ProgressBar("dumb", on: terminal, environment: ["TERM": "dumb"]) == nil)
        #expect(ProgressBar("none", on: Terminal(descriptor: -1), environment: environment) == nil)
    }
}
