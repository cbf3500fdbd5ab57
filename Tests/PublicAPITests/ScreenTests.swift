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
        let migrate = graph.add("migrate", loading, using: .context, database) { launch, _ in try await launch.sleep(for: .seconds(6)) }
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

    @Test("the start of a launch tells that its prologue has failed, and with what; of a launch that goes on it tells nothing")
    @MainActor
    func failedPrologue() async throws {
        for fails in [true, false] {
            var graph = OperationGraph("launch")
            let database = graph.addPrologue("open-database") { () throws -> String in
                if fails { throw Trouble() }
                return "database"
            }
            graph.add("main-app", .milestone, using: database) { _ in }
            let launch = try graph.start(options: virtual())
            let failure = launch.failure
            #expect((failure?.underlying is Trouble) == fails && failure?.operation == (fails ? "open-database" : nil))
            let report = await launch.end().report
            #expect(report.outcome.name == (fails ? "failed" : "completed"))
            #expect(launch.failure?.description == failure?.description)
            if let failure { #expect(report.outcome == .failed(operation: failure.operation, message: failure.message)) }
        }
    }

    @Test("a failure that the launch goes on with is none of the launch; one that has lost the milestone is")
    func laterFailure() async throws {
        for option in [StepOption.onFailure(.continue), .onFailure(.skipDependents)] {
            var graph = OperationGraph("launch")
            graph.add("warm-up", option) { throw Trouble() }
            graph.add("main-app", .milestone, after: "warm-up") {}
            let launch = try graph.start(options: virtual())
            let outcome = await launch.end().report.outcome
            #expect((launch.failure == nil) == (outcome == .completed))
        }
    }

    /// The journal as it is while a step runs is that of a process that dies there: each process begins with a copy.
    @Test("a process that dies in a prologue of its own has died in that step, which safe mode names; after it, outside of any")
    @MainActor
    func deathInPrologue() async throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("prologue-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: base) }
        var journal: LaunchJournal?
        for process in 1...4 {
            let (place, next) = (base.appendingPathComponent("\(process)"), base.appendingPathComponent("\(process + 1)"))
            let opened = LaunchJournal.open(in: .open(at: place), version: "1")
            journal = opened
            if process == 4 { break }
            var graph = OperationGraph("process")
            graph.addPrologue("open-database") { try FileManager.default.copyItem(at: place, to: next) }
            graph.addPrologue("register-tasks") {}
            opened.preparePrologue(&graph)
            let launch = try graph.start(options: virtual())
            #expect(launch.failure == nil)
            _ = await launch.end()
            let last = LaunchJournal.open(in: .open(at: next), version: "1")
            #expect(last.news?.hasSuffix("crashed in open-database") == true || process == 3)
            last.withdraw()
            let after = base.appendingPathComponent("after-\(process)")
            try FileManager.default.copyItem(at: place, to: after)
            if process == 1 {
                let news = LaunchJournal.open(in: .open(at: after), version: "1").news
                #expect(news == "the launch before this one crashed outside of any operation")
            }
        }
        var asked: [String] = []
        await journal?.decide { recovery in
            asked.append(recovery.sentence ?? "")
            return .goOn
        }
        #expect(asked.count == 1)
        #expect(asked.first?.hasSuffix("the last 3 launches crashed in open-database, which cannot be left out") == true)
    }
}
