import Foundation
import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// With more lanes than processors, what nobody waits for leaves the processors to the milestone.
@Suite("Fewer processors than lanes", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProcessorShareTests {
    /// `a` → `b` → `home`, 150 ms each, beside six others of 300 ms.
    private static func graph(isComputing: Bool = true, hasMilestone: Bool = true) -> OperationGraph {
        var graph = OperationGraph("busy")
        func add(_ id: String, _ milliseconds: Int, _ options: StepOption..., after: [String] = []) {
            let all = StepOption.all(options + [.suspends(!isComputing), .expected(.milliseconds(milliseconds))])
            graph.add(id, all, after: after) { step in
                if isComputing {
                    try await step.compute(for: .milliseconds(milliseconds))
                } else {
                    try await step.sleep(for: .milliseconds(milliseconds))
                }
            }
        }
        for number in 1...6 { add("other-\(number)", 300) }
        add("a", 150)
        add("b", 150, after: ["a"])
        if hasMilestone { add("home", 150, .milestone, after: ["b"]) } else { add("home", 150, after: ["b"]) }
        return graph
    }

    private static func report(_ graph: OperationGraph, lanes: Int? = 8, processors: Int?) async throws -> LaunchReport {
        var options = LaunchOptions.virtual(lanes: lanes)
        options.processors = processors
        return try await graph.run(options: options).report
    }

    /// How many of the others started before the milestone had ended.
    private static func early(_ report: LaunchReport) -> [Duration] {
        let end = report["home"]?.end ?? .zero
        return report.operations.filter { $0.id.hasPrefix("other") }.compactMap(\.start).filter { $0 < end }.sorted()
    }

    @Test("until the milestone has ended, others that compute start only while fewer run than there are processors", arguments: [nil, 8])
    func others(lanes: Int?) async throws {
        let report = try await Self.report(Self.graph(), lanes: lanes, processors: 2)
        #expect(report["home"]?.end == .milliseconds(450))
        #expect(Self.early(report) == [.zero, .milliseconds(300)])
        // When it has ended, as many as there are lanes.
        #expect(report.operations.filter { $0.start == .milliseconds(450) }.count == 4)
        #expect(Self.early(try await Self.report(Self.graph(), lanes: lanes, processors: 1)) == [])
        #expect(Self.early(try await Self.report(Self.graph(), lanes: lanes, processors: 4)).count == 3 + 3)
    }

    @Test("what is suspended does not count; without a milestone, and without a limit, everything starts at once")
    func noOthers() async throws {
        let all = Array(repeating: Duration.zero, count: 6)
        #expect(Self.early(try await Self.report(Self.graph(isComputing: false), processors: 1)) == all)
        #expect(Self.early(try await Self.report(Self.graph(hasMilestone: false), processors: 1)) == all)
        #expect(Self.early(try await Self.report(Self.graph(), processors: nil)) == all)
        var options = LaunchOptions.virtual(lanes: 8)
        (options.processors, options.goal) = (1, .makespan)
        #expect(Self.early(try await Self.graph().run(options: options).report) == all)
    }

    @Test("a plan supposes the same processors as the launch")
    func plan() async throws {
        for processors in 1...4 {
            var options = PlanOptions(lanes: 8, effort: 0)
            options.processors = processors
            let (graph, plan) = (Self.graph(), try Self.graph().plan(options))
            let report = try await Self.report(graph, processors: processors)
            #expect(plan.operations.map(\.start) == report.operations.map(\.start), "\(processors) processors")
            #expect(plan.milestoneEnd == .milliseconds(450))
        }
    }

    @Test(
        "where nothing has ended for a second, as many others start as there are processors: the milestone may wait for one of them unseen"
    )
    func nothingGoesOn() async throws {
        var graph = OperationGraph("unseen")
        graph.add("home", .milestone, .suspends(false)) { step in try await step.compute(for: .seconds(5)) }
        for number in 1...5 {
            graph.add("other-\(number)", .suspends(false)) { step in try await step.compute(for: .seconds(10)) }
        }
        let starts = try await Self.report(graph, processors: 2).operations.compactMap(\.start).sorted()
        #expect(starts == [.zero, .zero, .seconds(1), .seconds(1), .seconds(2), .seconds(2)])
    }

    @Test(
        "one that is cancelled, or whose launch is, while it leaves the processors to the milestone, never starts",
        arguments: [false, true]
    )
    func cancelled(isLaunch: Bool) async throws {
        let box = LaunchBox()
        var graph = OperationGraph("cancelled")
        graph.add("home", .milestone, .suspends(false)) { step in try await step.compute(for: .milliseconds(500)) }
        graph.add("other", .onFailure(.continue), .suspends(false)) { step in try await step.compute(for: .milliseconds(500)) }
        graph.add("cancels") { step in
            try await step.sleep(for: .milliseconds(100))
            if isLaunch { try await box.launch().cancel() } else { try await box.launch().cancel("other") }
        }
        var options = LaunchOptions.virtual(lanes: 4)
        options.processors = 1
        let report = try await box.run(graph, options: options).report
        #expect(report["other"]?.outcome == .cancelled && report["other"]?.start == nil)
    }

    @Test("in real time too, what waits for a processor says so, and goes on when the milestone has ended")
    func realTime() async throws {
        let (begun, end) = (Gate(), Gate())
        var graph = OperationGraph("real")
        let running = Locked(0)
        graph.add("home", .milestone) {
            begun.open()
            end.block()
        }
        for number in 1...5 { graph.add("other-\(number)") { running.withLock { $0 += 1 } } }
        graph.add("suspends") { await Task.yield() }
        var options = LaunchOptions(lanes: 8, deadline: .patience)
        options.processors = 1
        let launch = try graph.start(options: options)
        await begun.wait()
        await eventually { launch.status.operations.map(\.id).contains("suspends") == false }
        #expect(launch.status.operations.filter { $0.wait == .milestone }.count == 5 || running.withLock { $0 } > 0)
        end.open()
        let report = await launch.end().report
        #expect(report.outcome == .completed && running.withLock { $0 } == 5)
    }
}
