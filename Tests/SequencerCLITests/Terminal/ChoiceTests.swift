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
        let choice = Choice(text, among: Self.rooms, default: nil)
        if let expected {
            #expect(choice == .option(expected))
        } else {
            guard case .unclear = choice else {
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
        #expect(Choice(text, among: Self.rooms, default: nil) == .unclear(sentence))
    }

    @Test("Nothing chooses the default, nonsense does not")
    func standard() {
        #expect(Choice(" ", among: Self.rooms, default: 1) == .option(1))
        guard case .unclear = Choice("x", among: Self.rooms, default: 1) else {
            Issue.record("nonsense was taken")
            return
        }
    }

    @Test("Names that are the same can only be told apart by number")
    func twins() {
        let twins = ["Speaker", "Speaker", "Speaker 2"]
        #expect(Choice("speaker", among: twins, default: nil) == .unclear("'speaker' could be 'Speaker' or 'Speaker'; enter its number."))
        #expect(Choice("speaker 2", among: twins, default: nil) == .option(2))
        #expect(Choice("", among: ["One"], default: nil) == .unclear("Nothing was chosen; enter 1 or its name."))
    }
}
