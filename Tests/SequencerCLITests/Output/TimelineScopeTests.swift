import TestSupport
import Testing

@testable import Sequencer
@testable import sequencer_cli

@Suite("Timelines of launches with scopes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct TimelineScopeTests {
    private func text(_ report: LaunchReport) -> String {
        TimelineText(report, style: TextStyle(isColored: false, isUnicode: true), width: 72).text
    }

    @Test("Each scope has a line, twenty at most")
    func lines() async throws {
        let scope = try await TimelineFixtures.run(TimelineFixtures.regular())
        var report = scope
        report.scopes = [LaunchReport.Scope(name: "window-2", start: .milliseconds(610), report: scope)]
        #expect(text(report).contains("\nscope window-2 from 610 ms: completed; 887 ms of 3 s, pass\nPASS"))
        report.scopes = (1...22).map { LaunchReport.Scope(name: "window-\($0)", start: .zero, report: scope) }
        #expect(text(report).contains("\nscope window-20 from 0 ms: completed; 887 ms of 3 s, pass\nand 2 more like these\nPASS"))
    }

    @Test("Commands that look into a launch leave its scopes out, and say so; stats counts the launch alone")
    func analysis() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let launch = try await TimelineFixtures.run(TimelineFixtures.regular())
        var scoped = launch
        scoped.scopes = [LaunchReport.Scope(name: "window-2", start: .milliseconds(610), report: launch)]
        let files = try [launch, scoped].enumerated().map { try folder.write($1.json(), to: "launch-\($0).json") }
        for command in ["blame", "critical-chain"] {
            let plain = try await Tool.run(command, files[0])
            let result = try await Tool.run(command, files[1])
            let note = "  not counted, for they are launches of their own: window-2\n"
            #expect(result.code == 0 && result.messages.isEmpty && result.output.contains(note), "\(result.messages)")
            #expect(result.output.replacing(note, with: "") == plain.output)
        }
        let plain = try await Tool.run("stats", "-", input: launch.json(pretty: false) + "\n")
        let result = try await Tool.run("stats", "-", input: scoped.json(pretty: false) + "\n")
        #expect(result.code == 0 && result.output == plain.output, "\(result.messages)")
    }
}
