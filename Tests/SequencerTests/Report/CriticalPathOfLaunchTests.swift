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

    @Test("It goes over what kept the main thread, and over what held a resource")
    func mainThreadAndResource() async throws {
        // Both begin before `home` is ready, for they are expected back in time.
        var graph = OperationGraph("main thread")
        graph.add("layout", .expected(.milliseconds(10)), .suspends(false), on: .main) { try await $0.compute(for: .milliseconds(300)) }
        graph.wait("config", 100, .expected(.milliseconds(100)))
        graph.add("home", .milestone, .expected(.milliseconds(50)), .suspends(false), after: "config", on: .main) { step in
            try await step.compute(for: .milliseconds(50))
        }
        let onMain = try await graph.run(options: .virtual()).report
        #expect(onMain.criticalPath == ["layout", "home"] && onMain["config"]?.slack == .milliseconds(200))
        #expect(onMain["layout"]?.slack == .zero)

        var shared = OperationGraph("resource")
        shared.wait("backup", 300, .exclusive("database"), .expected(.milliseconds(10)))
        shared.wait("config", 100, .expected(.milliseconds(100)))
        shared.wait("home", 50, .milestone, .exclusive("database"), .expected(.milliseconds(50)), after: "config")
        let withResource = try await shared.run(options: .virtual()).report
        #expect(withResource.criticalPath == ["backup", "home"] && withResource["config"]?.slack == .milliseconds(200))
    }

    @Test("Of a launch that was stopped, it ends with the operation that stopped it; what never started is on none")
    func stopped() async throws {
        var graph = OperationGraph("stopped")
        let splash = graph.add("splash") { try await $0.sleep(for: .milliseconds(100)) }
        graph.wait("slow", 900, after: "splash")
        var failing = graph
        failing.add("login", after: splash) { step in
            try await step.sleep(for: .milliseconds(200))
            throw Failure()
        }
        failing.add("home", .milestone, after: "login", "slow") {}
        let failed = try await failing.run(options: .virtual()).report
        #expect(failed.criticalPath == ["splash", "login"] && failed["login"]?.slack == .zero)

        var aborting = graph
        aborting.add("update", after: splash) { step in
            try await step.sleep(for: .milliseconds(300))
            step.abort(.forceUpdate)
        }
        aborting.add("home", .milestone, after: "update", "slow") {}
        let aborted = try await aborting.run(options: .virtual()).report
        #expect(aborted.criticalPath == ["splash", "update"])
        #expect(try await OperationGraph("empty").run(options: .virtual()).report.criticalPath == [])
    }

    @Test("What was skipped on the way is left out, and what it waited for is not")
    func skipped() async throws {
        var graph = OperationGraph("skipped")
        graph.wait("config", 300)
        graph.add("tutorial", .when { false }, after: "config") {}
        graph.wait("other", 100)
        graph.wait("home", 50, .milestone, after: "tutorial", "other")
        let report = try await graph.run(options: .virtual()).report
        #expect(report.criticalPath == ["config", "home"] && report.criticalPathDuration == .milliseconds(350))
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
