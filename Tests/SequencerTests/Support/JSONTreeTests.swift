import Foundation
import TestSupport
import Testing

@testable import Sequencer

@Suite("Writing JSON", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct JSONTreeTests {
    private func compact(_ tree: JSONTree) -> String { tree.document(pretty: false) }

    @Test("members keep the order they are written in, nested or not; those that are nil are left out")
    func order() {
        let tree: JSONTree = [
            "z": "z", "a": 1, "gone": nil, "list": [["k": true], [:], [], .null], "none": .texts([]), "some": ["b", "a"],
        ]
        let text = tree.document(pretty: true)
        #expect(
            text == """
                {
                  "z": "z",
                  "a": 1,
                  "list": [
                    {
                      "k": true
                    },
                    {},
                    [],
                    null
                  ],
                  "none": [],
                  "some": [
                    "b",
                    "a"
                  ]
                }
                """
        )
    }

    @Test("the compact form is one line without a space")
    func oneLine() {
        #expect(compact(["a": "two words", "o": ["f": false, "l": ["x", "y"]]]) == #"{"a":"two words","o":{"f":false,"l":["x","y"]}}"#)
        for isPretty in [false, true] { #expect(([:] as JSONTree).document(pretty: isPretty) == "{}") }
    }

    @Test(
        "what a reader could trip over is escaped",
        arguments: [
            ("", #""""#),
            (#"a"b\c/d"#, #""a\"b\\c/d""#),
            ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
            ("\u{0}\u{1}\u{1f}\u{7f}\u{9b}\u{a0}", "\"\\u0000\\u0001\\u001f\\u007f\\u009b\u{a0}\""),
            ("a\u{2028}b\u{2029}", #""a\u2028b\u2029""#),
            ("\r\n", #""\r\n""#),
            ("é漢字👩‍🚀\u{2027}\u{202a}\u{fe0f}\u{e0041}", "\"é漢字👩‍🚀\u{2027}\\u202a\\ufe0f\\udb40\\udc41\""),
            ("</script>", #""</script>""#),
        ]
    )
    func escapes(text: String, expected: String) {
        #expect(compact(["k": .text(text)]) == #"{"k":\#(expected)}"#)
        #expect(compact([text: 1]) == #"{\#(expected):1}"#)
    }

    @Test("every character comes back as it was")
    func roundTrip() throws {
        let scalars = (UInt32(0)...0x3000).compactMap(Unicode.Scalar.init) + (UInt32(0x1F600)...0x1F640).compactMap(Unicode.Scalar.init)
        for chunk in stride(from: 0, to: scalars.count, by: 100).map({ scalars[$0..<min($0 + 100, scalars.count)] }) {
            var text = ""
            text.unicodeScalars.append(contentsOf: chunk)
            let json = compact(["k": .text(text)])
            let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String]
            #expect(object?["k"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        }
    }

    @Test(
        "durations are milliseconds to the nanosecond, without exponent or noise",
        arguments: [
            (Duration.zero, "0"),
            (.microseconds(1_330_200), "1330.2"),
            (.microseconds(100), "0.1"),
            (.nanoseconds(1), "0.000001"),
            (.nanoseconds(-1), "-0.000001"),
            (.milliseconds(-1500), "-1500"),
            (.nanoseconds(1_000_000_001), "1000.000001"),
            (.nanoseconds(999_999), "0.999999"),
            (.seconds(86_400), "86400000"),
            (.nanoseconds(Int64.max), "9223372036854.775807"),
            (.nanoseconds(Int64.min), "-9223372036854.775808"),
            (.seconds(Int64.max), "9223372036854.775807"),
            (.seconds(Int64.min), "-9223372036854.775808"),
            // Made of a Double, these are off by some attoseconds.
            (.seconds(0.3), "300"),
            (.seconds(1.1), "1100"),
            (.seconds(2.675), "2675"),
            (Duration(secondsComponent: 0, attosecondsComponent: 499_999_999), "0"),
            (Duration(secondsComponent: 0, attosecondsComponent: 500_000_000), "0.000001"),
            (Duration(secondsComponent: 0, attosecondsComponent: -500_000_000), "-0.000001"),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999_999_999_999), "1000"),
        ] as [(Duration, String)]
    )
    func durations(duration: Duration, expected: String) {
        #expect(compact(["ms": .milliseconds(duration)]) == #"{"ms":\#(expected)}"#)
    }

    @Test("a nest is indented two spaces a level, and closes")
    func nest() {
        let tree: JSONTree = ["a": [[[.number(.min)]]]]
        let indents = tree.document(pretty: true).components(separatedBy: "\n").map { line in line.prefix { $0 == " " }.count }
        #expect(indents == [0, 2, 4, 6, 8, 6, 4, 2, 0])
    }
}
