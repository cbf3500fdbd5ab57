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

    /// A login that ends just before its timeout.
    private static let hurried = scenarioText(
        #"{ "id": "login", "timeout": "100ms", "work": { "simulate": "90ms" } }"#,
        #"{ "id": "images", "work": { "simulate": "1ms" } }"#
    )

    @Test("a timeout that a busy machine misses is a race: the same seed finds the same, in another process too")
    func race() async throws {
        let line = ["explore", "-", "--interleavings", "200", "--jitter", "50ms", "--seed", "3"]
        let text = try await Tool.run(line, input: Data(Self.hurried.utf8))
        let sentence = "test: login fails when sleepers wake up to 50 ms late "
        #expect(text.code == 1 && text.output.hasPrefix(sentence), "\(text)")
        let result = try await Tool.run(line + ["--json"], input: Data(Self.hurried.utf8))
        let json = try result.json()
        #expect(result.code == 1 && json["seed"] as? Int == 3 && json["orders"] as? Int == 0)
        let count = try #require(json["interleavings"] as? Int)
        let race = try #require(json["race"] as? [String: Any])
        #expect(race["subject"] as? String == "login" && race["message"] as? String != nil)
        let interleaving = try #require(race["interleaving"] as? [String: String])
        let hash = try #require(interleaving["hash"])
        let place = "found in \(count) interleaving\(count == 1 ? "" : "s"), seed 3"
        #expect(text.output.contains("\n  interleaving \(hash)\n  \(place)\n  controlled: time, "), "\(text)")
        #expect(race["text"] as? String == "login fails when \(interleaving["text"] ?? ""): \(race["message"] ?? "")")
    }

    @Test("without late timers it has no race, nor has a built-in scenario; what was not controlled is said")
    func noRace() async throws {
        let text = try await Tool.call("explore", "-", "--interleavings", "30", input: Self.hurried)
        let start = "test: every operation ended the same way in 30 interleavings\n  controlled: time, "
        #expect(text.code == 0 && text.output.hasPrefix(start), "\(text)")
        #expect(text.output.hasSuffix(", real work, which was only simulated\n"), "\(text)")
        let result = try await Tool.call("explore", "regular", "--interleavings", "30", "--json")
        let json = try result.json()
        #expect(result.code == 0 && json["interleavings"] as? Int == 30 && json["race"] == nil, "\(result)")
        #expect((json["controlled"] as? [String])?.first == "time")
        #expect((json["notControlled"] as? [String])?.contains("code that blocks") == true)
    }

    @Test("a launch that fails in every interleaving says so")
    func failing() async throws {
        let text = scenarioText(#"{ "id": "login", "timeout": "1ms", "work": { "simulate": "9ms" } }"#)
        let result = try await Tool.call("explore", "-", "--interleavings", "3", input: text)
        let sentence = "test: the launch fails in every order: login: "
        #expect(result.code == 1 && result.output.hasPrefix(sentence), "\(result)")
        #expect(result.output.contains("\n  run in 3 interleavings, seed 0\n  controlled: time; not: "), "\(result)")
    }
}
