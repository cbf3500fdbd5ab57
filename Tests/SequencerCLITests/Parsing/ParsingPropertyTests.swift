import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What holds for any input: valid files are read as they were meant, broken ones are refused, and nothing ever traps.
@Suite("Random scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ParsingPropertyTests {
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
