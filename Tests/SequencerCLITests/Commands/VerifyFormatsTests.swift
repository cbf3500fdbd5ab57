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

    /// What a format says of an input that nothing can be read of.
    private static func expectEntry(_ result: Tool.Result, _ format: String, file: String, says word: String, line: Int? = nil) throws {
        let shown = format == "xcode" ? result.messages : result.output
        #expect(shown.contains(word), "\(format): \(shown)")
        let problem = line == nil ? "unreadable" : "mistake"
        switch format {
        case "github":
            let lines = shown.split(separator: "\n")
            #expect(lines.count == 1 && shown.hasPrefix("::error file=\(FindingList.escapedProperty(file)),"), "\(shown)")
            #expect(shown.contains("%3A \(problem)::") && shown.contains(",line=") == (line != nil), "\(shown)")
        case "junit":
            let names = try XMLNodes(shown).names
            #expect(names == ["testsuites", "testsuite", "testcase", "failure"])
            #expect(shown.contains("failures=\"1\"") && shown.contains("type=\"\(problem)\""))
        case "sarif":
            let run = try #require((try result.json()["runs"] as? [[String: Any]])?.first)
            let results = try #require(run["results"] as? [[String: Any]])
            #expect(results.map { $0["ruleId"] as? String } == [problem] && results.map { $0["level"] as? String } == ["error"])
            let address = results.first.flatMap { Self.place(of: $0) }?["artifactLocation"]?["uri"] as? String
            #expect(address == "file://\(file)")
        default:
            #expect(result.output.isEmpty && shown.hasPrefix("\(file):") && shown.split(separator: "\n").count == 1, "\(shown)")
            #expect(shown.contains(": error: "))
        }
        if format != "xcode" { #expect(result.messages.isEmpty, "\(result.messages)") }
    }

    @Test(
        "an input that nothing can be read of has an entry, with the exit code of its error",
        arguments: ["github", "junit", "sarif", "xcode"]
    )
    func unreadable(format: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = folder.file("missing.json").path
        let none = try await Tool.run("verify", missing, "--format", format)
        #expect(none.code == 66)
        try Self.expectEntry(none, format, file: missing, says: "cannot be read: No such file")
        let bytes = folder.file("bytes.json")
        try Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]).write(to: bytes)
        let noText = try await Tool.run("verify", bytes.path, "--format", format)
        #expect(noText.code == 65)
        try Self.expectEntry(noText, format, file: bytes.path, says: "UTF-8", line: 1)
        // Root may read everything.
        if geteuid() != 0 {
            let closed = try folder.write(Self.slow, to: "closed.json")
            #expect(chmod(closed, 0) == 0)
            let refused = try await Tool.run("verify", closed, "--format", format)
            #expect(refused.code == 66)
            try Self.expectEntry(refused, format, file: closed, says: "cannot be read: Permission denied")
        }
        #expect(try await Tool.run("verify", "regular", "--fact", "a=b", "--format", format).code == 64)
    }

    @Test("texts of other formats cannot break out of theirs")
    func escapes() {
        #expect(FindingList.escapedData("50%\r\n::error::x") == "50%25%0D%0A::error::x")
    }
}

/// The names of the elements of a text, in the order in which they begin.
private struct XMLNodes {
    var names: [String] = []

    /// - Throws: when an element does not end where it should.
    init(_ text: String) throws {
        var open: [String] = []
        for match in text.matches(of: /<(\/?)([a-z-]+)[^<>]*?(\/?)>/) {
            let name = String(match.2)
            if match.1.isEmpty {
                names.append(name)
                if match.3.isEmpty { open.append(name) }
            } else {
                let last = open.popLast()
                try #require(last == name)
            }
        }
        try #require(open.isEmpty)
    }
}
