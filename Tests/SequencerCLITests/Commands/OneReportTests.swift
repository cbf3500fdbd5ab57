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
        #expect(
            json["workMs"] as? Double == 2_100 && json["lanes"] as? Int == 4 && json["lanesUsed"] as? Int == 2
                && json["criticalPathMs"] as? Double == 320
        )
        #expect((json["budget"] as? [String: Any])?["measuredMs"] as? Double == 320 && json["makespanMs"] as? Double == 2_020)
        let markdown = try await report("markdown")
        #expect(markdown.contains("### test: pass: 320 ms of 1 s\n"), "\(markdown)")
        #expect(markdown.contains("; 2.1 s of work on 4 lanes, 2 of them used.\n"), "\(markdown)")
        #expect(markdown.contains("\nCritical path, 320 ms: "), "\(markdown)")
        let page = try await report("html")
        let figures = [
            ("Counted against the budget", "320 ms"), ("Budget", "1 s"), ("Makespan", "2.02 s"), ("Work", "2.1 s"),
            ("Lanes", "4, 2 of them used"), ("Operations", "4"),
        ]
        for (name, value) in figures { #expect(page.contains("<dt>\(name)</dt><dd><bdi>\(value)</bdi></dd>"), "\(name)") }
        #expect(page.contains("<p>Critical path, 320 ms: "), "\(page)")
        let timeline = try await report("text")
        #expect(timeline.hasPrefix("test: completed in 320 ms, 2 of 4 lanes\n"), "\(timeline)")
        #expect(timeline.hasSuffix("\nPASS  320 ms of 1 s\n"), "\(timeline)")
        let blame = try await Tool.run("blame", saved).output
        #expect(blame.hasPrefix("test: 320 ms, 2.1 s of work, 1.7 s of it after the milestone\n"), "\(blame)")
        #expect(try await Tool.run("blame", saved, "--json").json()["workMs"] as? Double == 2_100)
    }

    /// On two lanes `b` waits for the lane of `c`, and `main` for `b`; by dependencies alone the longest path goes over `a` and `d`.
    private static func twoLanes(instant: String? = nil) -> String {
        let operations = [("a", 300, ""), ("b", 200, ""), ("c", 250, ""), ("d", 100, #""a""#), ("main", 50, #""b", "c", "d""#)]
        let texts = operations.map { id, time, after in
            "{ \"id\": \"\(id)\", \"after\": [\(after)], \"work\": { \"simulate\": \"\(id == instant ? 0 : time)ms\" } }"
        }
        return scenarioText(texts.joined(separator: ",\n"), head: #""milestone": "main", "budget": "400ms", "lanes": 2, "#)
    }

    @Test("one critical path everywhere: what the milestone waited for; the longest path is the graph's, and called so")
    func criticalPath() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(Self.twoLanes())
        let saved = folder.file("report.json").path
        #expect(try await Tool.run("run", path, "--clock", "virtual", "--json", "-o", saved).code == 3)
        let run = try await Tool.run("run", path, "--clock", "virtual").output
        let marked = run.split(separator: "\n").filter { $0.hasPrefix("* ") }.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(marked == ["c", "b", "main", "critical"], "\(run)")
        #expect(run.contains("\nFAIL  500 ms of 400 ms, 100 ms over: c ("), "\(run)")
        for source in [path, saved] {
            let blame = try #require(try await Tool.run("blame", source, "--json").json()["operations"] as? [[String: Any]])
            #expect(Set(blame.filter { $0["critical"] as? Bool == true }.compactMap { $0["id"] as? String }) == ["b", "c", "main"])
            let chain = try #require(try await Tool.run("critical-chain", source, "--json").json()["chain"] as? [[String: Any]])
            #expect(chain.compactMap { $0["id"] as? String } == ["c", "b", "main"])
        }
        let json = try await Tool.run("report", saved, "--json").json()
        #expect(json["criticalPath"] as? [String] == ["c", "b", "main"] && json["clock"] as? String == "virtual")
        let markdown = try await Tool.run("report", saved, "--format", "markdown").output
        #expect(markdown.contains("Critical path, 500 ms: `c` → `b` → `main`.\n"))
        #expect(
            try await Tool.run("report", saved, "--format", "html").output.contains(
                "Critical path, 500 ms: <bdi>c</bdi>, <bdi>b</bdi>, <bdi>main</bdi>."
            )
        )
        let plan = try await Tool.run("plan", path).output
        #expect(
            plan.contains("longest path: 450 ms, a, d, main\n") && plan.contains("\n* longest path  ") && !plan.contains("critical path")
        )
        let graph = try await Tool.run("graph", path).output
        #expect(graph.hasPrefix("test: 5 operations, longest path 450 ms (*)\n"))
        #expect(
            try await Tool.run("verify", path).output.contains("warning: the longest path alone takes 450 ms of 400 ms: a → d → main\n")
        )
    }
}
