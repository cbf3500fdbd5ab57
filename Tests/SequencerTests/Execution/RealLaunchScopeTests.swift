import TestSupport
import Testing

@testable import Sequencer

@Suite("Graphs that join a running launch, in real time", .serialized, .timeLimit(.minutes(30)), .real)
struct RealLaunchScopeTests {
    @Test("many threads add scopes at once: each name is had once, and each scope is in the report", arguments: [false, true])
    func manyAtOnce(isCancelled: Bool) async throws {
        let gate = Gate()
        var graph = OperationGraph("app")
        graph.add("open") { await gate.wait() }
        let launch = try graph.start(options: .patient)
        var window = OperationGraph("window")
        let first = window.add("first") {}
        window.add("second", after: first) { await Task.yield() }
        let added = window
        // Every name is asked for twice.
        let taken = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<50).filter { number in (try? launch.addScope("window-\(task / 2)-\(number)", added)) != nil }.count
                }
            }
            if isCancelled { launch.cancel() }
            gate.open()
            return await group.reduce(0, +)
        }
        let report = await launch.end().report
        #expect(report.scopes.count == taken && Set(report.scopes.map(\.name)).count == taken)
        #expect(taken <= 200)
        if !isCancelled { #expect(report.scopes.allSatisfy { $0.report.outcome == .completed }) }
    }

    @Test("a scope that hangs when the launch's operations have ended keeps the launch no longer than its deadline")
    func deadline() async throws {
        let gate = Gate()
        var window = OperationGraph("window")
        window.add("deaf") { gate.block() }
        let added = window
        var graph = OperationGraph("app")
        graph.add("windows", .milestone) { step in _ = try step.addScope("window-2", added, options: LaunchOptions(deadline: .never)) }
        // It ends before the gate is opened, or never.
        let report = try await graph.run(options: LaunchOptions(deadline: .seconds(3))).report
        #expect(report.outcome == .completed && report.stragglers.isEmpty)
        let scope = try #require(report.scopes.first?.report)
        #expect(scope["deaf"]?.outcome == .timedOut && scope.stragglers == ["deaf"])
        gate.open()
    }
}
