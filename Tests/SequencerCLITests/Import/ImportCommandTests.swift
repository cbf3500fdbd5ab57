import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("import", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ImportCommandTests {
    private static let two = {
        func span(_ trace: Int, _ name: String, _ parent: String, _ start: Int, _ end: Int) -> String {
            """
            {"traceId":"\(trace)","spanId":"\(trace)\(name)","parentSpanId":"\(parent)","name":"\(name)",\
            "startTimeUnixNano":"\(start)000000","endTimeUnixNano":"\(end)000000"}
            """
        }
        let spans = [
            span(11, "start", "", 0, 1000), span(11, "config", "11start", 0, 400), span(22, "start", "", 5000, 6200),
            span(22, "config", "22start", 5000, 5900),
        ]
        return #"{"resourceSpans":[{"scopeSpans":[{"spans":[\#(spans.joined(separator: ","))]}]}]}"#
    }()

    @Test("Several traces are a report each, in lines that stats sums up; a scenario is made of one that is named")
    func traces() async throws {
        let all = try await Tool.run("import", "-", input: Self.two)
        #expect(all.code == 0 && all.messages == "sequencer-cli: <stdin>: read spans: 4\n", "\(all.messages)")
        #expect(all.output.split(separator: "\n").count == 2)
        #expect(try await Tool.run("stats", "-", input: all.output).output.contains("2 launches"))
        let one = try await Tool.run("import", "-", "--trace", "22", input: Self.two)
        #expect(try one.json()["makespanMs"] as? Double == 1200)
        let none = try await Tool.run("import", "-", "--trace", "33", input: Self.two)
        #expect(none.code == 65 && none.messages.hasSuffix("there is no trace '33'; expected '11' or '22'\n"), "\(none.messages)")
        let scenario = try await Tool.run("import", "-", "--as", "scenario", input: Self.two)
        #expect(scenario.code == 65 && scenario.messages.hasSuffix("by '--trace': expected '11' or '22'\n"), "\(scenario.messages)")
        let named = try await Tool.run("import", "-", "--as", "scenario", "--trace", "11", input: Self.two)
        #expect(try await Tool.run("plan", "-", input: named.output).code == 0)
    }

    @Test("Of a file with nothing to read it says what it left out")
    func nothing() async throws {
        let text = #"{"traceEvents":[{"name":"a","ph":"b","id":1,"ts":0},{"ph":"e","id":1,"ts":9}]}"#
        let result = try await Tool.run("import", "-", input: text)
        let reason = "nothing is left to import: read nothing; left out asynchronous events: 2"
        #expect(
            result.code == 65 && result.output.isEmpty && result.messages == "sequencer-cli: <stdin>: \(reason)\n",
            "\(result.messages)"
        )
    }
}
