import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("Compressed files", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CompressedFileTests {
    @Test(
        "Every command that reads a file reads one that gzip has compressed",
        arguments: [
            "run launch.json --clock virtual", "plan launch.json", "graph launch.json", "verify launch.json",
            "explore launch.json --clock virtual",
            "blame launch.report.json", "critical-chain launch.report.json", "report launch.report.json",
            "bench launch.json --clock virtual --runs 2", "compare before.bench.json after.bench.json", "import trace.json",
            "stats launches.jsonl",
        ]
    )
    func command(_ line: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let plain = line.split(separator: " ").map { word in
            word.contains(".json") ? SnapshotTests.folder.appendingPathComponent(String(word)).path : String(word)
        }
        var compressed: [String] = []
        for (place, word) in plain.enumerated() {
            let copy = folder.file("\(place)").path
            if word.contains(".json") { #expect(try await Tool.shell("gzip -c '\(word)' > '\(copy)'").code == 0) }
            compressed.append(word.contains(".json") ? copy : word)
        }
        let (found, expected) = (try await Tool.run(compressed), try await Tool.run(plain))
        // The head of statistics has the name of the file, and its lines break where that name makes them.
        let output = zip(plain, compressed).reduce(expected.output) { $0.replacing($1.0, with: $1.1) }
        #expect(
            found.code == expected.code
                && found.output.split(whereSeparator: \.isWhitespace) == output.split(whereSeparator: \.isWhitespace),
            "\(found.messages)"
        )
    }

    @Test("fault J1: a compressed file counts with its unpacked size")
    func limit() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = try folder.write(String(repeating: "a", count: 100_000), to: "large")
        #expect(try await Tool.shell("gzip '\(file)'").code == 0)
        let archive = file + ".gz"
        #expect(try readInput(archive, limit: 100_000) == [UInt8](repeating: 0x61, count: 100_000))
        #expect(throws: InputError(path: archive, exitCode: .badData, reason: "it is larger than the limit of 99999 bytes")) {
            try readInput(archive, limit: 99_999)
        }
    }
}
