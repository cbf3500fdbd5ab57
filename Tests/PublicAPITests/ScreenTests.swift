import Foundation
import Sequencer
import StartupOps
import StartupStorage
import TestSupport
import Testing

/// What an app shows around its launch, and does before it, as an app writes that.
@Suite("Public API: before a launch, and what is shown of it", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ScreenTests {
    /// A screen that notes what it has shown.
    @MainActor
    private final class Screen: Sendable {
        private var lines: [String] = []

        nonisolated init() {}

        func show(_ line: String) { lines.append(line) }
        var shown: [String] { lines }
    }

    @Test("steps of the prologue, a loading screen and a main screen come in their order")
    @MainActor
    func order() async throws {
        let screen = Screen()
        var graph = OperationGraph("launch")
        let database = graph.addPrologue("open-database") { () throws -> String in
            screen.show("opened")
            return "database"
        }
        let loading = StepOption.ifSlower(than: .seconds(5)) { step in
            screen.show("loading: \(step.operation)")
            await step.ended()
            screen.show("loaded")
        }
        let migrate = graph.add("migrate", loading, using: database) { launch, _ in try await launch.sleep(for: .seconds(6)) }
        graph.add("wait", after: migrate) { launch in try await launch.sleep(for: .seconds(1)) }
        graph.add("main-app", .milestone, after: "wait", on: .main) { screen.show("main") }
        let launch = try graph.start(options: virtual())
        #expect(screen.shown == ["opened"])
        #expect(await launch.end().report.outcome == .completed)
        #expect(screen.shown == ["opened", "loading: migrate", "loaded", "main"])
    }

    @Test("a failure has the screen, chosen by step and error")
    @MainActor
    func failure() async throws {
        let screen = Screen()
        var graph = OperationGraph("launch")
        graph.add("login") { throw Trouble() }
        var options = virtual()
        options.failureTakeover = { failure in
            screen.show(failure.underlying is Trouble ? "trouble with \(failure.operation)" : failure.message)
        }
        #expect(try await graph.run(options: options).report.outcome.name == "failed")
        #expect(screen.shown == ["trouble with login"])
    }

    @Test("a launch that nothing died before is not asked about safe mode, and a graph off the main thread has no prologue")
    func others() async throws {
        let journal = LaunchJournal.open(in: .inMemory(), version: "1")
        await journal.decide { recovery in
            Issue.record("\(recovery.sentence ?? "")")
            return recovery.deletesData ? .goOn : .recover
        }
        journal.recover()
        var graph = OperationGraph("launch")
        graph.addPrologue("open-database") {}
        let refused = graph
        let error = await #expect(throws: GraphError.self) { try await journal.run(refused, options: virtual()) }
        #expect(error?.problems.map(\.code.description) == ["prologue"])
        #expect(error?.description.contains("open-database is a step of the prologue") == true)
    }
}
