import Foundation
import TestSupport
import Testing

/// In a scenario file, the person is what an interactive operation simulates.
@Suite("A person's time in scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RunPersonsTimeTests {
    private static let asks = scenarioText(
        #"{ "id": "login", "interactive": true, "timeout": "2s", "work": { "simulate": "10s" } }"#,
        #"{ "id": "main", "after": ["login"], "on": "main", "work": { "simulate": "100ms" } }"#,
        head: #""budget": "3s", "milestone": "main","#
    )

    private func run(_ text: String, _ options: String...) async throws -> (
        code: Int32, measured: Double?, asked: Double?, login: [String: Any]
    ) {
        let result = try await Tool.run(["run", "-", "--clock", "virtual", "--json"] + options, input: Data(text.utf8))
        let report = try result.json()
        let budget = report["budget"] as? [String: Any]
        let operations = try #require(report["operations"] as? [[String: Any]])
        let login = try #require(operations.first { $0["id"] as? String == "login" })
        return (result.code, budget?["measuredMs"] as? Double, budget?["interactiveMs"] as? Double, login)
    }

    @Test(
        "A29: an interactive operation's timeout stands still while it simulates the person, on either thread, and in a graph that was read"
    )
    func answer() async throws {
        let graph = try await Tool.run("graph", "-", "--format", "json", input: Self.asks)
        let onMain = Self.asks.replacing(#""interactive": true"#, with: #""interactive": true, "on": "main""#)
        for text in [Self.asks, onMain, graph.output] {
            let launch = try await run(text)
            #expect(launch.code == 0 && launch.login["outcome"] as? String == "succeeded", "\(launch)")
            #expect(launch.measured == 100 && launch.asked == 10_000, "\(launch)")
        }
    }

    @Test("A29: the time of a program or a server is not an answer: the timeout of an interactive operation ends it")
    func work() async throws {
        let text = scenarioText(
            #"{ "id": "login", "interactive": true, "timeout": "2s", "expected": "10s", "work": { "command": ["ask"] } }"#
        )
        let launch = try await run(text)
        #expect(launch.code == 1 && launch.login["outcome"] as? String == "timedOut", "\(launch)")
    }

    @Test(
        "A29: of an interactive operation that computes or sends a request nobody is asked: its time counts; a command asks by itself",
        arguments: [
            (#"{ "compute": "2s" }"#, false), (#"{ "http": { "url": "https://example.com/" } }"#, false),
            (#"{ "command": ["ask"] }"#, true), (#"{ "simulate": "2s" }"#, true),
        ]
    )
    func machine(work: String, asks: Bool) async throws {
        let text = scenarioText(
            #"{ "id": "login", "interactive": true, "expected": "2s", "work": \#(work) }"#,
            head: #""budget": "1s","#
        )
        let launch = try await run(text)
        #expect(launch.measured == (asks ? 0 : 2_000) && launch.asked == (asks ? 2_000 : 0), "\(launch)")
        #expect(launch.code == (asks ? 0 : 3) && (launch.login["interactive"] as? Bool ?? false) == asks, "\(launch)")
        #expect(try await Tool.run("plan", "-", input: text).code == launch.code)
        let verified = try await Tool.run("verify", "-", "--json", input: text)
        let codes = (try verified.json()["warnings"] as? [[String: String]])?.compactMap { $0["code"] } ?? []
        #expect(verified.code == launch.code && codes == (asks ? [] : ["nobodyAsked", "budget"]), "\(verified.output)")
    }
}
