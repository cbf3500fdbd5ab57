import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Resources with a limit, in scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ResourceLimitCommandTests {
    private static func downloads(_ resources: String) -> String {
        let operations = (1...5).map { "{ \"id\": \"d\($0)\", \"exclusive\": [\"net\"], \"work\": { \"simulate\": \"100ms\" } }" }
        return """
            { "schema": "sequencer.scenario/1", "name": "downloads", "resources": \(resources), "operations": [
                \(operations.joined(separator: ",\n    "))
            ] }
            """
    }

    @Test("plan, a launch in virtual time and a printed graph know how many may hold a resource", arguments: [1, 2, 5])
    func limits(limit: Int) async throws {
        let makespan = Double((5 + limit - 1) / limit * 100)
        let text = Self.downloads("{ \"net\": \(limit) }")
        let graph = try await Tool.run("graph", "-", "--json", input: text).output
        for source in [text, graph] {
            let plan = try await Tool.run("plan", "-", "--lanes", "5", "--json", input: source).json()
            #expect((plan["plans"] as? [[String: Any]])?.first?["makespanMs"] as? Double == makespan)
            let run = try await Tool.run("run", "-", "--clock", "virtual", "--json", input: source).json()
            #expect(run["makespanMs"] as? Double == makespan)
        }
    }

    @Test(
        "a limit that nobody keeps, or that makes no sense, is named with its place",
        arguments: [
            (#"{ "nte": 2 }"#, "resources.nte: no operation holds the resource 'nte'; did you mean 'net'?"),
            (#"{ "net": 0 }"#, "resources.net: expected a whole number from 1 to 1024, found 0"),
            ("2", "resources: expected an object, found a number"),
        ]
    )
    func mistakes(resources: String, said: String) async throws {
        let result = try await Tool.run("verify", "-", input: Self.downloads(resources))
        #expect(result.code == 65 && result.messages.contains(said), "\(result.messages)")
    }
}
