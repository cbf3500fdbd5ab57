import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

/// What `verify`, `plan` and `blame` foresee is what `run` does in virtual time.
@Suite("Forecasts come true in virtual time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ForecastTests {
    private static func run(_ words: [String], _ text: String) async throws -> Tool.Result {
        try await Tool.call([words[0], "-"] + words.dropFirst(), input: text)
    }

    /// A scenario of a few steps, with timeouts, fallbacks, and what may be put off or cut.
    private static func scenario(_ random: inout SplitMix64, instant: String? = nil) -> String {
        let kinds = ["timeout", "deferrable", "cuttable"], kind = kinds[random.index(below: 3)]
        let count = 2 + random.index(below: 4)
        let operations = (0..<count).map { number in
            let after = (0..<number).filter { _ in random.index(below: 5) < 2 }.map { "\"s\($0)\"" }.joined(separator: ", ")
            let (time, limit) = (10 + 10 * random.index(below: 50), 10 + 10 * random.index(below: 50))
            let policy = ["required", "skipDependents", "continue"][random.index(below: 3)]
            var option = #""onFailure": "\#(policy)""#
            if random.index(below: 2) == 0 {
                switch kind {
                case "timeout": option += #", "timeout": "\#(limit)ms""#
                case "deferrable": if number < count - 1 { option += #", "deferrable": true"# }
                default: option = #""fallback": "x", "cuttable": true"#
                }
            }
            let id = "s\(number)"
            return #"{ "id": "\#(id)", "after": [\#(after)], \#(option), "work": { "simulate": "\#(id == instant ? 0 : time)ms" } }"#
        }
        let milestone = random.index(below: 3) > 0 ? #""milestone": "s\#(count - 1)", "# : ""
        let lanes = kind == "timeout" && random.index(below: 2) == 0 ? #""lanes": \#(1 + random.index(below: 2)), "# : ""
        return scenarioText(
            operations.joined(separator: ",\n"),
            head: milestone + lanes + #""budget": "\#(10 + 10 * random.index(below: 60))ms", "#
        )
    }

    @Test("verify and plan end as run does in virtual time, whatever times out, is put off or is cut")
    func agreement() async throws {
        for seed in 0..<UInt64(Nightly.times(day: 12, night: 200)) {
            var random = SplitMix64(seed: seed)
            let text = Self.scenario(&random)
            let launch = try await Self.run(["run", "--clock", "virtual"], text)
            #expect(try await Self.run(["plan"], text).code == launch.code, "\(launch) \(text)")
            // Where it fails, one of the problems is the reason.
            let verified = try await Self.run(["verify", "--format", "github"], text)
            #expect(verified.code == launch.code && verified.output.contains("::error ") == (launch.code != 0), "\(verified) \(text)")
        }
    }

    @Test("a gain that blame tells is that of a launch in which the step takes no time, whatever times out, is put off or is cut")
    func gains() async throws {
        func launch(_ seed: UInt64, instant: String? = nil) async throws -> (text: String, measured: Double, isCompleted: Bool) {
            var random = SplitMix64(seed: seed)
            let text = Self.scenario(&random, instant: instant)
            let json = try await Self.run(["run", "--clock", "virtual", "--json"], text).json()
            let measured = try #require((json["budget"] as? [String: Any])?["measuredMs"] as? Double)
            return (text, measured, json["outcome"] as? String == "completed")
        }
        for seed in 0..<UInt64(Nightly.times(day: 12, night: 200)) {
            let usual = try await launch(seed)
            let blame = try await Self.run(["blame", "--json"], usual.text).json()
            for row in try #require(blame["operations"] as? [[String: Any]]) {
                guard let gain = row["gainMs"] as? Double else { continue }
                let other = try await launch(seed, instant: row["id"] as? String)
                #expect(usual.isCompleted && gain == max(0, usual.measured - other.measured), "\(row) of \(usual.text)")
            }
        }
    }
}
