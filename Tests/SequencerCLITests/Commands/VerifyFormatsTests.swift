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
    /// It can run, and its critical path alone takes 4 s of 3 s; `c` needs not wait for `a`.
    private static let slow = scenarioText(
        #"{ "id": "a", "work": { "simulate": "2s" } }"#,
        #"{ "id": "b", "after": ["a"], "work": { "simulate": "2s" } }"#,
        #"{ "id": "c", "after": ["a", "b"] }"#
    )
    private static let sound = scenarioText(#"{ "id": "a" }"#)

    /// Verifies a text in a file.
    private func verify(_ text: String, _ format: String, in body: (Tool.Result, String) throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(text, to: "a, 100%.json")
        try body(try await Tool.run("verify", path, "--format", format), path)
    }

    @Test("github: a command for each problem, with its file, line and column, and nothing on standard error")
    func github() async throws {
        try await verify(Self.broken, "github") { result, path in
            #expect(result.code == 65 && result.messages.isEmpty)
            let lines = result.output.split(separator: "\n").map(String.init)
            let place = "::error file=\(Verification.escapedProperty(path)),"
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix(place) }, "\(lines)")
            #expect(lines[0].contains("a%2C 100%25.json,line=3,") && lines[0].contains("'3' has no unit"))
            #expect(lines[1].contains(",line=4,") && lines[1].contains("title=test%3A mistake::"))
        }
        try await verify(Self.slow, "github") { result, _ in
            #expect(result.code == 3)
            let lines = result.output.split(separator: "\n")
            #expect(lines.map { $0.prefix { $0 != " " } } == ["::warning", "::error"], "\(lines)")
            #expect(lines[0].contains(",line=5,") && lines[1].contains("the critical path alone takes 4 s of 3 s"))
        }
        try await verify(Self.sound, "github") { result, _ in #expect(result.code == 0 && result.output.isEmpty) }
    }

    @Test("junit: one test case, which fails when the command does")
    func junit() async throws {
        try await verify(Self.broken, "junit") { result, _ in
            #expect(result.code == 65)
            #expect(result.output.hasPrefix("<?xml version=\"1.0\"") && result.output.contains("tests=\"1\" failures=\"1\""))
            #expect(result.output.contains("<failure type=\"mistake\"") && result.output.contains("4:"))
            let names = try XMLNodes(result.output).names
            #expect(names == ["testsuites", "testsuite", "testcase", "failure"])
        }
        try await verify(Self.slow, "junit") { result, _ in
            #expect(result.code == 3)
            let names = try XMLNodes(result.output).names
            #expect(names == ["testsuites", "testsuite", "testcase", "failure", "system-out"])
        }
        try await verify(Self.sound, "junit") { result, _ in
            #expect(result.code == 0 && result.output.contains("failures=\"0\""))
            let names = try XMLNodes(result.output).names
            #expect(names == ["testsuites", "testsuite", "testcase"])
        }
    }

    @Test("sarif: a result for each problem, of a rule that is listed, with its region")
    func sarif() async throws {
        try await verify(Self.slow, "sarif") { result, path in
            #expect(result.code == 3)
            let json = try result.json()
            #expect(json["version"] as? String == "2.1.0")
            let run = try #require((json["runs"] as? [[String: Any]])?.first)
            let results = try #require(run["results"] as? [[String: Any]])
            #expect(results.map { $0["level"] as? String } == ["warning", "error"])
            #expect(results.map { $0["ruleId"] as? String } == ["impliedDependency", "budget"])
            let driver = (run["tool"] as? [String: [String: Any]])?["driver"]
            #expect((driver?["rules"] as? [[String: String]])?.map { $0["id"] } == ["impliedDependency", "budget"])
            let location = (results[0]["locations"] as? [[String: [String: [String: Any]]]])?.first?["physicalLocation"]
            #expect(location?["artifactLocation"]?["uri"] as? String == Verification.address(of: path))
            #expect(location?["region"]?["startLine"] as? Int == 5)
        }
        #expect(Verification.address(of: "a b/c%.json") == "a%20b/c%25.json")
        #expect(Verification.address(of: "/a.json") == "file:///a.json")
    }

    @Test("xcode: problems as compilers write them, on standard error; a sound scenario is a comment, others are nothing")
    func xcode() async throws {
        try await verify(Self.broken, "xcode") { result, path in
            #expect(result.code == 65 && result.output.isEmpty)
            let lines = result.messages.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("\(path):3:") && lines[0].contains(": error: operations[0].timeout: '3'"))
        }
        try await verify(Self.sound, "xcode") { result, _ in
            #expect(result.code == 0 && result.messages.isEmpty)
            #expect(result.output.split(separator: "\n").allSatisfy { $0.hasPrefix("// ") } && result.output.contains("no problem found"))
        }
    }

    @Test("--json is --format json, and goes with no other; standard input has no file")
    func arguments() async throws {
        #expect(try await Tool.run("verify", "-", "--json", "--format", "sarif", input: Self.sound).code == 64)
        let json = try await Tool.run("verify", "-", "--format", "json", input: Self.sound).output
        #expect(json == (try await Tool.run("verify", "-", "--json", input: Self.sound).output))
        let github = try await Tool.run("verify", "-", "--format", "github", input: Self.broken)
        #expect(github.output.hasPrefix("::error line=3,"))
    }

    @Test("texts of other formats cannot break out of theirs")
    func escapes() {
        #expect(Verification.escapedData("50%\r\n::error::x") == "50%25%0D%0A::error::x")
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
