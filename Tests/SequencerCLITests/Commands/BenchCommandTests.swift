import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("bench", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct BenchCommandTests {
    @Test("F5: a baseline that was faster: the operation that did it, and code 4; a threshold above the change lets it pass")
    func baseline() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("main.json").path
        let saved = try await Tool.run("bench", "regular", "--clock", "virtual", "--runs", "3", "--save", file)
        #expect(saved.code == 0)
        let slower = ["bench", "regular", "--clock", "virtual", "--runs", "3", "--inject", "login=delay:400ms", "--baseline", file]
        let regression = try await Tool.run(slower)
        #expect(regression.code == 4)
        #expect(
            regression.output.hasSuffix(
                """

                regular  3 against 3 completed runs
                  median  800 ms → 1.1 s, +37.5%

                  operation   change    accounts for  before  after  p
                  login *    +400 ms  +300 ms (100%)  600 ms    1 s
                  * on the critical path; operations overlap, their changes do not add up
                  by median times the longest path moved from connect-speaker to login

                REGRESSION  slower by more than 5%

                """
            )
        )
        let generous = try await Tool.run(slower + ["--threshold", "40%"])
        #expect(generous.code == 0)
        #expect(generous.output.hasSuffix("SAME  neither faster nor slower by more than 40%\n"))
        let json = try await Tool.run(slower + ["--json"]).json()
        let comparison = try #require((json["comparisons"] as? [[String: Any]])?.first)
        #expect(comparison["verdict"] as? String == "regression" && comparison["change"] as? Double == 0.375)
    }

    @Test("A scenario file from standard input is read once, and run many times")
    func standardInput() async throws {
        let text = scenarioText(#"{ "id": "a", "work": { "simulate": "1ms" } }"#, head: #""budget": "1h","#)
        let result = try await Tool.run("bench", "-", "--runs", "12", "--json", input: text)
        #expect(result.code == 0)
        let scenario = try #require(try parseBench(Array(result.output.utf8), file: "output").scenarios.first)
        #expect(scenario.name == "test" && scenario.runs.count == 12 && scenario.budget == .seconds(3600))
        let summary = BenchSummary(scenario)
        #expect(try #require(summary.missBound) < 0.25 && summary.misses == 0)
        let twice = try await Tool.run("bench", "-", "--interleave", "-", input: text)
        #expect(twice.code == 64 && twice.messages.contains("standard input ('-') can be read only once"))
    }

    @Test("F5: a program is launched anew for each run, and measured by the report that it prints, whatever it exits with")
    func program() async throws {
        let line = #""$TOOL" bench --command "'$TOOL' run regular --clock virtual --json" --runs 3 --budget 700ms --json"#
        let result = try await Tool.shell(line)
        #expect(result.code == 3 && result.messages.isEmpty)
        let scenario = try #require(try parseBench(Array(result.output.utf8), file: "output").scenarios.first)
        #expect(scenario.name.hasSuffix(" run regular --clock virtual --json"))
        #expect(scenario.runs.map(\.measured) == Array(repeating: .milliseconds(800), count: 3))
        #expect(scenario.runs.allSatisfy { !$0.isMet && ($0.process ?? .zero) > .zero })
        #expect(scenario.operations.contains { $0.id == "login" && $0.durations == Array(repeating: .milliseconds(600), count: 3) })
        let late = try await Tool.shell(#""$TOOL" bench --command "'$TOOL' run regular --clock virtual --json --budget 1ms" --runs 2"#)
        #expect(late.code == 0 && late.output.contains("\n  process   ") && late.output.contains("\n  median    800 ms"))
        #expect(late.output.contains("budget    2 of 2 missed"))
    }

    @Test("F5: two programs take turns until it is sure that one is slower, and which operation did it")
    func programs() async throws {
        let line = """
            "$TOOL" bench --command "'$TOOL' run regular --clock virtual --json" \
                --command "'$TOOL' run regular --clock virtual --json --inject login=delay:400ms"
            """
        let result = try await Tool.shell(line)
        #expect(result.code == 4, "\(result.messages)")
        #expect(result.output.contains("\n  median  800 ms → 1.1 s, +37.5%\n") || result.output.contains("800 ms -> 1.1 s, +37.5%\n"))
        #expect(result.output.contains("\n  by median times the longest path moved from connect-speaker to login\n"))
        #expect(result.output.contains(" pairs of runs, in turns\n") && !result.output.contains("apart"), "\(result.output)")
        #expect(
            result.output.contains("\n  login *    +400 ms  +300 ms (100%)  600 ms    1 s")
                && result.output.contains("\nREGRESSION  slower by ")
        )
        let same = try await Tool.run("bench", "--runs", "1", "--command", "true", "--command", "true", "--json", "--threshold", "1000%")
        #expect(same.code == 0)
        let document = try parseBench(Array(same.output.utf8), file: "output")
        #expect(document.scenarios.map(\.name) == ["true", "true (2)"])
        #expect(document.scenarios.allSatisfy { $0.operations.map(\.id) == ["process"] && $0.runs.allSatisfy { $0.measured > .zero } })
    }

    @Test("Two that are the same are told to be; before there are ten pairs, nothing is told")
    func atMost() async throws {
        let line = "exec \"$TOOL\" run regular --clock virtual --json"
        let commands = [line, line].flatMap { ["--command", "sh -c '\($0)'"] }
        let environment = ["TOOL": Tool.path.path]
        let same = try await Tool.run(["bench", "--strict"] + commands, environment: environment)
        #expect(same.code == 0 && same.output.hasSuffix("\nSAME  neither faster nor slower by more than 5%\n"), "\(same)")
        let limited = try await Tool.run(["bench", "--strict", "--at-most", "3", "--json"] + commands, environment: environment)
        #expect(limited.code == 5, "\(limited)")
        let comparison = try #require((limited.json()["comparisons"] as? [[String: Any]])?.first)
        let document = try parseBench(Array(limited.output.utf8), file: "output")
        #expect(document.scenarios.allSatisfy { $0.runs.allSatisfy { ($0.processor ?? .zero) > .zero } })
        #expect(comparison["pairs"] as? Int == 3 && comparison["runsNeeded"] as? Int == 10 && comparison["u"] is NSNull)
    }

    @Test("Programs that fail each time end the turns")
    func failingPrograms() async throws {
        let result = try await Tool.run("bench", "--command", "false", "--command", "false", "--json")
        #expect(result.code == 1)
        let document = try parseBench(Array(result.output.utf8), file: "output")
        #expect(document.scenarios.map(\.runs.count) == [10, 10])
    }

    @Test("Chance decides which of two programs is first in a round")
    func turns() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("order").path
        let commands = ["a", "b"].flatMap { ["--command", "sh -c 'echo \($0) >> \(path)'"] }
        #expect(try await Tool.run(["bench", "--runs", "3", "--warmup", "1"] + commands).code != 64)
        let order = try String(contentsOfFile: path, encoding: .utf8).replacing("\n", with: "")
        #expect(order == "baababba")
    }

    @Test("A program that fails is told once; one that is not there ends the bench")
    func failingProgram() async throws {
        let failed = try await Tool.run("bench", "--runs", "2", "--command", "sh -c 'echo lost >&2; exit 3'")
        #expect(failed.code == 1 && failed.output.contains("failed    2 of 2, not in the times above"))
        #expect(failed.messages == "sequencer-cli: sh -c 'echo lost >&2; exit 3' failed: sh ended with status 3\n")
        let missing = try await Tool.run("bench", "--command", "no-such-program-anywhere")
        #expect(missing.code == 66 && missing.messages == "sequencer-cli: no such command: no-such-program-anywhere\n")
        let slow = try await Tool.run("bench", "--runs", "1", "--warmup", "0", "--deadline", "10ms", "--command", "sleep 600")
        #expect(slow.code == 1 && slow.output.contains("1 of 1, not in the times above"))
    }

    @Test("Ctrl-C ends it with the runs that are complete, saved and printed, and code 130")
    func interrupt() async throws {
        // The third run of the command is the one that tells; it never ends by itself.
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (mark, count, saved) = (folder.file("mark").path, folder.file("count").path, folder.file("saved.json").path)
        let script = "echo x >> \(count); if [ $(wc -l < \(count)) -ge 3 ]; then touch \(mark); sleep 600; fi"
        let path = try folder.write(scenarioText(#"{ "id": "first", "work": { "command": ["sh", "-c", "\#(script)"] } }"#))
        let line = """
            "$TOOL" bench \(path) --runs 50 --warmup 0 --deadline none --save \(saved) & pid=$!
            while [ ! -e \(mark) ]; do sleep 0.01; done
            kill -INT $pid
            wait $pid
            """
        let result = try await Tool.shell(line)
        #expect(result.code == 130)
        #expect(result.output.hasPrefix("test  2 of 50 runs after 0 to warm up"))
        let document = try parseBench(try readInput(saved), file: saved)
        #expect(document.scenarios.map(\.runs.count) == [2])
    }

    @Test("Two signals at once, at any moment, leave nothing of the launches on disk")
    func secondSignal() async throws {
        // What it does when the second signal comes it cannot do before it goes on: both wait for it then.
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for wait in ["*/1", "*/2", "*/2/*"] {
            let line = """
                cd \(folder.url.path) && rm -rf tmp && mkdir tmp && export TMPDIR=$PWD/tmp
                "$TOOL" bench regular --deadline none --inject login=hang --inject connect-speaker=hang & pid=$!
                while kill -0 $pid && ! ls tmp/sequencer-bench-\(wait) > /dev/null 2>&1; do sleep 0.01; done
                kill -STOP $pid; kill -INT $pid; kill -TERM $pid; kill -CONT $pid
                wait $pid
                """
            let result = try await Tool.shell(line)
            #expect([130, 143].contains(result.code), "\(result.messages)")
            #expect(try left(in: folder.file("tmp")).isEmpty, "\(wait)")
        }
    }

    @Test("What is refused leaves nothing of the launches on disk either")
    func refusedLeavesNothing() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for arguments in [
            ["regular", "--interleave", "regualr"], ["regular", "--inject", "nothing=fail"], ["push", "--backend", "nowhere"],
        ] {
            let result = try await Tool.run(["bench"] + arguments, environment: ["TMPDIR": folder.url.path])
            #expect(result.code != 0 && !result.messages.isEmpty)
            #expect(try left(in: folder.url).isEmpty, "\(arguments)")
        }
    }

    @Test("What a launch still writes does not keep its folder from being removed")
    func removal() async throws {
        let state = BenchState(nil)
        let copy = try state.use { $0 }
        let isOver = Locked(false)
        let writer = Task.detached {
            var number = 0
            while !isOver.withLock({ $0 }) {
                number += 1
                try? Data("x".utf8).write(to: URL(fileURLWithPath: "\(copy)/\(number % 50)"))
            }
        }
        state.remove()
        #expect(throws: CancellationError.self) { try state.use { _ in } }
        isOver.withLock { $0 = true }
        await writer.value
        #expect(!FileManager.default.fileExists(atPath: copy))
        let name = URL(fileURLWithPath: copy).deletingLastPathComponent().lastPathComponent
        let temporary = try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
        #expect(temporary.filter { $0.hasPrefix(name) }.isEmpty)
    }

    private func left(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("sequencer-bench") }
    }

    @Test("What cannot be measured is refused before anything runs")
    func refusals() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let missing = try await Tool.run("bench", "regular", "--baseline", folder.file("none.json").path)
        #expect(missing.code == 66)
        let broken = try await Tool.run("bench", "regular", "--baseline", try folder.write("{}", to: "broken.json"))
        #expect(broken.code == 65 && broken.messages.contains("missing key 'schema'"))
        let other = folder.file("push.json").path
        #expect(try await Tool.run("bench", "push", "--clock", "virtual", "--runs", "1", "--save", other).code == 0)
        let different = try await Tool.run("bench", "regular", "--clock", "virtual", "--baseline", other)
        #expect(different.code == 65 && different.messages.contains("has no scenario 'regular'; measure it first with 'bench --save'"))
        let unknown = try await Tool.run("bench", "regular", "--clock", "virtual", "--inject", "nothing=fail")
        #expect(unknown.code == 64 && unknown.messages.contains("Usage: sequencer-cli bench [SCENARIO] [OTHER] [options]"))
        let nowhere = try await Tool.run("bench", "regular", "--save", folder.file("no/folder/x.json").path)
        #expect(nowhere.code == 73)
    }
}
