import Sequencer
import Testing

@testable import sequencer_cli

@Suite("Boxes", .serialized)
struct ScreenBoxTests {
    private static let unicode = TextStyle(isColored: false, isUnicode: true)
    private static let ascii = TextStyle(isColored: false, isUnicode: false)
    private static let box = ScreenBox(
        title: "Update required",
        paragraphs: [
            .init(text: "This version, 1.0.0, cannot be used any more.\nPlease install 2.0.0."), .blank,
            .init(text: "1  Küche 日本", indent: 3),
        ]
    )

    @Test("With line-drawing characters")
    func unicode() {
        #expect(
            Self.box.text(width: 80, style: Self.unicode) == """
                ╭─ Update required ─────────────────────────────╮
                │ This version, 1.0.0, cannot be used any more. │
                │ Please install 2.0.0.                         │
                │                                               │
                │ 1  Küche 日本                                 │
                ╰───────────────────────────────────────────────╯

                """
        )
    }

    @Test("In ASCII, wrapped")
    func ascii() {
        #expect(
            Self.box.text(width: 24, style: Self.ascii) == """
                +- Update required -+
                | This version,     |
                | 1.0.0, cannot be  |
                | used any more.    |
                | Please install    |
                | 2.0.0.            |
                |                   |
                | 1  Küche 日本     |
                +-------------------+

                """
        )
    }

    @Test("Without room for a frame, without one")
    func narrow() {
        let box = ScreenBox(title: "A title", paragraphs: [.init(text: "one two three")])
        #expect(box.text(width: 10, style: Self.unicode) == "A title\none two\nthree\n")
    }

    @Test("A title that is longer than the text, one that is too long, and none")
    func titles() {
        #expect(
            ScreenBox(title: "Welcome", paragraphs: []).text(width: 80, style: Self.unicode) == """
                ╭─ Welcome ─╮
                ╰───────────╯

                """
        )
        #expect(
            ScreenBox(title: "A very long title", paragraphs: [.init(text: "x")]).text(width: 16, style: Self.ascii) == """
                +- A very... -+
                | x           |
                +-------------+

                """
        )
        #expect(
            ScreenBox(title: "", paragraphs: [.init(text: "x")]).text(width: 80, style: Self.ascii) == """
                +---+
                | x |
                +---+

                """
        )
    }

    @Test("Colours do not count as columns")
    func colors() {
        let box = ScreenBox(title: "T", paragraphs: [.init(text: "red", tone: .red), .init(text: "longer")])
        #expect(
            box.text(width: 80, style: TextStyle(isColored: true, isUnicode: false)) == """
                +- \u{1B}[1mT\u{1B}[0m ----+
                | \u{1B}[31mred\u{1B}[0m    |
                | longer |
                +--------+

                """
        )
    }

    @Test("Nothing is wider than the terminal, and nothing in it is obeyed", arguments: 4...60)
    func fits(width: Int) {
        let box = ScreenBox(
            title: "日本語\u{1B}[2J with a title",
            paragraphs: [.init(text: "e\u{301}日本語👩‍💻 and-a-very-long-word\u{7}\r\n\u{1B}[31mred", indent: 4)]
        )
        for style in [Self.unicode, Self.ascii] {
            let lines = box.text(width: width, style: style).split(separator: "\n").map(String.init)
            #expect(lines.allSatisfy { displayWidth($0) < width }, "\(lines)")
            #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
            if width >= 16 { #expect(Set(lines.map { displayWidth($0) }).count == 1) }
        }
    }

    @Test("A text without end has one here")
    func huge() {
        let box = ScreenBox(title: "", paragraphs: [.init(text: String(repeating: "word\n", count: 100_000))])
        #expect(box.text(width: 80, style: Self.ascii).split(separator: "\n").count == 502)
    }
}
