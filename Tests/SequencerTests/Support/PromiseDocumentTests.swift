import Foundation
import TestSupport
import Testing

@Suite("The list of promises", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PromiseDocumentTests {
    @Test("Every test that it names is there")
    func names() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: "Sources/Sequencer/Sequencer.docc/Promises.md"), encoding: .utf8)
        let named = document.split(separator: "\n").filter { $0.hasPrefix("- `") }.map { $0.dropFirst(3).dropLast() }
        #expect(named.count > 20)
        let files = FileManager.default.enumerator(at: root.appending(path: "Tests"), includingPropertiesForKeys: nil)
        var tests = ""
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" { tests += try String(contentsOf: file, encoding: .utf8) }
        }
        for name in named { #expect(tests.contains("\"\(name)\""), "\(name)") }
    }
}
