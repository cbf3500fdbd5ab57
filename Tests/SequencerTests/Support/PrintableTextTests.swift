import TestSupport
import Testing

@testable import Sequencer

@Suite("Texts of others", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PrintableTextTests {
    @Test(
        "fault J10: what turns the direction of writing, or is not seen, is shown by its number",
        arguments: [
            ("log\u{202E}in", #"log\u{202E}in"#), ("\u{2067}a\u{2069}", #"\u{2067}a\u{2069}"#),
            ("a\u{200E}\u{200F}\u{61C}", #"a\u{200E}\u{200F}\u{061C}"#),
            ("lo\u{200B}g\u{200C}i\u{200D}n", #"lo\u{200B}g\u{200C}i\u{200D}n"#),
            ("a\u{2060}\u{FEFF}\u{AD}b", #"a\u{2060}\u{FEFF}\u{00AD}b"#),
            ("a\u{E0041}\u{E0101}", #"a\u{000E0041}\u{000E0101}"#), ("login\u{FE0F}", #"login\u{FE0F}"#), ("1\u{FE0F}", #"1\u{FE0F}"#),
            ("\u{3164}\u{115F}\u{180E}", #"\u{3164}\u{115F}\u{180E}"#), ("Глав\u{200C}ная", #"Глав\u{200C}ная"#),
            ("👩\u{200D}a", #"👩\u{200D}a"#),
            ("👩\u{200D}", #"👩\u{200D}"#), ("\u{200D}👩", #"\u{200D}👩"#), ("a\u{FE0F}\u{200D}👩", #"a\u{FE0F}\u{200D}👩"#),
        ]
    )
    func hidden(text: String, shown: String) {
        #expect(printable(text) == shown)
        #expect(!judgedScalars(text).allSatisfy { $0.isShown })
    }

    @Test(
        "joiners and variation selectors stay where they belong to an emoji or to a script",
        arguments: [
            "👩‍👩‍👧", "👩🏽‍🚀", "❤️", "👩‍❤️‍👨", "1️⃣", "می\u{200C}خواهم", "क्\u{200D}ष", "e\u{301}", "אבג", "漢字", "\u{A0}", "🇯🇵",
        ]
    )
    func kept(text: String) {
        #expect(printable(text) == text)
    }
}

@Suite("Durations in sentences", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct DurationTextTests {
    @Test(
        "three digits at the most, in the unit that fits",
        arguments: [
            (Duration.zero, "0 ms"), (.nanoseconds(5), "5 ns"), (.microseconds(80), "80 µs"), (.nanoseconds(1234), "1.23 µs"),
            (.microseconds(999), "999 µs"), (.nanoseconds(999_999), "1 ms"), (.milliseconds(400), "400 ms"),
            (.microseconds(999_900), "1 s"),
            (.milliseconds(1250), "1.25 s"), (.milliseconds(59_999), "1 min"), (.seconds(90), "1.5 min"), (.seconds(86_400), "24 h"),
            (.milliseconds(-400), "-400 ms"), (.microseconds(99_960), "100 ms"),
        ]
    )
    func text(_ duration: Duration, _ text: String) {
        #expect(durationText(duration) == text)
    }
}
