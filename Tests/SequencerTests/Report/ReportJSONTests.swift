import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

@Suite("Reports as JSON", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ReportJSONTests {
    private func run(_ graph: OperationGraph, budget: Budget = .seconds(3), grace: Duration = .milliseconds(250)) async throws
        -> LaunchReport
    {
        try await graph.run(budget: budget, options: LaunchOptions(grace: grace, clock: VirtualClock(), seed: 1)).report
    }

    @Test("a dependency is named once, however often it was declared")
    func repeatedDependency() async throws {
        var graph = OperationGraph("repeated")
        let config = graph.add("config") { 1 }
        graph.add("login", using: config, after: config, "config") { _ in }
        graph.add("last", after: config) {}
        var others: [any StepReference] = []
        for index in 0..<20 { others.append(graph.add("op\(index)") {}) }
        for (index, other) in (others + others).enumerated() { graph.addDependency(other, to: index == 0 ? "login" : "last") }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["login"]?.dependencies == ["config", "op0"])
        #expect(report["last"].map { Set($0.dependencies).count == $0.dependencies.count } == true)
    }

    @Test("an abort names who and why; what never started has no times")
    func aborted() async throws {
        var graph = OperationGraph("first-launch")
        let update = graph.add("force-update") { launch in
            try await launch.sleep(for: .milliseconds(300))
            launch.abort(.forceUpdate)
        }
        graph.add("main-app", .milestone, after: update, on: .main) {}
        #expect(
            try await run(graph).json(pretty: false)
                == #"{"schema":"sequencer.report/1","scenario":"first-launch","clock":"virtual","controlled":["time"],"#
                + #""notControlled":["real work","threads","processors"],"outcome":"aborted","#
                + #""abort":{"by":"force-update","reason":"force-update"},"#
                + #""budget":{"limitMs":3000,"measuredMs":300,"interactiveMs":0,"verdict":"pass"},"milestone":"main-app","#
                + #""makespanMs":300,"workMs":300,"criticalPathMs":300,"criticalPath":["force-update"],"lanes":1,"operations":["#
                + #"{"id":"force-update","outcome":"succeeded","readyMs":0,"startMs":0,"endMs":300,"waitMs":0,"durationMs":300,"slackMs":0,"#
                + #""critical":true,"lane":"lane 1","attempts":1},"#
                + #"{"id":"main-app","outcome":"cancelled","readyMs":null,"startMs":null,"endMs":300,"waitMs":null,"durationMs":null,"slackMs":0,"#
                + #""critical":false,"lane":null,"attempts":0,"after":["force-update"],"main":true,"message":"not started: force-update aborted the launch (force-update)"}]}"#
        )
    }

    @Test("anomalies are told")
    func anomalies() async throws {
        final class Twice: ConcurrentOperation, @unchecked Sendable {
            // No state of its own.
            override func main() {
                finish()
                finish()
            }
        }
        var graph = OperationGraph("twice")
        let twice = graph.addOperation("twice") { _ in Twice() }
        graph.add("after", after: twice) { launch in try await launch.sleep(for: .milliseconds(1)) }
        let text = try await run(graph).json()
        #expect(
            text.hasSuffix(
                """
                    }
                  ],
                  "anomalies": [
                    "twice finished more than once; only the first time counted"
                  ],
                  "anomalyDetails": [
                    {
                      "kind": "finishedAgain",
                      "operation": "twice"
                    }
                  ]
                }
                """
            )
        )
    }

    @Test("names and messages come back as they were, on one line")
    func hostile() async throws {
        struct Hostile: Error, CustomStringConvertible { let description = "\"quoted\"\n\u{1B}[31m\\" }
        var graph = OperationGraph("\n\"\u{2028}")
        graph.add(#"a"\b"#, .title("\u{0}\u{7}\n</title>"), .onFailure(.continue)) { throw Hostile() }
        let text = try await run(graph).json(pretty: false)
        #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["scenario"] as? String == "\n\"\u{2028}")
        let operation = try #require((object["operations"] as? [[String: Any]])?.first)
        #expect(operation["id"] as? String == #"a"\b"#)
        #expect(operation["title"] as? String == "\u{0}\u{7}\n</title>")
        #expect(operation["message"] as? String == #""quoted"\n\u{1B}[31m\"#)
    }
}
