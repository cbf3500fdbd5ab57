import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// The schema and the example files of the repository, held against the parser.
@Suite("Published files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PublishedFilesTests {
    private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        .standardized

    @Test(
        "The schema and the parser know the same keys",
        arguments: [
            ([], "{\"schema\": \"sequencer.scenario/1\", KEYS}"),
            (["$defs", "operation"], "{\"schema\": \"sequencer.scenario/1\", \"operations\": [{KEYS}]}"),
            (["$defs", "dependency"], "{\"schema\": \"sequencer.scenario/1\", \"operations\": [{\"after\": [{KEYS}]}]}"),
            (["$defs", "retry"], "{\"schema\": \"sequencer.scenario/1\", \"operations\": [{\"retry\": {KEYS}}]}"),
            (["$defs", "work"], "{\"schema\": \"sequencer.scenario/1\", \"operations\": [{\"work\": {KEYS}}]}"),
            (["$defs", "http"], "{\"schema\": \"sequencer.scenario/1\", \"operations\": [{\"work\": {\"http\": {KEYS}}}]}"),
        ]
    )
    func schemaKeys(_ place: [String], _ template: String) throws {
        let path = PublishedFilesTests.repository.appendingPathComponent("Schemas/scenario.schema.json").path
        var schema = ScenarioField(value: try parseJSON(try readInput(path)), path: .root)
        for key in place + ["properties"] { schema = try #require(schema.child(key)) }
        let keys = Set(try schema.children().map(\.key)).subtracting(["schema"])
        #expect(!keys.isEmpty)
        // Null is wrong for every key, but only for a known one is it the value that is wrong.
        for key in keys {
            let message = complaint(template.replacing("KEYS", with: "\"\(key)\": null"))
            #expect(message.hasSuffix("found null"), "\(key): \(message)")
        }
        // An unknown word near no key is answered with the list of all keys.
        let message = complaint(template.replacing("KEYS", with: "\"????????????\": null"))
        let listed = message.split(separator: "'").map(String.init).filter { $0.allSatisfy(\.isLetter) }
        #expect(Set(listed).subtracting(["schema"]) == keys, "\(message)")
    }

    private func complaint(_ text: String) -> String {
        do throws(ScenarioError) {
            _ = try parseScenario(Array(text.utf8), file: "f")
            return ""
        } catch {
            return error.message
        }
    }
}
