import Foundation
import TestSupport
import Testing

/// Every input that is kept, those that once crashed a parser among them, is read or refused.
@Suite("Inputs that the fuzzers began with, and what they found", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Data/Corpus")

    @Test("each file of the corpus is read or refused, and so is each cut off or with a byte changed", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder.appendingPathComponent(target.rawValue),
            includingPropertiesForKeys: nil
        )
        #expect(!files.isEmpty)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let bytes = Array(try Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.run(bytes) }
            for step in 0..<32 where !bytes.isEmpty {
                let place = bytes.count * step / 32
                #expect(throws: Never.self, "\(file.lastPathComponent), cut at \(place)") { try target.run(Array(bytes.prefix(place))) }
                var changed = bytes
                changed[place] ^= 1 << UInt8(step % 8)
                #expect(throws: Never.self, "\(file.lastPathComponent), changed at \(place)") { try target.run(changed) }
            }
        }
    }
}
