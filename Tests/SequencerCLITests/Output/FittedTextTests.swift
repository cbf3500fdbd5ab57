import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Texts that fit the terminal", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FittedTextTests {
    @Test("What fits stays as it is, empty lines and spaces included")
    func fits() {
        for text in ["", "\n", "  a  b\n\n    c\n", "12345678"] { #expect(fitted(text, to: 8) == text) }
    }

    @Test("A sentence goes on to the right of its beginning, a column below itself")
    func continuation() {
        #expect(fitted("one two three four\n", to: 12) == "one two\n    three\n    four\n")
        #expect(fitted("  -a  one two three\n", to: 14) == "  -a  one two\n      three\n")
    }

    @Test("A column without room begins a line, and a long word stays whole")
    func noRoom() {
        #expect(fitted("  --option  one two three\n", to: 14) == "  --option\n      one two\n      three\n")
        #expect(fitted("12345678901234 5", to: 8) == "12345678901234\n    5")
    }

    @Test("Colours take no columns")
    func colours() {
        let text = "\u{1B}[31m1234\u{1B}[0m 5678"
        #expect(fitted(text, to: 9) == text)
    }
}
