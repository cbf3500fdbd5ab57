import Foundation
import TestSupport
import Testing

/// `explain`, over launches whose course no clock decides.
@Suite("explain, in virtual time", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ExplainCommandTests {
    private func levels(of explained: Tool.Result) throws -> [String] {
        try #require(try explained.json()["launches"] as? [[String: Any]]).compactMap { $0["level"] as? String }
    }

    @Test("fault P7: a required step that crashes is not left out: more and more else is, and what a launch without it leaves is known")
    func required() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        let path = try folder.write(
            scenarioText(
                #"{ "id": "fetch-config", "fallback": "bundled", "work": { "simulate": "1ms" } }"#,
                #"{ "id": "migrate", "after": ["fetch-config"], "work": { "simulate": "1ms" } }"#,
                #"{ "id": "main-app", "after": ["migrate"], "work": { "simulate": "1ms" } }"#,
                head: #""milestone": "main-app","#
            )
        )
        for _ in 0..<7 {
            let crash = try await Tool.run("run", path, "--state", state, "--clock", "virtual", "--inject", "migrate=crash")
            #expect(crash.code == 128 + SIGKILL)
        }
        let explained = try await Tool.run("explain", "--state", state, "--json")
        let expected = ["minimal", "minimal", "without-caches", "without-trial-configuration", "normal", "normal", "normal"]
        #expect(try levels(of: explained) == expected)
        let next = try #require(try explained.json()["next"] as? [String: Any])
        #expect(next["level"] as? String == "minimal")
        let healed = try await Tool.run("run", path, "--state", state, "--clock", "virtual")
        #expect(healed.code == 0 && healed.messages.contains("safe mode: only what the main screen needs is done"))
        #expect(healed.output.contains("fetch-config"))
        let quiet = try await Tool.run("run", path, "--state", state, "--clock", "virtual")
        #expect(quiet.code == 0 && quiet.messages.isEmpty)
    }

    @Test("A command line that makes no sense is no launch")
    func noLaunch() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        let wrong = [
            ["nowhere", "--clock", "virtual"], ["regular", "--inject", "nobody=fail"], ["regular", "--app-version", "x"],
            ["regular", "--history", folder.url.path], ["regular", "--link", "javascript:alert(1)"],
        ]
        for arguments in wrong {
            let result = try await Tool.run(["run"] + arguments + ["--state", state])
            #expect(result.code != 0, "\(arguments)")
        }
        let explained = try await Tool.run("explain", "--state", state, environment: ["COLUMNS": "400"])
        #expect(explained.code == 0 && explained.output == "No launch was written down in \(state).\n")
    }

    @Test("A folder that is not there, or is none, is said, with exit code 66; nothing is created")
    func noFolder() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = folder.file("missing").path
        let result = try await Tool.run("explain", "--state", missing)
        #expect(result.code == 66 && result.output.isEmpty)
        #expect(result.messages == "sequencer-cli: there is no folder '\(missing)'; 'run' makes it, or name another with --state\n")
        #expect(!FileManager.default.fileExists(atPath: missing))
        let file = try folder.write("", to: "file")
        #expect(try await Tool.run("explain", "--state", file).code == 66)
        #expect(try await Tool.run("explain", environment: ["XDG_STATE_HOME": "", "HOME": ""]).code == 66)
        let usage = try await Tool.run("explain", "--last", "0")
        #expect(usage.code == 64 && usage.messages.contains("--last"))
    }

    @Test("A damaged journal is told as far as it can be, and what is wrong with it is said")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device")
        _ = try await Tool.run("run", "regular", "--state", state.path, "--clock", "virtual", "--inject", "tutorial=crash")
        let journals = state.appendingPathComponent("journal")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: journals.path).first { $0.hasSuffix(".jsonl") })
        let handle = try FileHandle(forWritingTo: journals.appendingPathComponent(name))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(#"{"event":"ended","oper"#.utf8))
        try handle.close()
        let result = try await Tool.run("explain", "--state", state.path, environment: ["COLUMNS": "400"])
        #expect(result.code == 0 && result.output.contains("crashed in tutorial"))
        #expect(result.output.contains(#/launch 1 is not told whole: line \d+ makes no sense/#))
    }

    @Test("bench cannot crash, and says so")
    func bench() async throws {
        let result = try await Tool.run("bench", "regular", "--clock", "virtual", "--inject", "login=crash")
        #expect(result.code == 64 && result.messages.contains("'login=crash' would end the bench; only run can crash"))
    }
}
