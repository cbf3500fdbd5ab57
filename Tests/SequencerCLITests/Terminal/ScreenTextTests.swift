import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Texts of screens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScreenTextTests {
    private static let unicode = TextStyle(isColored: false, isUnicode: true)
    private static let ascii = TextStyle(isColored: false, isUnicode: false)

    @Test("In ASCII, wrapped")
    func ascii() {
        let texts = ["This version, 1.0.0, cannot be used any more.\nPlease install 2.0.0.", "", "1  Küche 日本"]
        #expect(
            screenText("Update required", texts, width: 20, Self.ascii) == """
                Update required
                This version,
                1.0.0, cannot be
                used any more.
                Please install
                2.0.0.

                1  Küche 日本

                """
        )
    }

    @Test("A title alone, one that is too long, and none")
    func titles() {
        #expect(screenText("Welcome", [], width: 80, Self.unicode) == "Welcome\n")
        #expect(screenText("A very long title", ["x"], width: 12, Self.ascii) == "A very l...\nx\n")
        #expect(screenText("", ["x"], width: 80, Self.ascii) == "x\n")
    }

    @Test("Nothing is wider than the terminal, and nothing in it is obeyed", arguments: 4...60)
    func fits(width: Int) {
        let text = "e\u{301}日本語👩‍💻 and-a-very-long-word\u{7}\r\n\u{1B}[31mred"
        for style in [Self.unicode, Self.ascii] {
            let screen = screenText("日本語\u{1B}[2J with a title", [text], width: width, style)
            let lines = screen.split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { displayWidth($0) < width }, "\(lines)")
            #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
    }

    @Test("A text without end has one here")
    func huge() {
        let text = screenText("", [String(repeating: "word\n", count: 100_000)], width: 80, Self.ascii)
        #expect(text.split(separator: "\n").count == 500)
    }
}
