import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("What statistics read of a launch", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct LaunchLineTests {
    private static let head = #""schema":"sequencer.report/1","scenario":"regular""#
    private static let budget = #""budget":{"measuredMs":12.5,"verdict":"pass"}"#

    private func decode(_ text: String, _ keys: StatsKeys = StatsKeys()) throws(ScenarioError) -> LaunchLine {
        try decodeDocument(LaunchLine.self, from: Array(text.utf8), file: "f", by: LaunchLine.decoder(keys))
    }

    private func message(_ text: String, _ keys: StatsKeys = StatsKeys()) -> String? {
        do throws(ScenarioError) {
            _ = try decode(text, keys)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(
        "What is wanted is found among what is not",
        arguments: [
            #"{\#(head),"outcome":"completed",\#(budget)}"#,
            #" { "operations" : [ {"a":[[],{}," \\\" ",1e5,-0.5,true,false,null]} ] , \#(budget) , "outcome":"completed", \#(head) } "#,
            #"{\#(head),"outcome":"completed","budget":{"x":{"measuredMs":1},"verdict":"pass","measuredMs":125e-1},"y":{"outcome":"failed"}}"#,
            #"{"\u0073chema":"sequencer.report\/1","scenario":"re\u0067ular","outcome":"completed",\#(budget)}"#,
        ]
    )
    func reports(_ text: String) throws {
        let expected = LaunchLine(scenario: "regular", version: nil, end: .report(.completed, measured: 12.5, isMet: true))
        #expect(try decode(text) == expected)
    }

    @Test("A launch whose process was not started for it is kept apart")
    func processStart() throws {
        let text = #"{\#(Self.head),"outcome":"completed",\#(Self.budget),"processStart":"background"}"#
        let expected = LaunchLine(scenario: "regular (background)", version: nil, end: .report(.completed, measured: 12.5, isMet: true))
        #expect(try decode(text) == expected)
    }

    @Test("Operations that have started or ended, where they are wanted; elsewhere they may be anything")
    func operations() throws {
        let texts = [
            #"{"id":"a","startMs":1,"durationMs":2.5,"x":[{"id":"y"}]}"#, #"{"durationMs":4,"startMs":0,"\u0069d":"b"}"#,
            #"{"id":"never","durationMs":0}"#, #"{"id":"c","startMs":null,"durationMs":null,"outcome":"skipped"}"#,
        ]
        let keys = StatsKeys(hasOperations: true)
        let line = #"{\#(Self.head),"operations":[\#(texts.joined(separator: " , "))],"outcome":"completed",\#(Self.budget)}"#
        #expect(
            try decode(line, keys).operations == [
                LaunchLine.Operation(id: "a", milliseconds: 2.5), LaunchLine.Operation(id: "b", milliseconds: 4),
                LaunchLine.Operation(id: "never"), LaunchLine.Operation(id: "c", outcome: .skipped),
            ]
        )
        let other = #"{\#(Self.head),"operations":7,"outcome":"completed",\#(Self.budget)}"#
        #expect(try decode(other).operations == [])
        #expect(message(other, keys) == "expected an array, found a number")
    }

    @Test("The wanted attribute, wherever its name stands; those that nobody wants may be anything")
    func attributes() throws {
        func line(_ attributes: String) -> String { #"{\#(Self.head),"attributes":\#(attributes),"outcome":"completed",\#(Self.budget)}"# }
        let keys = StatsKeys(attribute: "os.version")
        let long = #"{"name":"os.name","value":"\#(String(repeating: "x", count: 300))"}"#
        #expect(try decode(line(#"[\#(long),{"name":"os.version","value":"26.1"}]"#), keys).attribute == "26.1")
        #expect(try decode(line(#"[{"x":[{}],"value":"26.1","n\u0061me":"os.version"},\#(long)]"#), keys).attribute == "26.1")
        #expect(try decode(line("[\(long)]"), keys).attribute == nil)
        #expect(try decode(line("[ ]"), keys).attribute == nil)
        #expect(try decode(line("7")).attribute == nil)
        for wrong in ["7", "[7]", #"[{"name":"os.version","value":7}]"#, "[\(long.replacing("os.name", with: "os.version"))]"] {
            #expect(message(line(wrong), keys) != nil, "\(wrong)")
        }
        let crash = #"{"schema":"sequencer.crash/1","scenario":"push","attributes":[{"name":"os.version","value":"b"}]}"#
        #expect(try decode(crash, keys) == LaunchLine(scenario: "push", version: nil, end: .crash(operation: nil), attribute: "b"))
    }

    @Test("Crashes, with and without an operation")
    func crashes() throws {
        let crash = #"{"schema":"sequencer.crash/1","scenario":"push","version":"2","operation":"login"}"#
        #expect(try decode(crash) == LaunchLine(scenario: "push", version: "2", end: .crash(operation: "login")))
        let short = #"{"schema":"sequencer.crash/1","scenario":"push"}"#
        #expect(try decode(short) == LaunchLine(scenario: "push", version: nil, end: .crash(operation: nil)))
    }

    @Test(
        "What is broken is refused with its reason",
        arguments: [
            ("[]", "expected an object, found an array"),
            ("{", "unexpected end of the text; expected a key in double quotes"),
            (#"{\#(head),"outcome":"completed"}"#, "missing key 'budget'"),
            (#"{\#(head),"outcome":"completed","budget":{"verdict":"pass"}}"#, "missing key 'measuredMs'"),
            (#"{\#(head),\#(budget)}"#, "missing key 'outcome'"),
            (#"{"scenario":"a"}"#, "missing key 'schema'"),
            (#"{"schema":"sequencer.crash/1"}"#, "missing key 'scenario'"),
            (#"{"schema":"x","budget":"3s"}"#, "unknown schema 'x'; expected 'sequencer.report/1' or 'sequencer.crash/1'"),
            (
                #"{"schema":"sequencer.bench/1"}"#,
                "unknown schema 'sequencer.bench/1'; expected 'sequencer.report/1' or 'sequencer.crash/1'; 'compare' reads benches"
            ),
            (
                #"{\#(head),"outcome":"completed",\#(budget),"initialDisplayBudget":{"verdict":"late"}}"#,
                "expected pass, fail, found \"late\""
            ),
            (#"{\#(head),"outcome":"completed",\#(budget),"initialDisplayBudget":7}"#, "expected an object, found a number"),
            (
                #"{\#(head),"outcome":"completed",\#(budget),"initialDisplayMs":-1}"#,
                "expected 0 to 9000000000000 milliseconds, found -1.0"
            ),
            (#"{"schema":1}"#, "expected a string, found a number"),
            (
                #"{\#(head),"outcome":"done",\#(budget)}"#,
                "unknown outcome 'done'; expected 'completed', 'aborted', 'failed' or 'cancelled'"
            ),
            (#"{"budget":{"measuredMs":tru}}"#, "unknown word 'tru'; expected a value (text goes in double quotes)"),
            (
                "{\"schema\":\"sequencer.crash/1\",\"scenario\":\"\(String(repeating: "a", count: 257))\"}",
                "expected at most 256 bytes, found 257"
            ),
        ]
    )
    func broken(_ text: String, _ expected: String) {
        #expect(message(text) == expected)
    }
}
