import Foundation
import Sequencer
import SequencerTesting
import TestSupport
import Testing

/// When a process dies, nobody releases what it held: the next launch finds it.
@Suite("What is held when a process dies", .serialized, .timeLimit(.minutes(30)), .real)
struct RealHeldRangeCrashTests {
    /// Leaves a mark in a file while it migrates. The value of `lock` is whether the last process has left one.
    private static func graph(_ mark: URL) throws -> (graph: OperationGraph, wasLeft: Step<Bool>) {
        var graph = OperationGraph("after-an-update")
        let before = graph.add("before") { step in try await step.sleep(for: .seconds(1)) }
        let migrate = graph.add("migrate", after: before) { step in try await step.sleep(for: .seconds(2)) }
        let index = graph.add("index", after: migrate) { step in try await step.sleep(for: .seconds(1)) }
        // Time moves on when the mark has been released, and not before.
        graph.add("main-app", .milestone, after: index) { step in try await step.sleep(for: .seconds(1)) }
        let wasLeft = try graph.hold("lock", after: before, over: migrate, index) { () -> Bool in
            let wasLeft = FileManager.default.fileExists(atPath: mark.path)
            try Data().write(to: mark)
            return wasLeft
        } release: { _ in
            try? FileManager.default.removeItem(at: mark)
        }
        return (graph, wasLeft)
    }

    private static func crash(in step: String, _ mark: URL) async throws {
        var graph = try graph(mark).graph
        try graph.inject(.crash, into: step)
        _ = try await graph.run(options: LaunchOptions(clock: VirtualClock()))
    }

    /// Whether a launch that completes has found a mark.
    private func launch(_ mark: URL) async throws -> Bool {
        let (graph, wasLeft) = try Self.graph(mark)
        let launch = try await graph.run(options: LaunchOptions(clock: VirtualClock()))
        #expect(launch.report.outcome == .completed)
        return try launch[wasLeft]
    }

    @Test(
        "the mark of a process that died in one of the steps is found by the next launch's take, once; before them there was none",
        arguments: ["before", "index"]
    )
    func mark(step: String) async throws {
        let mark = FileManager.default.temporaryDirectory.appending(path: "held-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: mark) }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = mark.path as String, step = step as String] in
            try await RealHeldRangeCrashTests.crash(in: step, URL(fileURLWithPath: path))
        }
        #expect(FileManager.default.fileExists(atPath: mark.path) == (step != "before"))
        #expect(try await launch(mark) == (step != "before"))
        // That one has released it.
        #expect(!FileManager.default.fileExists(atPath: mark.path))
        #expect(try await launch(mark) == false)
    }
}
