import Foundation
import Sequencer
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("bench, in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealBenchCommandTests {
    @Test("In real time each run is a launch of its own, which begins with the same state and leaves none behind")
    func wallClock() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let temporary = folder.file("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
        let result = try await Tool.run(
            ["bench", "regular", "--runs", "2", "--warmup", "0", "--json", "--budget", "1h", "--deadline", "10m"],
            environment: ["TMPDIR": temporary.path]
        )
        #expect(result.code == 0)
        let document = try parseBench(Array(result.output.utf8), file: "output")
        let span = try #require(document.span)
        #expect(span.begin <= span.end && span.loadAtBegin != nil && span.loadAtEnd != nil)
        #expect(document.clock == .wall && document.machine == .current && document.warmups == 0)
        let scenario = try #require(document.scenarios.first)
        #expect(scenario.runs.map(\.outcome) == [.completed, .completed])
        #expect(scenario.runs.allSatisfy { $0.isMet && $0.measured > .zero && $0.makespan >= $0.measured })
        #expect(scenario.operations.contains { $0.id == "login" && $0.durations.count == 2 })
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter { $0.hasPrefix("sequencer-bench") }.isEmpty)
    }

    @Test("A state that is given is where every run begins, and stays as it is")
    func state() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("device").path
        #expect(try await Tool.run("run", "first-launch", "--state", state, "--json", "--budget", "60s").code == 0)
        let before = try contents(of: state)
        let result = try await Tool.run("bench", "regular", "--runs", "1", "--state", state, "--json", "--budget", "1h")
        #expect(result.code == 0)
        #expect(try contents(of: state) == before && !before.isEmpty)
    }

    private func contents(of folder: String) throws -> [String: Data] {
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        return Dictionary(uniqueKeysWithValues: files.map { ($0, FileManager.default.contents(atPath: folder + "/" + $0) ?? Data()) })
    }
}
