import TestSupport
import Testing

@testable import sequencer_cli

@Suite("What a typed text chooses", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ChoiceTests {
    private static let rooms = ["Kitchen", "Living room", "Kids", "Bad", "3"]

    @Test(
        "A number, a name in any case, or a beginning that only one has",
        arguments: [
            ("1", 0), (" 2\t", 1), ("05", 4), ("kitchen", 0), ("LIVING ROOM", 1), ("liv", 1), ("ki", nil), ("kit", 0), ("b", 3), ("3", 2),
        ] as [(String, Int?)]
    )
    func chosen(_ text: String, _ expected: Int?) {
        let choice = choice(text, among: Self.rooms)
        if let expected {
            #expect(choice == .answer(expected))
        } else {
            guard case .nonsense = choice else {
                Issue.record("\(choice)")
                return
            }
        }
    }

    @Test(
        "What is unclear is said, with what would do",
        arguments: [
            ("", "Nothing was chosen; enter a number from 1 to 5, or a name."),
            ("0", "There is no '0'; enter a number from 1 to 5, or a name."),
            ("6", "There is no '6'; enter a number from 1 to 5, or a name."),
            ("99999999999999999999", "There is no '99999999999999999999'; enter a number from 1 to 5, or a name."),
            ("kichen", "There is no 'kichen'; enter a number from 1 to 5, or a name; did you mean 'Kitchen'?"),
            ("ki", "'ki' could be 'Kitchen' or 'Kids'; enter its number."),
            ("\u{1B}[2J", "There is no '\\u{1B}[2J'; enter a number from 1 to 5, or a name."),
        ]
    )
    func unclear(_ text: String, _ sentence: String) {
        #expect(choice(text, among: Self.rooms) == .nonsense(sentence))
    }

    @Test("Names that are the same can only be told apart by number")
    func twins() {
        let twins = ["Speaker", "Speaker", "Speaker 2"]
        #expect(choice("speaker", among: twins) == .nonsense("'speaker' could be 'Speaker' or 'Speaker'; enter its number."))
        #expect(choice("speaker 2", among: twins) == .answer(2))
        #expect(choice("", among: ["One"]) == .nonsense("Nothing was chosen; enter 1 or its name."))
    }
}
