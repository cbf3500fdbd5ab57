import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("JSON, strictly", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct JSONParserTests {
    struct Complaint: Sendable, CustomTestStringConvertible {
        let input: [UInt8]
        let place: String
        let message: String

        init(_ text: String, _ place: String, _ message: String) {
            self.init(bytes: Array(text.utf8), place, message)
        }

        init(bytes: [UInt8], _ place: String, _ message: String) {
            self.input = bytes
            self.place = place
            self.message = message
        }

        var testDescription: String { message }
    }

    private static let halfEscape = "the string that starts here has a \\u without four hexadecimal digits, or a lone surrogate"

    static let complaints: [Complaint] = [
        Complaint("", "1:1", "the text is empty; expected a JSON value"),
        Complaint(" \n\t\r\n ", "3:2", "the text is empty; expected a JSON value"),
        Complaint("\u{FEFF}{}", "1:1", "the text starts with a byte order mark (BOM); save it as UTF-8 without one"),
        Complaint(bytes: [0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "1:1", "the text is UTF-16; save it as UTF-8"),
        Complaint(bytes: [0xFE, 0xFF, 0, 0x7B, 0, 0x7D], "1:1", "the text is UTF-16; save it as UTF-8"),
        Complaint(bytes: [0, 0x7B, 0, 0x7D], "1:1", "the text is UTF-16; save it as UTF-8"),
        Complaint(bytes: [0x7B, 0, 0x7D, 0], "1:1", "the text is UTF-16; save it as UTF-8"),
        Complaint(bytes: [0x5B, 0x22, 0x61, 0xC3, 0x28, 0x22, 0x5D], "1:4", "the text is not UTF-8 (byte 0xC3)"),
        Complaint(bytes: [0x22, 0xC3], "1:1", "the string that starts here is not closed"),
        Complaint(bytes: [0x22, 0xC3, 0x22], "1:2", "the text is not UTF-8 (byte 0xC3)"),
        Complaint(bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], "1:2", "the text is not UTF-8 (byte 0xED)"),
        Complaint(bytes: [0x22, 0xC0, 0xAF, 0x22], "1:2", "the text is not UTF-8 (byte 0xC0)"),
        Complaint(bytes: [0x5B, 0x80, 0x5D], "1:2", "the text is not UTF-8 (byte 0x80)"),
        Complaint("[1,]", "1:3", "a trailing comma before ']' is not allowed in JSON"),
        Complaint("{\"a\": 1 , }", "1:9", "a trailing comma before '}' is not allowed in JSON"),
        Complaint("[,1]", "1:2", "unexpected ','; expected a value"),
        Complaint("// no\n{}", "1:1", "comments are not allowed in JSON; expected a value"),
        Complaint("{ /* no */ }", "1:3", "comments are not allowed in JSON; expected a key in double quotes"),
        Complaint("[1 # no\n]", "1:4", "comments are not allowed in JSON; expected ',' or ']'"),
        Complaint("{\"a\":1,\"b\":2,\n\"a\":3}", "2:1", "the key 'a' is given twice in one object"),
        Complaint("{\"a\":1,\"\\u0061\":3}", "1:8", "the key 'a' is given twice in one object"),
        Complaint("[NaN]", "1:2", "unknown word 'NaN'; expected a value (text goes in double quotes)"),
        Complaint("[Infinity]", "1:2", "unknown word 'Infinity'; expected a value (text goes in double quotes)"),
        Complaint("[-Infinity]", "1:3", "unexpected 'I'; expected a digit"),
        Complaint("[\"a\nb\"]", "1:4", "a string holds the control character U+000A; write it as \\u000A"),
        Complaint("[\"a\u{0}\"]", "1:4", "a string holds the control character U+0000; write it as \\u0000"),
        Complaint("[\"\\uD800\"]", "1:2", halfEscape),
        Complaint("[\"\\uDC00\\uD800\"]", "1:2", halfEscape),
        Complaint("[\"\\uD800\\u0041\"]", "1:2", halfEscape),
        Complaint("[\"\\uD800\\n\"]", "1:2", halfEscape),
        Complaint("[\"\\u12G4\"]", "1:2", halfEscape),
        Complaint("[\"\\u12", "1:2", "the string that starts here is not closed"),
        Complaint("[\"\\x41\"]", "1:3", "a string holds an unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"),
        Complaint("{} {}", "1:4", "unexpected '{'; expected nothing after the end of the JSON value"),
        Complaint("{}\u{0}", "1:3", "unexpected '\\0'; expected nothing after the end of the JSON value"),
        Complaint("{\"a\": [1, 2", "1:12", "unexpected end of the text; expected ',' or ']'"),
        Complaint("{\"a\": ", "1:7", "unexpected end of the text; expected a value"),
        Complaint("{\"a\" 1}", "1:6", "unexpected '1'; expected ':' after the key 'a'"),
        Complaint("{a: 1}", "1:2", "unexpected 'a'; expected a key in double quotes"),
        Complaint("{\"a\": 'b'}", "1:7", "text goes in double quotes in JSON, not in single ones; expected a value"),
        Complaint("[\"abc", "1:2", "the string that starts here is not closed"),
        Complaint("[True]", "1:2", "unknown word 'True'; expected a value (text goes in double quotes)"),
        Complaint("[“a”]", "1:2", "unexpected '“'; expected a value"),
        Complaint("[01]", "1:3", "unexpected '1'; expected ',' or ']'"),
        Complaint("[1.]", "1:4", "unexpected ']'; expected a digit"),
        Complaint("[.5]", "1:2", "unexpected '.'; expected a value"),
        Complaint("[+1]", "1:2", "unexpected '+'; expected a value"),
        Complaint("[-]", "1:3", "unexpected ']'; expected a digit"),
        Complaint("[1e]", "1:4", "unexpected ']'; expected a digit"),
        Complaint("[0x10]", "1:3", "unexpected 'x'; expected ',' or ']'"),
    ]

    @Test("fault J2, J3, J4: What is not JSON is refused with its place", arguments: complaints)
    func refuses(_ complaint: Complaint) {
        let error = #expect(throws: ScenarioError.self) { try parseJSON(complaint.input) }
        #expect(error?.message == complaint.message)
        #expect(error?.position.description == complaint.place)
    }

    @Test("Values keep their content, their order and their places")
    func reads() throws {
        let value = try parseJSON(Array(#" {"b": [1, -2.5e+3], "a": {"x": null}, "c": "é\n\u0041\uD83D\uDE80\/", "": true} "#.utf8))
        guard case .object(let members) = value.content else {
            Issue.record("not an object")
            return
        }
        #expect(value.position.column == 2)
        #expect(members.map(\.key) == ["b", "a", "c", ""])
        // Of the two bytes of é, the column counts one.
        #expect(members.map(\.position.column) == [3, 22, 40, 72])
        guard case .array(let elements) = members[0].value.content else {
            Issue.record("not an array")
            return
        }
        #expect(elements.map(\.content) == [.number("1"), .number("-2.5e+3")])
        #expect(elements.map(\.position.column) == [9, 12])
        #expect(members[2].value.content == .string("é\nA🚀/"))
        #expect(members[3].value.content == .bool(true))
    }

    @Test("Every whole value may stand alone", arguments: ["0", "-0", "1e300", "\"\"", "[]", "{}", "null", "false", "[[],{}]"])
    func readsAlone(_ text: String) throws {
        #expect(try parseJSON(Array(text.utf8)).position == .start)
    }

    @Test("Many keys are compared by hashing, and a repeated one is still found")
    func manyKeys() throws {
        let keys = (0..<10_000).map { "\"key-\($0)\":\($0)" }
        #expect(throws: Never.self) { try parseJSON(Array("{\(keys.joined(separator: ","))}".utf8)) }
        let error = #expect(throws: ScenarioError.self) { try parseJSON(Array("{\(keys.joined(separator: ",")),\"key-7\":0}".utf8)) }
        #expect(error?.message == "the key 'key-7' is given twice in one object")
    }

    @Test("Nesting is allowed up to the limit", arguments: [("[", "]"), ("{\"a\":", "}")])
    func nesting(_ open: String, _ close: String) {
        let text = { (depth: Int) in
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        #expect(throws: Never.self) { try parseJSON(text(128)) }
        for depth in [129, 100_000] {
            let error = #expect(throws: ScenarioError.self) { try parseJSON(text(depth)) }
            #expect(error?.message == "the nesting is deeper than the limit of 128 levels")
            #expect(error?.position.column == 128 * open.utf8.count + 1)
        }
    }

    @Test("Lines end at a line feed, columns count scalars")
    func positions() {
        let bytes = Array("a\r\néx\n\n".utf8)
        let places = (0...bytes.count).map { SourcePosition.start.moved(over: bytes[..<$0]).description }
        #expect(places == ["1:1", "1:2", "1:3", "2:1", "2:2", "2:2", "2:3", "3:1", "4:1"])
    }

    @Test(
        "fault Z1: a value knows its place without another look at the text, however long its lines are",
        arguments: [1, 7, 300, 100_000]
    )
    func positionsInLongLines(lineLength: Int) throws {
        var (text, expected): (String, [SourcePosition]) = ("[", [])
        var (line, column) = (1, 2)
        for number in 0..<20_000 {
            expected.append(SourcePosition(line: line, column: column))
            let isEnd = number % lineLength == lineLength - 1
            text += "\"\(["a", "é", "漢", "👩"][number % 4])\"," + (isEnd ? "\n" : "")
            (line, column) = isEnd ? (line + 1, 1) : (line, column + 4)
        }
        guard case .array(let elements) = try parseJSON(Array("\(text)0]".utf8)).content else {
            Issue.record("not an array")
            return
        }
        #expect(elements.dropLast().map(\.position) == expected)
    }
}
