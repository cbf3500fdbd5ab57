import Foundation
import StartupNetworking
import StartupOps
import TestSupport
import Testing

/// Where the server is that the tool is tested with; nil when there is none.
private let backendAddress = ProcessInfo.processInfo.environment["SEQUENCER_BACKEND"]

/// The tool against a real server: `Scripts/test-examples` starts it and says where it is in `SEQUENCER_BACKEND`.
@Suite(
    "The tool and a backend",
    .serialized,
    .enabled(if: backendAddress != nil, "SEQUENCER_BACKEND is not set; Scripts/test-examples sets it"),
    .timeLimit(.minutes(30)),
    .real
)
struct RealBackendIntegrationTests {
    private let backend: String
    private let folder: TemporaryFolder

    init() async throws {
        backend = try #require(backendAddress)
        let reset = try #require(URL(string: "\(backend)/_admin/reset"))
        try #require(try await HTTPClient().send(HTTPRequest(.post, reset), deadline: .after(.seconds(60))).status == 204)
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: String...) async throws -> Tool.Result {
        try await Tool.run(["run", "--backend", backend, "--state", folder.file("device").path, "--region", "de-DE"] + arguments)
    }

    @Test("three launches over a backend: a first one, and two regular ones that ask nobody for anything")
    func threeLaunches() async throws {
        defer { folder.remove() }
        for scenario in ["first-launch", "regular", "regular"] {
            let result = try await run("--json")
            #expect(result.code == 0, "\(result.messages)")
            #expect(result.messages.isEmpty)
            let report = try result.json()
            #expect(report["scenario"] as? String == scenario)
            #expect(report["outcome"] as? String == "completed")
            let operations = try #require(report["operations"] as? [[String: Any]])
            #expect(operations.allSatisfy { $0["outcome"] as? String == "succeeded" && $0["notes"] == nil }, "\(result.output)")
        }
        let timeline = try await run()
        #expect(timeline.output.hasPrefix("regular: completed in "), "\(timeline.output)")
    }

    @Test("a backend that is gone after the first launch: the next one completes, and says what was used in place of what")
    func gone() async throws {
        defer { folder.remove() }
        let own = try BackendProcess.start()
        defer { own.stop() }
        let arguments = ["run", "--backend", own.url.absoluteString, "--state", folder.file("device").path, "--region", "de-DE"]
        #expect(try await Tool.run(arguments).code == 0)
        own.stop()
        let result = try await Tool.run(arguments)
        #expect(result.output.hasPrefix("regular: completed in "), "\(result.output)")
        #expect(result.output.contains("the last known configuration"), "\(result.output)")
    }
}
