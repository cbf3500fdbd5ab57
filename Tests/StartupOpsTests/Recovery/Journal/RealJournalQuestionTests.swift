import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

@testable import StartupOps
@testable import StartupStorage

/// The questions to a person that a journal has.
// Real: journals are files that their process locks.
@Suite("A journal's questions", .serialized, .timeLimit(.minutes(30)), .real)
struct RealJournalQuestionTests {
    private struct Broken: Error {}

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is written down of one operation, in a launch of its own.
    private func events(_ add: (inout OperationGraph) -> Void) async throws -> [String] {
        let location = folder("app")
        let journal = LaunchJournal.open(in: .open(at: location), version: "1")
        var graph = OperationGraph("regular")
        add(&graph)
        journal.prepare(&graph)
        _ = try await journal.run(graph, options: LaunchOptions(clock: VirtualClock()))
        let journals = location.appendingPathComponent("journal")
        let name = try #require(names(in: journals).first)
        let lines = JournalLine.parse(try Data(contentsOf: journals.appendingPathComponent(name))).lines
        return lines.filter { $0.operation != nil }.compactMap { $0.event?.rawValue }
    }

    @Test("fault P34: an interactive step asks from its start to its end, and its fallback asks nobody")
    func interactive() async throws {
        let events = try await events { graph in
            graph.add("region", .interactive) { () throws -> Bool in
                throw Broken()
            } fallback: { _, _ in
                true
            }
        }
        #expect(events == ["started", "asked", "answered", "ended"])
    }

    @Test("fault P34: a wait for a person is a question; one within another is part of it")
    func wait() async throws {
        let events = try await events { graph in
            graph.add("region") { (launch: StepContext) in
                try await launch.waitForPerson { try await launch.waitForPerson {} }
                try await launch.waitForPerson {}
            }
        }
        #expect(events == ["started", "asked", "answered", "asked", "answered", "ended"])
    }
}
