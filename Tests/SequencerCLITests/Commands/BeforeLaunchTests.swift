import Foundation
import TestSupport
import Testing

@Suite("run --from-process-start", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BeforeLaunchTests {
    @Test("the time before the launch is a bar, a line of blame, a key of the report, and no operation's fault")
    func told() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(scenarioText(#"{ "id": "home", "work": { "simulate": "0ms" } }"#, head: #""milestone": "home","#))
        let saved = folder.file("report.json").path
        // No process is so young when its launch begins.
        let line = ["run", path, "--clock", "virtual", "--from-process-start", "--budget", "1us"]
        #expect(try await Tool.run(line + ["--json", "-o", saved]).code == 3)
        let text = try await Tool.run(line)
        #expect(text.code == 3)
        let rows = text.output.split(separator: "\n")
        #expect(rows.contains { $0.hasPrefix("*◆(before the lau") } && rows.contains { $0.contains("home") }, "\(text.output)")
        let words = text.output.replacing("\n      ", with: " ")
        #expect(words.contains("\nFAIL  ") && words.contains(" of it before the launch, "), "\(words)")
        #expect(!text.output.contains(": home ("))
        let report = try #require(
            try JSONSerialization.jsonObject(with: try Data(contentsOf: folder.file("report.json"))) as? [String: Any]
        )
        let before = try #require(report["beforeRunMs"] as? Double)
        #expect(before > 0 && (report["budget"] as? [String: Any])?["causes"] as? [String] == [])
        let blame = try await Tool.run("blame", saved)
        #expect(blame.output.split(separator: "\n").contains { $0.hasPrefix("before the launch: ") }, "\(blame.output)")
        #expect(try await Tool.call("blame", saved, "--json").json()["beforeRunMs"] as? Double == before)
        #expect(try await Tool.run("run", path, "--clock", "virtual", "--json").json()["beforeRunMs"] == nil)
    }
}
