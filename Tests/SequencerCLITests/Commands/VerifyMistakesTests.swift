import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("verify names everything that is wrong", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct VerifyMistakesTests {
    private static let broken = scenarioText(
        #"{ "id": "a", "after": ["b"], "timeout": "3" }"#,
        #"{ "id": "b", "after": ["a", "x1"], "colour": 1 }"#,
        #"{ "id": "d", "after": ["e", "nope"] }"#,
        #"{ "id": "e", "after": ["d", "a"] }"#,
        #"{ "id": "e", "after": ["e"] }"#,
        "7",
        head: #""milestone": "main","#
    )
    private static let expected = [
        "<stdin>:3:45: operations[0].timeout: '3' has no unit; expected a number and a unit (ns, us, ms, s, m, h) such as '400ms', "
            + "more than 0 and at most 24h",
        "<stdin>:4:40: operations[1].colour: unknown key 'colour'; expected 'id', 'title', 'after', 'on', 'timeout', 'onFailure', 'fallback', "
            + "'retry', 'interactive', 'deferrable', 'cuttable', 'exclusive', 'qos', 'expected', 'when' or 'work'",
        "<stdin>:8:5: operations[5]: expected an object, found a number",
        "<stdin>:7:13: operations[4].id: duplicate id 'e'; operations[3] has it already, at 6:13",
        "<stdin>:4:33: operations[1].after[1]: unknown dependency 'x1' of 'b'",
        "<stdin>:5:33: operations[2].after[1]: unknown dependency 'nope' of 'd'",
        "<stdin>:7:28: operations[4].after[0]: 'e' depends on itself",
        "<stdin>:1:66: milestone: the milestone 'main' is not an operation",
        "<stdin>:3:5: operations[0].after: cycle: a → b → a (each waits for the next)",
        "<stdin>:5:5: operations[2].after: cycle: d → e → d (each waits for the next)",
    ]

    @Test("fault G1, J7: at once: values, names, and each cycle once")
    func everything() async throws {
        let result = try await Tool.run("verify", "-", input: Self.broken)
        #expect(result.code == 65 && result.output.isEmpty)
        let lines = result.messages.split(separator: "\n").map(String.init)
        #expect(lines == Self.expected.map { "sequencer-cli: " + $0 }, "\(result.messages)")
    }

    @Test("--json: the same, with their places")
    func json() async throws {
        let result = try await Tool.run("verify", "-", "--json", input: Self.broken)
        let json = try result.json()
        #expect(result.code == 65 && json["schema"] as? String == "sequencer.verification/1")
        #expect(json["budgetVerdict"] as? String == "fail" && json["operations"] as? Int == 6)
        let mistakes = try #require(json["mistakes"] as? [[String: Any]])
        let lines = mistakes.map { mistake in
            let place = "<stdin>:\(mistake["line"] ?? ""):\(mistake["column"] ?? ""): "
            return place + ((mistake["path"] as? String).map { $0 + ": " } ?? "") + (mistake["message"] as? String ?? "")
        }
        #expect(lines == Self.expected)
    }

    @Test("Other commands stop at the first mistake; verify stops at the hundredth, and says so")
    func first() async throws {
        let run = try await Tool.run("run", "-", "--clock", "virtual", input: Self.broken)
        #expect(run.code == 65 && run.messages == "sequencer-cli: \(Self.expected[0])\n", "\(run.messages)")
        let many = (0..<300).map { #"{ "id": "s\#($0)", "after": ["x\#($0)"] }"# }.joined(separator: ",\n")
        let result = try await Tool.run("verify", "-", input: scenarioText(many))
        #expect(result.code == 65)
        #expect(result.messages.split(separator: "\n").count == 101)
        #expect(result.messages.hasSuffix("sequencer-cli: there may be more: these are the first 100\n"))
    }

    @Test("a retry that the operation's timeout leaves no time for is a warning: after pauses, or after an attempt that hangs")
    func lostRetry() async throws {
        func output(_ timeout: String, _ retry: String) async throws -> String {
            let operation = #"{ "id": "fetch", "timeout": "\#(timeout)", "retry": { \#(retry) }, "work": { "simulate": "10ms" } }"#
            return try await Tool.run("verify", "-", input: scenarioText(operation)).output
        }
        let pauses = try await output("1s", #""attempts": 4, "backoff": "400ms", "multiplier": 2, "jitter": 0"#)
        let lost = "fetch never comes to attempt 3 of 4: the pauses before it take at least 1.2 s, and it times out after 1 s"
        #expect(pauses.contains("warning: \(lost)\n") && pauses.contains("so that none follows one that hangs"), "\(pauses)")
        let hangs = try await output("2s", #""attempts": 2, "timeout": "1950ms", "backoff": "50ms", "jitter": 0"#)
        let next = "fetch is not tried again after an attempt that hangs: the next could begin after 2 s, and it times out after 2 s"
        #expect(hangs.contains("warning: \(next)\n"), "\(hangs)")
        let fits = try await output("5s", #""attempts": 2, "timeout": "2s", "backoff": "50ms""#)
        #expect(fits.contains("no problem found") && !fits.contains("one that hangs"), "\(fits)")
    }

    @Test("the 'continue' of a dependency that can do nothing is a warning; where it decides something it is none")
    func idleContinue() async throws {
        func output(_ policy: String) async throws -> String {
            let text = scenarioText(
                #"{ "id": "flags", "onFailure": "skipDependents", "work": { "simulate": "10ms" } }"#,
                #"{ "id": "news", "onFailure": "\#(policy)", "after": ["flags"], "work": { "simulate": "10ms" } }"#,
                #"{ "id": "main", "after": [{ "id": "news", "onFailure": "continue" }], "work": { "simulate": "10ms" } }"#
            )
            return try await Tool.run("verify", "-", input: text).output
        }
        let idle =
            "warning: the 'continue' of main for news can do nothing: news says so for all that wait for it; "
            + "where flags fails, news is skipped, and main with it\n"
        #expect(try await output("continue").contains(idle))
        #expect(try await !output("skipDependents").contains("can do nothing"))
    }
}
