import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Colours and characters", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TextStyleTests {
    private func isColored(_ color: ColorMode, _ isTerminal: Bool, _ environment: [String: String] = [:]) -> Bool {
        TextStyle(color: color, isTerminal: isTerminal, environment: environment).isColored
    }

    @Test("Colour is for terminals, unless someone says otherwise")
    func automatic() {
        #expect(isColored(.auto, true))
        #expect(!isColored(.auto, false))
        #expect(isColored(.auto, true, ["TERM": "xterm-256color", "NO_COLOR": ""]))
        #expect(!isColored(.auto, true, ["NO_COLOR": "1"]))
        #expect(!isColored(.auto, true, ["TERM": "dumb"]))
        #expect(!isColored(.auto, true, ["CLICOLOR": "0"]))
        #expect(isColored(.auto, false, ["CLICOLOR_FORCE": "1"]))
        #expect(!isColored(.auto, false, ["CLICOLOR_FORCE": "0"]))
        #expect(isColored(.auto, false, ["CLICOLOR_FORCE": "1", "TERM": "dumb"]))
        #expect(!isColored(.auto, true, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]))
    }

    @Test("The command line has the last word")
    func asked() {
        #expect(isColored(.always, false, ["NO_COLOR": "1", "TERM": "dumb"]))
        #expect(!isColored(.never, true, ["CLICOLOR_FORCE": "1"]))
    }

    @Test(
        "The locale decides about characters beyond ASCII",
        arguments: [
            ([:], false),
            (["LANG": "en_US.UTF-8"], true),
            (["LANG": "C.utf8"], true),
            (["LANG": "de_DE.UTF-8@euro"], true),
            (["LANG": "POSIX"], false),
            (["LANG": "en_US.UTF-8", "LC_CTYPE": "C"], false),
            (["LANG": "en_US.UTF-8", "LC_CTYPE": "C", "LC_ALL": "C.UTF-8"], true),
            (["LANG": "en_US.UTF-8", "LC_ALL": ""], true),
        ] as [([String: String], Bool)]
    )
    func unicode(environment: [String: String], expected: Bool) {
        #expect(TextStyle(color: .auto, isTerminal: true, environment: environment).isUnicode == expected)
    }

    @Test("Tones begin and end where the text does")
    func tones() {
        let colored = TextStyle(isColored: true, isUnicode: true)
        #expect(colored.red("no") == "\u{1B}[31mno\u{1B}[0m")
        #expect(colored.bold("b") == "\u{1B}[1mb\u{1B}[0m")
        #expect(colored.red("") == "")
        #expect(colored.applying(nil, to: "as it is") == "as it is")
        let plain = TextStyle(isColored: false, isUnicode: true)
        for tone in [plain.bold, plain.dim, plain.red, plain.green, plain.yellow] { #expect(tone("x") == "x") }
    }

    @Test("Durations can be shown in ASCII")
    func durations() {
        #expect(TextStyle(isColored: false, isUnicode: true).duration(.microseconds(80)) == "80 µs")
        #expect(TextStyle(isColored: false, isUnicode: false).duration(.microseconds(80)) == "80 us")
        #expect(TextStyle(isColored: false, isUnicode: false).duration(.zero) == "0 ms")
    }
}

@Suite("Text in columns", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TextColumnTests {
    @Test(
        "Columns of text",
        arguments: [
            ("", 0), ("login", 5), ("Größe", 5), ("e\u{301}", 1), ("日本語", 6), ("한국어", 6), ("\u{1112}\u{1161}\u{11AB}", 2), ("ｆ", 2),
            ("🚀", 2), ("👩‍💻", 2), ("🇯🇵", 2), ("✓", 1), ("❤\u{FE0F}", 2), ("█▏░", 3), ("→", 1),
        ]
    )
    func width(text: String, expected: Int) {
        #expect(displayWidth(text) == expected)
    }

    @Test("Text is cut at its end or in its middle, never in a character")
    func truncation() {
        #expect(truncated("connect-speaker", to: 15, ellipsis: "…") == "connect-speaker")
        #expect(truncated("connect-speaker", to: 10, ellipsis: "…") == "connect-s…")
        #expect(truncated("connect-speaker", to: 10, keepsEnd: true, ellipsis: "…") == "conne…aker")
        #expect(truncated("connect-speaker", to: 10, keepsEnd: true, ellipsis: "...") == "conn...ker")
        #expect(truncated("connect-speaker", to: 2, ellipsis: "...") == "co")
        #expect(truncated("connect-speaker", to: 0, ellipsis: "…") == "")
        #expect(truncated("日本語", to: 4, ellipsis: "…") == "日…")
        for width in 0...20 {
            for keepsEnd in [false, true] {
                #expect(displayWidth(truncated("e\u{301}日本語👩‍💻 and more", to: width, keepsEnd: keepsEnd, ellipsis: "…")) <= width)
            }
        }
    }

    @Test("Text is wrapped between words, and in one that is too long")
    func wrapping() {
        #expect(wrapped("", to: 10, ellipsis: "…") == [""])
        #expect(wrapped("PASS  950 ms", to: 40, ellipsis: "…") == ["PASS  950 ms"])
        #expect(wrapped("one two three four", to: 9, ellipsis: "…") == ["one two", "three", "four"])
        #expect(wrapped("one two three four", to: 10, indent: 2, ellipsis: "…") == ["one two", "  three", "  four"])
        #expect(wrapped("one two", to: 3, ellipsis: "…") == ["one", "two"])
        #expect(wrapped("abcdefghij", to: 4, ellipsis: "…") == ["abcd", "efgh", "ij"])
        #expect(wrapped("one two three four", to: 9, limit: 2, ellipsis: "…") == ["one two", "three fo…"])
        #expect(wrapped("日本語", to: 1, ellipsis: "…") == ["日", "本", "語"])
        for width in 4...30 {
            let lines = wrapped("some words, 日本語 and-a-very-long-one indeed", to: width, indent: 2, ellipsis: "…")
            #expect(lines.allSatisfy { displayWidth($0) <= width })
        }
    }

    @Test("Without a terminal, the environment knows the size, or nobody does")
    func size() {
        let nowhere = Terminal(descriptor: -1)
        #expect(!nowhere.isTerminal)
        #expect(!nowhere.canAnimate([:]))
        #expect(nowhere.size([:]) == Terminal.Size(width: 80, height: 24))
        #expect(nowhere.size(["COLUMNS": "132", "LINES": "50"]) == Terminal.Size(width: 132, height: 50))
        #expect(nowhere.size(["COLUMNS": "wide", "LINES": "-1"]) == Terminal.Size(width: 80, height: 24))
    }
}
