import Foundation
import Sequencer
import TestSupport
import Testing

/// What holds for all commands that take a scenario, whatever the scenario is.
@Suite("Every command, on any scenario file", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct EveryCommandTests {
    private static let commands = [
        ["plan"], ["graph"], ["run", "--clock", "virtual"], ["blame"], ["critical-chain"], ["bench", "--clock", "virtual", "--runs", "2"],
        ["explore", "--clock", "virtual", "--orders", "2"], ["explore", "--interleavings", "2", "--jitter", "10ms"],
    ]

    /// Expects each command to refuse what `verify` refuses, and nothing else; with `--json` each prints one document.
    private func expectAgreement(_ text: String, _ location: SourceLocation = #_sourceLocation) async throws {
        func result(_ line: [String]) async throws -> Tool.Result {
            let result = try await Tool.call(line + ["-", "--json"], input: text)
            if ![64, 65, 66].contains(result.code) { #expect(throws: Never.self, sourceLocation: location) { try result.json() } }
            return result
        }
        let verified = try await result(["verify"])
        for command in Self.commands {
            let result = try await result(command)
            let isRefused = [64, 65, 66].contains(result.code)
            #expect(isRefused == (verified.code == 65), "\(command): \(result.code), \(result.messages) \(text)", sourceLocation: location)
        }
    }

    /// A scenario of a few steps that wait for earlier ones.
    private static func scenario(_ random: inout SplitMix64) -> String {
        let policies = ["required", "skipDependents", "continue"]
        let operations = (0..<1 + random.index(below: 6)).map { number in
            let after = (0..<number).filter { _ in random.index(below: 3) == 0 }.map { "\"s\($0)\"" }.joined(separator: ", ")
            let place = random.index(below: 4) == 0 ? #""on": "main", "# : ""
            return #"{ "id": "s\#(number)", "after": [\#(after)], "onFailure": "\#(policies[random.index(below: 3)])", \#(place)"#
                + #""work": { "simulate": "\#(random.index(below: 300))ms" } }"#
        }
        return scenarioText(operations.joined(separator: ",\n"), head: random.index(below: 2) == 0 ? #""milestone": "s0", "# : "")
    }

    @Test("what verify accepts, every command accepts; what it refuses, every command refuses")
    func agreement() async throws {
        var random = SplitMix64(seed: 64)
        for _ in 0..<Nightly.times(day: 4, night: 60) {
            let text = Self.scenario(&random)
            try await expectAgreement(text)
            // Without one of its characters it is a scenario still, or not one, or not even JSON.
            var damaged = Array(text.utf8)
            damaged.remove(at: random.index(below: damaged.count))
            try await expectAgreement(String(decoding: damaged, as: UTF8.self))
        }
        for text in ["", "{}", "[1, 2", scenarioText("")] { try await expectAgreement(text) }
    }

    @Test("1,025 operations that wait for nothing are more than a launch has lanes, and no mistake")
    func manyLanes() async throws {
        let operations = (0..<1_025).map { #"{ "id": "s\#($0)", "work": { "simulate": "10ms" } }"# }.joined(separator: ",\n")
        let text = scenarioText(operations)
        let plan = try await Tool.call("plan", "-", "--json", input: text)
        let plans = try #require(try plan.json()["plans"] as? [[String: Any]], "\(plan.messages)")
        #expect(plan.code != 64 && plans.map { $0["lanes"] as? Int } == [1, 2, 4, 1025])
        #expect(plans.last?["makespanMs"] as? Double == 10)
        try await expectAgreement(text)
    }
}
