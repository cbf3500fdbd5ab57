import Foundation
import TestSupport
import Testing

@Suite("graph, scenarios, verify, help", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GraphCommandTests {
    @Test("Where the locale has no other characters, the tree is drawn in ASCII")
    func ascii() async throws {
        let text = try await Tool.run("graph", "regular", environment: ["LC_ALL": "C"]).output
        #expect(text.contains("\n`- tutorial ") && text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
        #expect(try await Tool.run("graph", "regular", environment: ["LC_ALL": "C.UTF-8"]).output.contains("\n└─ tutorial "))
    }

    @Test("fault A1: help is on standard output and a success; asking for nothing shows it as a mistake")
    func help() async throws {
        let run = try await Tool.run("help", "run")
        #expect(run.code == 0 && run.output.contains("Usage:") && run.messages.isEmpty)
        let nothing = try await Tool.run([])
        #expect(nothing.code == 64 && nothing.output.isEmpty && nothing.messages.contains("Usage:"))
        #expect(try await Tool.run("--version").output.hasPrefix("sequencer-cli "))
    }

    @Test(
        "every example scenario is sound and passes",
        arguments: ["bank-app", "checkout-app", "music-player", "news-reader", "offline-first", "service-startup"]
    )
    func examples(name: String) async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appendingPathComponent("Examples/Scenarios/\(name).json").path
        #expect(try await Tool.call("verify", path).code == 0)
        let result = try await Tool.call("run", path, "--clock", "virtual")
        #expect(result.code == 0, "\(result.output)")
    }
}
