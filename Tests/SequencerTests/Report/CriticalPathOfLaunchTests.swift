import Foundation
import SequencerTesting
import TestSupport
import Testing

@testable import Sequencer

/// The critical path of a report: what the end of the launch really waited for.
@Suite("The critical path of a launch that ran", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct CriticalPathOfLaunchTests {
    private struct Failure: Error {}

    /// On two lanes `b` waits for the lane of `c`, and `main` for `b`: a path by dependencies has `a` and `d` instead.
    ///
    /// ```
    /// lane 1  a 300           d 100   main 50
    /// lane 2  c 250        b 200
    /// ```
    private var scarceLanes: OperationGraph {
        var graph = OperationGraph("lanes")
        graph.wait("a", 300, .expected(.milliseconds(300)))
        graph.wait("b", 200, .expected(.milliseconds(200)))
        graph.wait("c", 250, .expected(.milliseconds(250)))
        graph.wait("d", 100, .expected(.milliseconds(100)), after: "a")
        graph.wait("main", 50, .milestone, .expected(.milliseconds(50)), after: "b", "c", "d")
        return graph
    }

    private func slacks(_ report: LaunchReport) -> [Duration] { report.operations.map(\.slack) }

    @Test("It goes over the operation that had the lane; slack counts to whoever waited")
    func lanes() async throws {
        let report = try await scarceLanes.run(options: .virtual(lanes: 2)).report
        #expect(report.makespan == .milliseconds(500))
        #expect(report.criticalPath == ["c", "b", "main"] && report.criticalPathDuration == .milliseconds(500))
        #expect(slacks(report) == [.milliseconds(50), .zero, .zero, .milliseconds(50), .zero])
        let free = try await scarceLanes.run(options: .virtual()).report
        #expect(free.criticalPath == ["a", "d", "main"])
        #expect(slacks(free) == [.zero, .milliseconds(200), .milliseconds(150), .zero, .zero])
    }

    @Test("What was skipped on the way had waited for the lane, the main thread or the resource it was asked on: for whoever had that")
    func skippedLate() async throws {
        func check(_ graph: OperationGraph, lanes: Int? = nil) async throws {
            let report = try await graph.run(options: .virtual(lanes: lanes)).report
            #expect(report.criticalPath == ["a", "x"] && report.criticalPathDuration == .milliseconds(510), "\(report.scenario)")
            #expect(report["a"]?.slack == .zero && report.withCriticalPath == report, "\(report.scenario)")
        }
        var lane = OperationGraph("lane")
        lane.wait("a", 500, .expected(.milliseconds(500)))
        lane.add("off", .when { false }) {}
        lane.wait("x", 10, .expected(.milliseconds(10)), after: "off")
        try await check(lane, lanes: 1)

        var resource = OperationGraph("resource")
        resource.wait("a", 500, .expected(.milliseconds(500)), .exclusive("ui"))
        resource.add("off", .when { false }, .exclusive("ui")) {}
        resource.wait("x", 10, .expected(.milliseconds(10)), after: "off")
        try await check(resource)

        var main = OperationGraph("main thread")
        main.add("a", .expected(.milliseconds(500)), .suspends(false), on: .main) { try await $0.compute(for: .milliseconds(500)) }
        main.add("off", .when { false }, .suspends(false), on: .main) {}
        main.wait("x", 10, .expected(.milliseconds(10)), after: "off")
        try await check(main)

        // The lane that it waited for was that of an operation which the milestone needs anyway.
        var graph = OperationGraph("chain")
        graph.wait("config", 40, .expected(.milliseconds(40)))
        graph.wait("images", 300, .expected(.milliseconds(300)), after: "config")
        graph.wait("news", 100, .expected(.milliseconds(100)), after: "config")
        graph.add("tutorial", .when { false }, after: "images") {}
        graph.wait("home", 50, .milestone, .expected(.milliseconds(50)), after: "tutorial", "news")
        let chain = try await graph.run(options: .virtual(lanes: 1)).report
        #expect(chain.criticalPath == ["config", "images", "news", "home"] && chain.criticalPathDuration == chain.makespan)
    }

    @Test("A lane counts when something ran on it, and not when a condition was asked there")
    func lanesThatRan() async throws {
        var graph = OperationGraph("lanes")
        for id in ["off", "tutorial"] { graph.add(id, .when { false }) {} }
        graph.wait("home", 10)
        #expect(try await graph.run(options: .virtual()).report.lanes == 1)
        #expect(try await graph.run(options: .virtual(lanes: 3)).report.lanes == 3)
    }

    @Test("A report of an earlier version, which has the longest path by dependencies, gets the path of this one")
    func earlierVersion() async throws {
        let report = try await scarceLanes.run(options: .virtual(lanes: 2)).report
        var earlier = report
        (earlier.criticalPath, earlier.criticalPathDuration) = (["a", "d", "main"], .milliseconds(450))
        for node in earlier.operations.indices {
            earlier.operations[node].isCritical = earlier.criticalPath.contains(earlier.operations[node].id)
            earlier.operations[node].slack = .milliseconds(7)
        }
        #expect(earlier.withCriticalPath == report && report.withCriticalPath == report)
        let read = try JSONDecoder().decode(LaunchReport.self, from: Data(report.json().utf8))
        #expect(read.withCriticalPath == report)
    }

    @Test("Where nothing was held up, what a report says of its path stands: times alone do not know what other programs waited for")
    func imported() async throws {
        var graph = OperationGraph("imported")
        graph.wait("login", 500)
        graph.wait("first-frame", 100)
        var report = try await graph.run(options: .virtual()).report
        (report.criticalPath, report.criticalPathDuration) = (["first-frame"], .milliseconds(100))
        #expect(report.withCriticalPath == report)
    }
}
