import TestSupport
import Testing

@testable import sequencer_cli

@Suite("What a typed text chooses", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChoiceTests {
    private static let rooms = ["Kitchen", "Living room", "Kids", "Bad", "3"]

    @Test(
        "A number, or a name in any case that only one has",
        arguments: [
            ("1", 0), (" 2\t", 1), ("05", 4), ("kitchen", 0), ("LIVING ROOM", 1), ("liv", nil), ("kichen", nil),
            ("3", 2), ("0", nil), ("6", nil), ("", nil), ("-9223372036854775808", nil), ("99999999999999999999", nil), ("\u{1B}[2J", nil),
        ] as [(String, Int?)]
    )
    func chosen(_ text: String, _ expected: Int?) {
        let nonsense = Reading<Int>.nonsense("Enter a number from 1 to 5, or a name.")
        #expect(choice(text, among: Self.rooms) == expected.map(Reading.answer) ?? nonsense)
    }

    @Test("Names that are the same can only be told apart by number")
    func twins() {
        let twins = ["Speaker", "Speaker", "Speaker 2"]
        #expect(choice("speaker", among: twins) == .nonsense("Enter a number from 1 to 3, or a name."))
        #expect(choice("speaker 2", among: twins) == .answer(2))
    }
}
