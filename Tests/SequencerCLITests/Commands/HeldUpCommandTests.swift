import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

/// What the tool says of a launch in which somebody held what another one needed.
@Suite("Who held up whom", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HeldUpCommandTests {
    @Test("the verdict and blame name the step that waited for an event, and the event where the step has another name")
    func event() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (step, words) in [("window", "window"), ("scene", "scene for the event 'window'")] {
            let window = ExternalEvent<String>("window")
            var graph = OperationGraph("late")
            let connected = graph.wait(for: window, id: step)
            graph.add("main-app", .milestone, after: connected) { launch in try await launch.sleep(for: .milliseconds(100)) }
            graph.add("connect") { launch in
                try await launch.sleep(for: .seconds(5))
                window.fulfill("main")
            }
            let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: VirtualClock())).report
            let path = try folder.write(report.json())
            let result = try await Tool.run("blame", path)
            let lines = result.output.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("  \(words) * ") && $0.contains(" 5 s ") }, "\(result.output)")
        }
    }

    @Test("blame says who had the processors, and counts what a step would leave of them")
    func contended() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var graph = OperationGraph("contended")
        let database = graph.add("db") { launch in try await launch.sleep(for: .milliseconds(800)) }
        for id in ["sdk0", "sdk1", "sdk2"] {
            graph.add(id) { launch in try await launch.sleep(for: .milliseconds(790)) }
        }
        graph.add("main-app", .milestone, after: database) {}
        var report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
        report.processors = 2
        for place in 0..<4 {
            report.operations[place].processorTime = .milliseconds(400)
            report.operations[place].runnableTime = report.operations[place].duration - .milliseconds(400)
        }
        let path = try folder.write(report.json())
        let text = try await Tool.run("blame", path).output
        #expect(text.contains(" ran ") && text.contains("  db took 800 ms, of which it ran 400 ms"), "\(text)")
        let rows = try #require(try await Tool.call("blame", path, "--json").json()["operations"] as? [[String: Any]])
        for row in rows where (row["id"] as? String)?.hasPrefix("sdk") == true {
            // Without one of the four, three share two processors.
            #expect(row["gainMs"] as? Double ?? 0 > 100 && row["processorMs"] as? Double == 400, "\(row)")
        }
        #expect(rows.count == 5)
    }

    @Test("in a large launch with a scarce resource 40 gains are worked out, and the text says so; others are null", .nightly)
    func large() async throws {
        let operations = (0..<5_000).map { number in
            let options = number < 2 ? #""exclusive": ["net"], "# : number == 4_999 ? #""after": ["o0", "o1"], "# : ""
            return #"{ "id": "o\#(number)", \#(options)"work": { "simulate": "\#(number < 2 ? 90 : 2)ms" } }"#
        }
        let text = scenarioText(operations.joined(separator: ",\n"))
        let rows = try #require(try await Tool.call("blame", "-", "--json", input: text).json()["operations"] as? [[String: Any]])
        #expect(rows.count == 5_000 && rows.allSatisfy { ($0["gainMs"] is Double) == ($0["scheduledGainMs"] is Double) })
        #expect(rows.filter { $0["scheduledGainMs"] != nil }.count == 40)
        let shown = try await Tool.run("blame", "-", input: text).output
        #expect(shown.contains("so each gain takes a launch in virtual time; the 40 longest were run\n"))
    }
}
