import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

/// What the tool says of a launch in which somebody held what another one needed.
@Suite("Who held up whom", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct HeldUpCommandTests {
    /// `warm-fonts` takes longer than anybody expected, and has the screen when `splash` needs it.
    private static let fonts = scenarioText(
        #"{ "id": "prepare", "work": { "simulate": "50ms" } }"#,
        #"{ "id": "splash", "after": ["prepare"], "exclusive": ["ui"], "work": { "simulate": "300ms" } }"#,
        #"{ "id": "load", "after": ["splash"], "work": { "simulate": "700ms" } }"#,
        #"{ "id": "warm-fonts", "exclusive": ["ui"], "expected": "10ms", "work": { "simulate": "300ms" } }"#,
        head: #""budget": "1100ms", "milestone": "load", "#
    )

    @Test("the verdict names what held the resource, not what took longest")
    func verdict() async throws {
        let result = try await Tool.run("run", "-", "--clock", "virtual", input: Self.fonts)
        #expect(result.code == 3)
        #expect(
            result.output.hasSuffix("FAIL  1.3 s of 1.1 s, 200 ms over: warm-fonts (300 ms, 10 ms expected)\n"),
            "\(result.output)"
        )
    }

    @Test("blame tells of the work after the milestone")
    func blame() async throws {
        let later = scenarioText(
            #"{ "id": "home", "work": { "simulate": "300ms" } }"#,
            #"{ "id": "sync", "after": ["home"], "work": { "simulate": "1s" } }"#,
            head: #""milestone": "home", "#
        )
        let work = try await Tool.run("blame", "-", input: later).output
        #expect(work.hasPrefix("test: 300 ms, 1.3 s of work, 1 s of it after the milestone\n"), "\(work)")
    }

    @Test(
        "blame tells no gain where nobody knows it: of two that compete for the main thread, of a timeout, of a further attempt, and beside a cut",
        arguments: [
            (
                ["s1", "s3", "s4"],
                #"{ "id": "s1", "on": "main", "work": { "simulate": "148ms" } }, { "id": "s3", "after": ["s1"], "work": { "compute": "334ms" } },"#
                    + #"{ "id": "s4", "on": "main", "work": { "compute": "350ms" } }"#
            ),
            (
                ["s2"],
                #"{ "id": "s1", "on": "main", "work": { "compute": "235ms" } }, { "id": "s2", "on": "main", "work": { "compute": "93ms" } },"#
                    + #"{ "id": "s5", "after": ["s2"], "work": { "simulate": "173ms" } }"#
            ),
            (
                ["s1"],
                #"{ "id": "s1", "timeout": "82ms", "onFailure": "skipDependents", "work": { "compute": "153ms" } },"#
                    + #"{ "id": "s2", "after": ["s1"], "work": { "compute": "57ms" } }"#
            ),
            (
                ["s5", "s6"],
                #"{ "id": "s5", "work": { "compute": "303ms" } },"#
                    + #"{ "id": "s6", "after": ["s5"], "fallback": "x", "cuttable": true, "work": { "compute": "282ms" } }"#
            ),
        ]
    )
    func uncertain(ids: [String], operations: String) async throws {
        let text = scenarioText(operations, head: #""budget": "400ms", "#)
        let rows = try #require(try await Tool.run("blame", "-", "--json", input: text).json()["operations"] as? [[String: Any]])
        #expect(rows.filter { $0["gainMs"] is NSNull }.compactMap { $0["id"] as? String }.sorted() == ids, "\(rows)")
        let note = "  ? uncertain: if that took no time, others would run, wait or be cut otherwise\n"
        #expect(try await Tool.run("blame", "-", input: text).output.contains(note))
    }

    @Test("critical-chain goes from whoever waited to whoever held the resource; of a scenario and of a saved report the same")
    func chain() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(Self.fonts)
        let report = folder.file("report.json").path
        #expect(try await Tool.run("run", path, "--clock", "virtual", "--json", "-o", report).code == 3)
        for source in [path, report] {
            let result = try await Tool.run("critical-chain", source)
            #expect(
                result.output == """
                    test: 1.3 s
                    load @600 ms +700 ms
                    └─splash @300 ms +300 ms, waited 250 ms for warm-fonts
                      └─warm-fonts @0 ms +300 ms
                    controlled: time; not: real work, threads, processors
                    @ when it started, + how long it took; each waited for the one below it

                    """,
                "\(result.output)"
            )
            let rows = try #require(try await Tool.run("blame", source, "--json").json()["operations"] as? [[String: Any]])
            #expect(rows.map { $0["id"] as? String } == ["load", "splash", "warm-fonts", "prepare"])
            // Without `prepare`, `splash` comes before `warm-fonts`.
            #expect(rows.map { $0["gainMs"] as? Double } == [700, 300, 250, 300])
            #expect(rows.map { $0["scheduledGainMs"] as? Double } == [700, 300, 250, 300])
            #expect(rows.map { $0["critical"] as? Bool } == [true, true, true, false])
            #expect(rows.map { $0["heldUpBy"] as? String } == [nil, "warm-fonts", nil, nil])
        }
    }

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

    @Test(
        "in a large launch with a scarce resource gainMs is null where it was not worked out; the text says how many gains were worked out",
        .nightly
    )
    func large() async throws {
        let count = 5_000
        let last = count - 1
        let operations = (0..<count).map { number in
            let after = number == last ? ", \"after\": [\"o0\", \"o1\"]" : ""
            let resource = number < 2 ? ", \"exclusive\": [\"net\"]" : ""
            let time = number < 2 ? 90 : number == last ? 1 : 2
            return "{ \"id\": \"o\(number)\"\(after)\(resource), \"work\": { \"simulate\": \"\(time)ms\" } }"
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = #"{ "schema": "sequencer.scenario/1", "name": "large", "operations": ["# + operations.joined(separator: ",\n") + "] }"
        let path = try folder.write(text)
        let rows = try #require(try await Tool.run("blame", path, "--json").json()["operations"] as? [[String: Any]])
        #expect(rows.count == count)
        #expect(rows.allSatisfy { ($0["gainMs"] is Double) == ($0["scheduledGainMs"] is Double) && $0.keys.contains("gainMs") })
        let scheduled = Set(rows.filter { $0["scheduledGainMs"] != nil }.compactMap { $0["id"] as? String })
        #expect(scheduled.count == 40 && scheduled.isSuperset(of: ["o0", "o1"]))
        let shown = try await Tool.run("blame", path).output
        #expect(shown.contains("there are too many; the gains of 40 were\n"))
    }
}
