import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// Scopes are no part of the launch that is written down: they have outcomes of their own.
@Suite("Scopes of launches that are written down", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct JournalScopeTests {
    private struct Failure: Error {}

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The lines of the only journal.
    private func written() throws -> Data {
        let journals = folder("app").appendingPathComponent("journal")
        let files = try FileManager.default.contentsOfDirectory(at: journals, includingPropertiesForKeys: nil)
        return try Data(contentsOf: try #require(files.first { $0.pathExtension == "jsonl" }))
    }

    @Test("fault P40: a journal has nothing of a launch's scopes: no step, question, stall or failure")
    func nothing() async throws {
        let journal = LaunchJournal.open(in: .open(at: folder("app")), version: "1")
        let endings = Locked<[LaunchEnding]>([])
        let note: @Sendable () -> Void = {
            guard let contents = try? written() else { return }
            endings.withLock { $0.append(JournaledLaunch(number: 1, contents).ending) }
        }
        var scope = OperationGraph("window")
        scope.add("login") { step in
            try await step.waitForPerson {
                note()
                try await step.sleep(for: .seconds(1))
            }
            // The watch of the launch is the scope's, too.
            try await step.sleep(for: .seconds(30))
            note()
            throw Failure()
        }
        journal.prepare(&scope)
        let window = scope
        var graph = OperationGraph("app")
        graph.add("home") { step in
            try step.addScope("window-2", window)
            try await step.sleep(for: .seconds(2))
        }
        journal.prepare(&graph)
        let stalls = Locked(0)
        let watch = StallWatch(after: .seconds(5)) { _ in stalls.withLock { $0 += 1 } }
        let options = LaunchOptions(deadline: .never, clock: VirtualClock(), stallWatch: journal.watching(watch))
        let report = try await journal.run(graph, options: options).report
        #expect(report.scopes.map(\.report.outcome.name) == ["failed"] && stalls.withLock { $0 } == 1)

        // Where the process had died while the scope asked, and when only the scope ran on.
        #expect(endings.withLock { $0 } == [.crashed(in: ["home"]), .completed])
        let lines = JournalLine.parse(try written()).lines
        #expect(Set(lines.compactMap(\.operation)) == ["home"])
        #expect(lines.allSatisfy { $0.event != .stalled && $0.event != .asked })
        #expect(LaunchJournal.launches(in: folder("app")).map(\.ending) == [.completed])
    }
}
