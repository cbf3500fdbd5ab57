import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("verify in the formats of other programs", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct VerifyFormatsTests {
    /// Two mistakes.
    private static let broken = scenarioText(
        #"{ "id": "a", "timeout": "3" }"#,
        #"{ "id": "b", "after": ["x1"] }"#
    )
    /// It can run, and its longest path alone takes 4 s of 3 s; `c` needs not wait for `a`.
    private static let slow = scenarioText(
        #"{ "id": "a", "work": { "simulate": "2s" } }"#,
        #"{ "id": "b", "after": ["a"], "work": { "simulate": "2s" } }"#,
        #"{ "id": "c", "after": ["a", "b"] }"#
    )

    /// Verifies a text in a file.
    private func verify(_ text: String, _ format: String, in body: (Tool.Result, String) throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(text, to: "a, 100%.json")
        try body(try await Tool.run("verify", path, "--format", format), path)
    }

    @Test("github: a command for each problem, with its file, line and column")
    func github() async throws {
        try await verify(Self.broken, "github") { result, path in
            #expect(result.code == 65 && result.messages.isEmpty)
            let lines = result.output.split(separator: "\n").map(String.init)
            let place = "::error file=\(FindingList.escapedProperty(path)),"
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix(place) }, "\(lines)")
            #expect(lines[0].contains("a%2C 100%25.json,line=3,") && lines[0].contains("'3' has no unit"))
            #expect(lines[1].contains(",line=4,") && lines[1].contains("title=test%3A mistake::"))
        }
    }

    @Test("sarif: a result for each problem, with its file and its region")
    func sarif() async throws {
        try await verify(Self.slow, "sarif") { result, path in
            #expect(result.code == 3)
            let run = try #require((try result.json()["runs"] as? [[String: Any]])?.first)
            let results = try #require(run["results"] as? [[String: Any]])
            let address = "file://" + path.replacing("a, 100%.json", with: "a%2C%20100%25.json")
            let places = results.compactMap { Self.place(of: $0) }
            #expect(places.map { $0["artifactLocation"]?["uri"] as? String } == [address, address])
            #expect(places.map { $0["region"]?["startLine"] as? Int } == [4, 5])
            #expect(places.map { $0["region"]?["startColumn"] as? Int } == [5, 5])
        }
        #expect(FindingList.address(of: "a b/c%.json") == "a%20b/c%25.json")
        #expect(FindingList.address(of: "/a.json") == "file:///a.json")
    }

    private static func place(of result: [String: Any]) -> [String: [String: Any]]? {
        (result["locations"] as? [[String: [String: [String: Any]]]])?.first?["physicalLocation"]
    }

    @Test(
        "an input that nothing can be read of has an entry, with the exit code of its error",
        arguments: [
            ("github", "%3A unreadable::"), ("junit", "type=\"unreadable\""), ("sarif", "\"ruleId\": \"unreadable\""),
            ("xcode", "/missing.json:"),
        ]
    )
    func unreadable(format: String, mark: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let none = try await Tool.run("verify", folder.file("missing.json").path, "--format", format)
        let (shown, other) = format == "xcode" ? (none.messages, none.output) : (none.output, none.messages)
        #expect(none.code == 66 && other.isEmpty, "\(other)")
        #expect(shown.contains(mark) && shown.contains("cannot be read: No such file"), "\(shown)")
        #expect(try await Tool.run("verify", "regular", "--fact", "a=b", "--format", format).code == 64)
    }

    @Test("texts of other formats cannot break out of theirs")
    func escapes() {
        #expect(FindingList.escapedData("50%\r\n::error::x") == "50%25%0D%0A::error::x")
    }
}
