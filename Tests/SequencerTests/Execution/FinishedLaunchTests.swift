import Foundation
import TestSupport
import Testing

@testable import Sequencer

/// The values that a launch leaves, and why there is none.
@Suite("A launch that has ended", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct FinishedLaunchTests {
    private struct Offline: Error, Equatable {}

    /// What `launch[step]` throws.
    private func error<Value>(_ launch: FinishedLaunch, _ step: Step<Value>) -> OperationError? {
        do throws(OperationError) {
            _ = try launch[step]
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "the time that counts, and persons' time in it, end with the milestone, also with one that failed, as it may; one that was not wanted is none"
    )
    func goesOnWithoutMilestone() async throws {
        for isSkipped in [false, true] {
            var graph = OperationGraph("without")
            graph.add("ask", .interactive) { launch in try await launch.sleep(for: .milliseconds(40)) }
            graph.add("home", .milestone, .timeout(.milliseconds(60)), .onFailure(.continue), .when { !isSkipped }, after: "ask") {
                launch in
                try await launch.sleep(for: .seconds(1))
            }
            graph.add("ask-later", .interactive, after: "home") { launch in try await launch.sleep(for: .seconds(5)) }
            graph.add("background") { launch in try await launch.sleep(for: .seconds(9)) }
            let report = try await graph.run(budget: .seconds(10), options: .virtual()).report
            #expect(report.outcome == .completed && report["home"]?.outcome == (isSkipped ? .skipped : .timedOut))
            #expect(report.budget.measured == .milliseconds(isSkipped ? 9_000 - 5_040 : 60))
            #expect(report.budget.interactive == .milliseconds(isSkipped ? 5_040 : 40) && !report.budget.isMet)
        }
    }

    @Test("a step that succeeded has its value, one that fell back its fallback's, one that produces nothing nothing")
    func values() async throws {
        var graph = OperationGraph("values")
        let number = graph.add("number") { 42 }
        let bundled = graph.add("bundled", fallback: "bundled") { () throws -> String in throw Offline() }
        let late = graph.add("late", .timeout(.milliseconds(10))) { launch in
            try await launch.sleep(for: .seconds(1))
            return "late"
        } fallback: { _, _ in
            "computed"
        }
        let action = graph.add("action", after: number) {}
        let join = graph.join("join", after: number, action)
        let nothing: Step<String?> = graph.add("nothing") { nil }
        let launch = try await graph.run(options: .virtual())
        #expect(try launch[number] == 42)
        #expect(try launch[bundled] == "bundled")
        #expect(try launch[late] == "computed")
        #expect(error(launch, action) == nil && error(launch, join) == nil)
        #expect(try launch[nothing] == nil)
    }

    @Test("a step that was deferred until after the milestone has its value too")
    func deferred() async throws {
        var graph = OperationGraph("deferred")
        let load = graph.wait("load", 3000)
        let warm = graph.add("warm", .expected(.seconds(1)), .deferrable, after: load) { 7 }
        graph.add("main", .milestone, after: load) {}
        let launch = try await graph.run(budget: .seconds(3), options: .virtual())
        #expect(launch.report["warm"]?.isDeferred == true)
        #expect(try launch[warm] == 7)
    }

    @Test("a step without a value throws how it ended, why, and the error that it threw")
    func errors() async throws {
        var graph = OperationGraph("errors")
        let failed = graph.add("failed", .onFailure(.continue)) { () throws -> Int in throw Offline() }
        let hangs = graph.add("hangs", .timeout(.milliseconds(50)), .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(9))
            return 1
        }
        let unwanted = graph.add("unwanted", .when { false }) { 1 }
        let needs = graph.add("needs", using: failed) { $0 }
        let launch = try await graph.run(options: .virtual())

        let failure = try #require(error(launch, failed))
        #expect(failure.operation == "failed" && failure.outcome == .failed && failure.underlying as? Offline == Offline())
        #expect(failure.description == "failed: Offline()" && failure.localizedDescription == failure.description)
        let timeout = try #require(error(launch, hangs))
        #expect(timeout.outcome == .timedOut && timeout.message == "not ended after its timeout of 50 ms")
        let condition = try #require(error(launch, unwanted))
        #expect(condition.outcome == .skipped && condition.message == "its condition was false" && condition.underlying == nil)
        let skipped = try #require(error(launch, needs))
        #expect(skipped.outcome == .skipped && skipped.message == "failed failed")
    }

    @Test("a step that was cancelled, alone or with its launch, throws so")
    func cancelled() async throws {
        let box = LaunchBox()
        var graph = OperationGraph("cancelled")
        let alone = graph.add("alone", .onFailure(.continue)) { launch in
            try await launch.sleep(for: .seconds(3600))
            return 1
        }
        graph.add("cancels") { launch in
            try await launch.sleep(for: .seconds(1))
            try await box.launch().cancel("alone")
            try await launch.sleep(for: .seconds(1))
            try await box.launch().cancel()
        }
        let never = graph.add("never", after: "cancels") { 2 }
        let launch = try await box.run(graph, options: .virtual())
        #expect(launch.report.outcome == .cancelled)
        #expect(error(launch, alone)?.outcome == .cancelled && error(launch, alone)?.message == "cancelled while it ran")
        #expect(error(launch, never)?.outcome == .cancelled && error(launch, never)?.message == "not started: the launch was cancelled")
    }

    @Test("read as an optional, a step without a value is nil, and one with a value has it")
    func optionals() async throws {
        var graph = OperationGraph("optional")
        let failed = graph.add("failed", .onFailure(.continue)) { () throws -> Int in throw Offline() }
        let number = graph.add("number") { 1 }
        let launch = try await graph.run(options: .virtual())
        #expect(try launch[failed.optional] == nil)
        #expect(try launch[number.optional] == 1)
    }

    @Test("a handle of another graph throws, also where that has a step of the same name with another type")
    func unknownHandle() async throws {
        var other = OperationGraph("other")
        let unknown = other.add("unknown") { 1 }
        let text = other.add("number") { "one" }
        var graph = OperationGraph("graph")
        let number = graph.add("number") { 1 }
        let launch = try await graph.run(options: .virtual())
        #expect(try launch[number] == 1)
        let missing = try #require(error(launch, unknown))
        #expect(missing.outcome == nil && missing.underlying == nil)
        #expect(missing.description == "unknown: 'unknown' is a step of another graph; ask with the handle that the graph 'graph' returned")
        let mistyped = try #require(error(launch, text))
        #expect(mistyped.outcome == nil && mistyped.underlying == nil)
    }

    @Test("a report is made once: all who ask have the same one, at once or later")
    func oneReport() async throws {
        var graph = OperationGraph("report")
        for index in 0..<100 { graph.add("op\(index)") {} }
        let launch = try graph.start(options: .patient)
        let reports = await withTaskGroup(of: LaunchReport.self) { group in
            for _ in 0..<8 { group.addTask { await launch.end().report } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(reports).count == 1)
        #expect(await launch.end().report == reports.first)
    }
}
