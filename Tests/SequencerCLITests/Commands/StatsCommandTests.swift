import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

@Suite("stats", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StatsCommandTests {
    private static let launches = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Examples/Reports/launches.jsonl").standardized

    @Test("Several files are summed up as one; each has lines of its own")
    func files() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (first, second) = (try folder.write("x\n", to: "first.jsonl"), try folder.write("{\n", to: "second.jsonl"))
        let result = try await Tool.run(
            ["stats", first, Self.launches.path, "-", second],
            input: try Data(contentsOf: Self.launches)
        )
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("4 files  16 launches, 6 of them crashed; 6 of 24 lines could not be read\n"), "\(result.output)")
        let messages = result.messages.split(separator: "\n")
        #expect(messages.count == 6 && messages.last?.contains("second.jsonl:1:") == true, "\(result.messages)")
        let both = try await Tool.call("stats", Self.launches.path, Self.launches.path, "--json").json()
        let one = try await Tool.call("stats", Self.launches.path, "--json").json()
        #expect((both["groups"] as? [[String: Any]])?.count == (one["groups"] as? [[String: Any]])?.count)
        #expect(both["lines"] as? Int == 22 && (both["total"] as? [String: Any])?["launches"] as? Int == 16)
        #expect(try await Tool.run("stats", Self.launches.path, "no-such-file.jsonl").code == 66)
    }

    @Test("A file that gzip has compressed counts as the file itself, whatever its name is, also as standard input")
    func compressed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // More than a pipe holds.
        let text = String(repeating: String(decoding: try Data(contentsOf: Self.launches), as: UTF8.self), count: 500)
        let plain = try folder.write(text, to: "launches.jsonl")
        let archive = plain + ".old"
        #expect(try await Tool.shell("gzip -c '\(plain)' > '\(archive)'").code == 0)
        let expected = try await Tool.run("stats", plain, "--json").output
        #expect(try await Tool.run("stats", archive, "--json").output == expected)
        #expect(try await Tool.shell("\"$TOOL\" stats - --json < '\(archive)'").output == expected)
        #expect(try await Tool.shell("gzip -dc '\(archive)' | \"$TOOL\" stats - --json").output == expected)
        let both = try await Tool.call("stats", archive, plain, "--json").json()["total"] as? [String: Any]
        #expect(both?["launches"] as? Int == 8000)
    }

    @Test("fault J54: a compressed file that is cut off, comes through a pipe, or has no gzip to read it is refused with the reason")
    func damaged() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let archive = folder.url.appendingPathComponent("launches.gz")
        #expect(try await Tool.shell("gzip -c '\(Self.launches.path)' > '\(archive.path)'").code == 0)
        let short = folder.url.appendingPathComponent("short.gz")
        try Data(contentsOf: archive).dropLast(6).write(to: short)
        let cut = try await Tool.run("stats", short.path)
        #expect(cut.code == 65 && cut.output.isEmpty)
        #expect(cut.messages.contains("it is compressed; gzip ended with status 1"), "\(cut.messages)")
        let pipe = try await Tool.shell("cat '\(archive.path)' | \"$TOOL\" stats -")
        #expect(pipe.code == 65 && pipe.messages.contains("read the output of 'gzip -dc' with '-'"), "\(pipe.messages)")
        let without = try await Tool.run("stats", archive.path, environment: ["PATH": folder.url.path])
        #expect(without.code == 65 && without.messages.contains("it is compressed; no such command: gzip"), "\(without.messages)")
    }
}
