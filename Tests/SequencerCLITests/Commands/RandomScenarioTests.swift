import Foundation
import TestSupport
import Testing

/// Random launches that were written as scenario files, with the command lines that make them misbehave.
@Suite("Random launches as scenario files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct RandomScenarioTests {
    @Test("each is read, runs, ends in a way that can be told, and comes to the same twice", arguments: Nightly.cases(1...12, each: 3))
    func replay(seed: Int) async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Data/RandomLaunches")
        let options = try String(contentsOf: folder.appendingPathComponent("seed-\(seed).arguments"), encoding: .utf8)
        let arguments =
            ["run", folder.appendingPathComponent("seed-\(seed).json").path, "--json"] + options.split(separator: "\n").map(String.init)
        let first = try await Tool.call(arguments)
        #expect([0, 1, 6].contains(first.code), "\(first.messages)")
        #expect(try first.json()["schema"] as? String == "sequencer.report/1")
        let second = try await Tool.call(arguments)
        #expect(second.code == first.code && second.output == first.output)
    }
}
