import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("explore", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExploreCommandTests {
    /// A login that needs the file which the images remove; what comes first makes it anew.
    private static func launch(token: String, declared: Bool) -> String {
        scenarioText(
            #"{ "id": "prepare", "work": { "command": ["touch", "\#(token)"] } }"#,
            #"{ "id": "login", "after": ["prepare"], "work": { "command": ["test", "-f", "\#(token)"] } }"#,
            #"{ "id": "images", "after": ["\#(declared ? "login" : "prepare")"], "work": { "command": ["rm", "-f", "\#(token)"] } }"#
        )
    }

    @Test("programs whose order matters are named, in one sentence; as JSON, with both orders")
    func hidden() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(Self.launch(token: folder.file("token").path, declared: false))
        let text = try await Tool.run("explore", path, "--trust", "--seed", "3")
        #expect(text.code == 1 && text.output.hasPrefix("test: login fails when images runs first: undeclared dependency\n"), "\(text)")
        #expect(text.output.contains(", seed 3\n  controlled: the order of whole operations, "), "\(text)")
        let result = try await Tool.run("explore", path, "--trust", "--seed", "3", "--json")
        let json = try result.json()
        let hidden = try #require(json["hidden"] as? [String: Any])
        #expect(result.code == 1 && json["scenario"] as? String == "test" && json["seed"] as? Int == 3)
        #expect(hidden["operation"] as? String == "login" && hidden["message"] as? String != nil)
        #expect(hidden["failing"] as? [String] == ["prepare", "images", "login"])
        #expect(hidden["passing"] as? [String] == ["prepare", "login", "images"])
    }

    @Test("a program that fails every other time is set aside: no dependency, and not the same")
    func unsteady() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mark = folder.file("mark").path
        let path = try folder.write(
            scenarioText(
                #"{ "id": "flaky", "work": { "command": ["sh", "-c", "if [ -e \#(mark) ]; then rm \#(mark); exit 1; else touch \#(mark); fi"] } }"#,
                #"{ "id": "images", "work": { "simulate": "1ms" } }"#
            )
        )
        let text = try await Tool.run("explore", path, "--trust", "--orders", "4")
        #expect(text.code == 1 && text.output.hasPrefix("test: flaky ended otherwise when the order was repeated: "), "\(text)")
        #expect(text.output.contains(" left behind; all else ended the same way in 4 orders\n  found in 4 orders, seed 0\n"), "\(text)")
        let json = try await Tool.run("explore", path, "--trust", "--orders", "4", "--json")
        #expect(try json.code == 1 && json.json()["unsteady"] as? [String] == ["flaky"], "\(json)")
    }
}
