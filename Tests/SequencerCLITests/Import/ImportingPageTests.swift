import Foundation
import TestSupport
import Testing

@testable import sequencer_cli

/// `Documentation/Importing.md`: its lines that call the tool print what stands below them.
@Suite("The page about imports", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ImportingPageTests {
    @Test("Each block with a command is what the tool prints")
    func blocks() async throws {
        let page = SnapshotTests.folder.appendingPathComponent("../../../Documentation/Importing.md").standardized
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.copyItem(at: SnapshotTests.folder.appendingPathComponent("trace.json"), to: folder.file("trace.json"))
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```text\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 2)
        for block in blocks {
            var found = ""
            for line in block.split(separator: "\n") where line.hasPrefix("$ ") {
                let words = line.dropFirst(2).replacing("sequencer-cli", with: #""$TOOL""#)
                let result = try await Tool.shell("cd '\(folder.url.path)' && COLUMNS=80 \(words)")
                #expect(result.code == 0, "\(line): \(result.messages)")
                found += line + "\n" + result.messages + result.output
            }
            #expect(found == block, "\(found)")
        }
    }
}
