import Foundation
import TestSupport
import Testing

@Suite("run", .serialized, .timeLimit(.minutes(30)), .real)
struct RealRunCommandTests {
    @Test("a status of 'unless' ends the attempts")
    func attempts() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func report(_ operation: String) async throws -> [String: Any] {
            let path = try folder.write(scenarioText(operation))
            let report = try await Tool.run("run", path, "--json", "--trust").json()
            return try #require((report["operations"] as? [[String: Any]])?.first)
        }
        for (status, attempts) in [(3, 1), (4, 2)] {
            let retry = #""retry": { "attempts": 2, "unless": [401, 3] }"#
            let exits = try await report(#"{ "id": "migrate", \#(retry), "work": { "command": ["sh", "-c", "exit \#(status)"] } }"#)
            #expect(exits["attempts"] as? Int == attempts && exits["outcome"] as? String == "failed")
        }
    }

    @Test("commands and computing are real work; a command's failure is named with its last words")
    func realWork() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write(
            scenarioText(
                #"{ "id": "compute", "work": { "compute": "5ms" } }"#,
                #"{ "id": "list", "work": { "command": ["uname"] } }"#,
                #"{ "id": "migrate", "work": { "command": ["sh", "-c", "echo table users is locked >&2; exit 3"] } }"#
            )
        )
        let result = try await Tool.run("run", path, "--json")
        #expect(result.code == 1)
        let failure = try #require(try result.json()["failure"] as? [String: String])
        #expect(failure["operation"] == "migrate")
        #expect(failure["message"]?.contains("status 3") == true)
        #expect(failure["message"]?.contains("table users is locked") == true)
    }

    @Test("work that computes has its processor time in the report, that of a command with its children's")
    func processorTime() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let loop = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; :"
        let path = try folder.write(
            scenarioText(
                #"{ "id": "compute", "work": { "compute": "10ms" } }"#,
                #"{ "id": "command", "work": { "command": ["sh", "-c", "\#(loop)"] } }"#,
                #"{ "id": "sleep", "work": { "simulate": "1ms" } }"#
            )
        )
        let report = try await Tool.run("run", path, "--json", "--trust").json()
        let operations = try #require(report["operations"] as? [[String: Any]])
        let used = operations.map { $0["processorMs"] as? Double }
        #expect(used[0] ?? 0 >= 10 && used[1] ?? 0 > 0 && used[2] == nil)
        #expect(report["otherProcessorMs"] is Double && report["processors"] is Int)
    }

    @Test("fault A11, L18: Ctrl-C cancels, prints the report so far and exits 130; a second one ends at once", arguments: [1, 2])
    func interrupt(times: Int) async throws {
        // The launch tells that it runs by making a file; then it is interrupted. One that ignores the first signal needs the second.
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let mark = folder.file("mark").path
        let path = try folder.write(
            scenarioText(
                #"{ "id": "first", "work": { "command": ["touch", "\#(mark)"] } }"#,
                #"{ "id": "long", "after": ["first"], "work": { "simulate": "1h" } }"#
            )
        )
        let line = """
            "$TOOL" run \(path) --deadline none & pid=$!
            while [ ! -e \(mark) ]; do sleep 0.01; done
            for i in $(seq \(times)); do kill -INT $pid; done
            wait $pid
            """
        let result = try await Tool.shell(line)
        #expect(result.code == 130)
        if times == 1 { #expect(result.output.contains("cancelled")) }
    }

    @Test("fault A4: a closed pipe ends the output, not the tool's manners")
    func closedPipe() async throws {
        let result = try await Tool.shell(#"{ "$TOOL" run regular --clock virtual; echo "code $?" >&2; } | head -1"#)
        #expect(result.messages == "code 0\n")
        #expect(result.output.hasPrefix("regular"))
    }
}
