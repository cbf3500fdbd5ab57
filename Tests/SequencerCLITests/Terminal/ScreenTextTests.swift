import Sequencer
import TestSupport
import Testing

@testable import SequencerAnalysis
@testable import sequencer_cli

@Suite("Texts of screens", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScreenTextTests {
    private static let unicode = TextStyle(isColored: false, isUnicode: true)
    private static let ascii = TextStyle(isColored: false, isUnicode: false)
    private static let screen = ScreenText(
        title: "Update required",
        paragraphs: [
            .init(text: "This version, 1.0.0, cannot be used any more.\nPlease install 2.0.0."), .blank,
            .init(text: "1  Küche 日本", indent: 3),
        ]
    )

    @Test("In ASCII, wrapped")
    func ascii() {
        #expect(
            Self.screen.text(width: 20, style: Self.ascii) == """
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
        #expect(ScreenText(title: "Welcome", paragraphs: []).text(width: 80, style: Self.unicode) == "Welcome\n")
        let long = ScreenText(title: "A very long title", paragraphs: [.init(text: "x")])
        #expect(long.text(width: 12, style: Self.ascii) == "A very l...\nx\n")
        #expect(ScreenText(title: "", paragraphs: [.init(text: "x")]).text(width: 80, style: Self.ascii) == "x\n")
    }

    @Test("Colours do not count as columns")
    func colors() {
        let screen = ScreenText(title: "T", paragraphs: [.init(text: "red red", tone: .red), .init(text: "longer")])
        #expect(
            screen.text(width: 8, style: TextStyle(isColored: true, isUnicode: false)) == """
                \u{1B}[1mT\u{1B}[0m
                \u{1B}[31mred red\u{1B}[0m
                longer

                """
        )
    }

    @Test("Nothing is wider than the terminal, and nothing in it is obeyed", arguments: 4...60)
    func fits(width: Int) {
        let screen = ScreenText(
            title: "日本語\u{1B}[2J with a title",
            paragraphs: [.init(text: "e\u{301}日本語👩‍💻 and-a-very-long-word\u{7}\r\n\u{1B}[31mred", indent: 4)]
        )
        for style in [Self.unicode, Self.ascii] {
            let lines = screen.text(width: width, style: style).split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { displayWidth($0) < width }, "\(lines)")
            #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
    }

    @Test("A text without end has one here")
    func huge() {
        let screen = ScreenText(title: "", paragraphs: [.init(text: String(repeating: "word\n", count: 100_000))])
        #expect(screen.text(width: 80, style: Self.ascii).split(separator: "\n").count == 500)
    }
}
