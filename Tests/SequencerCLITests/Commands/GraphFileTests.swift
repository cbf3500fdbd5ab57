import Foundation
import Sequencer
import SequencerAnalysis
import StartupOps
import TestSupport
import Testing

@testable import sequencer_cli

/// Graphs that an app, or `graph --json`, has printed, read as scenarios.
@Suite("Graph files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphFileTests {
    /// Checks that both have the same plan, as text and as JSON.
    private func expectSamePlan(_ scenario: String, _ graph: String, _ message: @autoclosure () -> String = "") async throws {
        for options in [["--lanes", "2"], ["--lanes", "4", "--processors", "2"]] {
            let arguments = options + ["--budget", "3s", "--json"]
            let expected = try await Tool.call(["plan", scenario] + arguments)
            let found = try await Tool.call(["plan", "-"] + arguments, input: graph)
            #expect(!expected.output.isEmpty && found.messages.isEmpty, "\(found.messages)")
            #expect(found.code == expected.code && found.output == expected.output, "\(options): \(message())")
        }
    }

    @Test("the same for made-up scenarios, with every option that a plan heeds")
    func random() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var random = SplitMix64(seed: 5)
        for round in 0..<Nightly.times(day: 3, night: 20) {
            let count = Int.random(in: 1...14, using: &random)
            let milestone = Int.random(in: 0..<count, using: &random)
            let operations = (0..<count).map { index in
                var members = ["\"id\": \"s\(index)\""]
                let after = (0..<index).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                if !after.isEmpty { members.append("\"after\": [\(after.map { "\"s\($0)\"" }.joined(separator: ", "))]") }
                let time = Int.random(in: 0...400, using: &random)
                switch Int.random(in: 0..<6, using: &random) {
                case 0: members.append("\"on\": \"main\", \"work\": { \"compute\": \"\(time)ms\" }")
                case 1: members.append("\"on\": \"main\", \"work\": { \"simulate\": \"\(time)ms\" }")
                case 2: members.append("\"work\": { \"compute\": \"\(time)us\" }")
                case 3: break
                case 4: members.append("\"expected\": \"\(time)ms\", \"work\": { \"command\": [\"true\"] }")
                default: members.append("\"work\": { \"simulate\": \"\(time)ms\" }")
                }
                if Int.random(in: 0..<5, using: &random) == 0 { members.append("\"exclusive\": [\"ui\"]") }
                if Int.random(in: 0..<6, using: &random) == 0 { members.append("\"interactive\": true") }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: members.append("\"fallback\": \"none\"")
                case 1: members.append("\"onFailure\": \"continue\", \"timeout\": \"1500us\"")
                case 2 where index != milestone: members.append("\"deferrable\": true")
                case 3: members.append("\"fallback\": \"none\", \"cuttable\": true, \"retry\": { \"attempts\": 3, \"backoff\": \"10ms\" }")
                default: break
                }
                return "{ \(members.joined(separator: ", ")) }"
            }
            let isHeld = operations.contains { $0.contains("\"exclusive\"") }
            let resources = isHeld ? "\"resources\": { \"ui\": \(round % 3 + 1) }, " : ""
            let text =
                "{ \"schema\": \"sequencer.scenario/1\", \"name\": \"n\", \(resources)\"milestone\": \"s\(milestone)\", \"operations\": ["
                + operations.joined(separator: ",\n") + "] }"
            let path = try folder.write(text)
            let graph = try await Tool.call("graph", path, "--json")
            try #require(graph.code == 0, "\(graph.messages)")
            try await expectSamePlan(path, graph.output, "round \(round): \(text)")
        }
    }

    @Test("the own time of operations that ask a person, as past launches tell it, counts against the budget; any names are read")
    func ownTime() async throws {
        var graph = Scenario.firstLaunch.graph(.simulated())
        graph.name = " a\nname "
        let login = try graph.step("login", of: Account.self)
        graph.add("extra", .exclusive(ExclusiveResource("")), after: login) {}
        graph.expect(["login": .seconds(5)])
        let plan = try await graph.plan(PlanOptions(lanes: 4))
        #expect(!plan.meets(.seconds(3)))
        let text = try graph.validated().json(pretty: false)
        let result = try await Tool.call("plan", "-", "--lanes", "4", "--budget", "3s", "--json", input: text)
        let plans = try #require(result.json()["plans"] as? [[String: Any]])
        #expect(result.code == 3 && plans[0]["makespanMs"] as? Double == plan.makespan.milliseconds)
    }

    @Test("run takes the expected time of each operation; graph prints it as it was; verify judges it")
    func otherCommands() async throws {
        let printed = try await Tool.call("graph", "regular", "--json")
        let input = printed.output
        let again = try await Tool.call("graph", "-", "--json", input: input)
        #expect(again.code == 0 && again.output == printed.output)
        let (run, plan) = (
            try await Tool.call("run", "-", "--clock", "virtual", "--lanes", "4", "--json", input: input),
            try await Tool.call("plan", "-", "--lanes", "4", "--json", input: input)
        )
        let plans = try #require(plan.json()["plans"] as? [[String: Any]])
        #expect(run.code == 0)
        #expect(try run.json()["makespanMs"] as? Double == plans[0]["makespanMs"] as? Double)
        #expect(try await Tool.call("verify", "-", input: input).code == 0)
    }

    @Test("steps that run whatever happens, take the first of others or hold something over them are read as they were printed")
    func lastingOptions() async throws {
        var graph = OperationGraph("options")
        graph.limit("images", to: 2)
        let near = graph.add("near", .expected(.milliseconds(20))) { step in try await step.sleep(for: .milliseconds(20)) }
        let far = graph.add("far", .expected(.milliseconds(90))) { step in try await step.sleep(for: .milliseconds(90)) }
        let value = graph.first("value", of: near, far)
        let decode = graph.add("decode", .expected(.milliseconds(5)), after: value) { step in try await step.sleep(for: .milliseconds(5)) }
        try graph.hold("place", .exclusive("images"), over: value, decode) {
        } release: { _ in
        }
        graph.add("tidy", .always, .exclusive("log", .userInterface.ofProcess), after: decode) { step in try await step.sleep(for: .zero) }
        let printed = try graph.validated().json(pretty: false)
        for member in [#""firstOf":["near","far"]"#, #""heldOver":["value","decode"]"#, #""always":true"#, #""exclusiveOfProcess":["ui"]"#]
        {
            #expect(printed.contains(member), "\(member) in \(printed)")
        }
        let again = try await Tool.run(["graph", "-", "--json"], input: Data(printed.utf8))
        let json = try graph.validated().json()
        #expect(again.code == 0 && again.output == json + "\n", "\(again.messages)")
        let plan = try await Tool.run(["plan", "-", "--lanes", "4", "--json"], input: Data(printed.utf8))
        let plans = try #require(plan.json()["plans"] as? [[String: Any]])
        #expect(plans[0]["makespanMs"] as? Double == 25)
        let wrong = printed.replacingOccurrences(of: #""firstOf":["near""#, with: #""firstOf":["place2""#)
        #expect(try await Tool.run(["plan", "-"], input: Data(wrong.utf8)).messages.contains("'place2' is not in 'after' of 'value'"))
    }

    @Test("delays and shields are read as they were printed, in a graph and in a scenario file, and plans count delays")
    func delays() async throws {
        var graph = OperationGraph("delays")
        let home = graph.add("home", .milestone, .expected(.milliseconds(20))) {}
        graph.add("prefetch", .delay(.seconds(3)), .cancellationShield, .expected(.milliseconds(10)), after: home) {}
        let printed = try graph.validated().json()
        #expect(printed.contains(#""delayMs": 3000"#) && printed.contains(#""cancellationShield": true"#), "\(printed)")
        let again = try await Tool.run(["graph", "-", "--json"], input: Data(printed.utf8))
        #expect(again.code == 0 && again.output == printed + "\n", "\(again.messages)")
        let file = #"""
            { "schema": "sequencer.scenario/1", "name": "delays", "milestone": "home", "operations": [
              { "id": "home", "work": { "simulate": "20ms" } },
              { "id": "prefetch", "after": ["home"], "delay": "3s", "cancellationShield": true, "work": { "simulate": "10ms" } }
            ] }
            """#
        for input in [printed, file] {
            let plan = try await Tool.run(["plan", "-", "--lanes", "4", "--json"], input: Data(input.utf8))
            let plans = try #require(plan.json()["plans"] as? [[String: Any]])
            #expect(plans[0]["makespanMs"] as? Double == 3030)
            let run = try await Tool.run(["run", "-", "--clock", "virtual", "--json"], input: Data(input.utf8))
            let operations = try #require(run.json()["operations"] as? [[String: Any]])
            #expect(operations[1]["delayMs"] as? Double == 3000 && operations[1]["startMs"] as? Double == 3020)
        }
    }

    @Test("in a file, as in code, a step that ends behind another of which one is the first fails nothing")
    func firstOfFile() async throws {
        let far = #"{"id":"far","work":{"simulate":"700ms"}}"#, near = #"{"id":"near","work":{"simulate":"500ms"}}"#
        let first = #"{"id":"f","after":["far","near"],"firstOf":["far","near"]}"#
        let main = #"{"id":"m","after":["f"],"work":{"simulate":"10ms"}}"#
        let file = #"{"schema":"sequencer.scenario/1","name":"file","milestone":"m","operations":[\#(far),\#(near),\#(first),\#(main)]}"#
        let run = try await Tool.call("run", "-", "--clock", "virtual", "--json", input: file)
        #expect(try run.code == 0 && run.json()["criticalPath"] as? [String] == ["near", "f", "m"], "\(run.messages)")
        let plan = try await Tool.call("plan", "-", input: file)
        #expect(plan.code == 0 && plan.output.contains("longest path: 510 ms, near, f, m"), "\(plan.output)")
    }

    @Test(
        "fault J52: a mistake in a graph file is told with its place",
        arguments: [
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","operations":[{"id":"a","heldOver":[]}]}"#,
                "<stdin>:1:81: operations[0].heldOver: the list is empty; expected one or more"
            ),
            (#"{"schema":"sequencer.graph/1","operations":[]}"#, "<stdin>:1:1: missing key 'scenario'"),
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","operations":[{"id":"a","after":["b"]}]}"#,
                "<stdin>:1:79: operations[0].after[0]: unknown dependency 'b' of 'a'"
            ),
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","milestone":"x","operations":[{"id":"a"}]}"#,
                "<stdin>:1:58: milestone: the milestone 'x' is not an operation"
            ),
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","operations":[{"id":"a","expectedMs":-1}]}"#,
                "<stdin>:1:83: operations[0].expectedMs: expected a number from 0 to 86400000, found -1"
            ),
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","operations":[{"id":"a","work":{}}]}"#,
                "<stdin>:1:70: operations[0].work: unknown key 'work'"
            ),
            (
                #"{"schema":"sequencer.graph/1","scenario":"n","operations":[{"id":"a","after":["a"]}]}"#,
                "<stdin>:1:79: operations[0].after[0]: 'a' depends on itself"
            ),
        ] as [(String, String)]
    )
    func mistakes(text: String, message: String) async throws {
        let result = try await Tool.call("plan", "-", input: text)
        #expect(result.code == 65 && result.messages.contains(message), "\(result.messages)")
    }
}
