import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What holds for any input: valid files are read as they were meant, broken ones are refused, and nothing ever traps.
@Suite("Random scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ParsingPropertyTests {
    @Test("Damaged bytes are read or refused, with a place inside the file", arguments: 0..<20)
    func damage(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let original = Array(ScenarioParserTests.sample.utf8)
        let lineCount = original.count { $0 == 0x0A } + 1
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                let isCut = Bool.random(using: &random)
                if isCut { bytes.remove(at: index) } else { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            }
            do throws(ScenarioError) { _ = try parseScenario(bytes, file: "f") } catch {
                #expect(1...lineCount + 4 ~= error.position.line)
                #expect(!error.message.isEmpty && !error.description.contains("\n"))
            }
        }
    }

    @Test("Random bytes and random JSON tokens never trap", arguments: 0..<20)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let tokens = [
            "{", "}", "[", "]", ":", ",", "\"a\"", "\"", "\\", "\\u", "D800", "1", "-", ".", "e", "null", "tru", " ", "\n", "é", "//",
        ]
        for _ in 0..<Nightly.times(day: 100, night: 500) {
            let length = Int.random(in: 0...40, using: &random)
            _ = try? parseJSON((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            let text = (0..<length).map { _ in tokens.randomElement(using: &random) ?? "" }.joined()
            _ = try? parseJSON(Array(text.utf8))
            _ = try? DurationText.parse(String(text.prefix(8)))
            _ = try? URLText.parse("https://" + text)
            _ = try? parseArguments(["run", text, "--inject", text])
        }
    }
}
