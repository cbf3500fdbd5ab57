import Foundation
import TestSupport
import Testing

/// One report, in every form that the tool prints.
@Suite("One report in every form", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct OneReportTests {
    @Test("the same figures everywhere: work, which is that of all operations, lanes, the longest path, and what the budget counts")
    func figures() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "config", "work": { "simulate": "80ms" } }"#,
                #"{ "id": "images", "work": { "simulate": "120ms" } }"#,
                #"{ "id": "home", "after": ["config", "images"], "work": { "simulate": "200ms" } }"#,
                #"{ "id": "sync", "after": ["home"], "work": { "simulate": "1700ms" } }"#,
                head: #""milestone": "home", "budget": "1s", "lanes": 4, "#
            )
        )
        let saved = folder.file("report.json").path
        let run = try await Tool.run("run", path, "--clock", "virtual", "--json", "-o", saved)
        #expect(run.code == 0, "\(run.messages)")
        func report(_ format: String) async throws -> String {
            try await Tool.run("report", saved, "--format", format).output
        }
        let text = try await report("json")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(json["workMs"] as? Double == 2_100 && json["lanes"] as? Int == 4 && json["criticalPathMs"] as? Double == 320)
        #expect((json["budget"] as? [String: Any])?["measuredMs"] as? Double == 320 && json["makespanMs"] as? Double == 2_020)
        let markdown = try await report("markdown")
        #expect(markdown.contains("### test: pass: 320 ms of 1 s\n"), "\(markdown)")
        #expect(markdown.contains("; 2.1 s of work on 4 lanes, 2 of them used.\n"), "\(markdown)")
        #expect(markdown.contains("\nCritical path, 320 ms: "), "\(markdown)")
        let page = try await report("html")
        let figures = [
            ("Counted against the budget", "320 ms"), ("Budget", "1 s"), ("Makespan", "2.02 s"), ("Work", "2.1 s"),
            ("Critical path", "320 ms"), ("Lanes", "4, 2 of them used"), ("Operations", "4"),
        ]
        for (name, value) in figures { #expect(page.contains("<dt>\(name)</dt><dd><bdi>\(value)</bdi></dd>"), "\(name)") }
        let timeline = try await report("text")
        #expect(timeline.hasPrefix("test: completed in 320 ms, 4 lanes\n"), "\(timeline)")
        #expect(timeline.hasSuffix("\nPASS  320 ms of 1 s\n"), "\(timeline)")
        let blame = try await Tool.run("blame", saved).output
        #expect(blame.hasPrefix("test: 320 ms, 2.1 s of work\n"), "\(blame)")
        #expect(try await Tool.run("blame", saved, "--json").json()["workMs"] as? Double == 2_100)
    }
}
