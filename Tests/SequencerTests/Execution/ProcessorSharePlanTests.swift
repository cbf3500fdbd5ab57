import SequencerAnalysis
import TestSupport
import Testing

@testable import Sequencer

/// Launches with fewer processors than lanes, beside their plans: lanes, the main thread and resources are scarce as well.
@Suite("Fewer processors than lanes: plans and launches", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct ProcessorSharePlanTests {
    /// Steps that say how they use their thread, for launches that are compared with their plans.
    private struct Sample {
        var graph = OperationGraph("sample")

        mutating func add(
            _ id: String,
            _ milliseconds: Int,
            _ options: StepOption...,
            onMain: Bool = false,
            computes: Bool = false,
            after: [String] = []
        ) {
            let duration = Duration.milliseconds(milliseconds)
            let all = StepOption.all(options + [.expected(duration), .suspends(!computes)])
            if onMain {
                graph.add(id, all, after: after, on: .main) { step in
                    if computes { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
                }
            } else {
                graph.add(id, all, after: after) { step in
                    if computes { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
                }
            }
        }

        func starts(lanes: Int?, processors: Int) async throws -> [String: Duration] {
            var options = PlanOptions(lanes: lanes)
            options.processors = processors
            let (plan, report) = (
                try await graph.plan(options), try await ProcessorShareTests.report(graph, lanes: lanes, processors: processors)
            )
            #expect(plan.operations.map(\.start) == report.operations.map(\.start))
            return Dictionary(uniqueKeysWithValues: report.operations.map { ($0.id, $0.start ?? .seconds(-1)) })
        }
    }

    @Test("one that waits for the main thread takes no room from one that waits for a lane")
    func mainAndLanes() async throws {
        var sample = Sample()
        sample.add("P", 50)
        sample.add("N", 300, onMain: true, computes: true, after: ["P"])
        sample.add("home", 100, .milestone, after: ["N"])
        sample.add("K1", 100, computes: true)
        sample.add("K2", 100, computes: true)
        sample.add("S", 100)
        sample.add("M", 90, onMain: true, computes: true)
        sample.add("L", 40, computes: true)
        #expect(try await sample.starts(lanes: nil, processors: 2)["L"] == .milliseconds(100))
    }

    @Test("where both looks come at one moment, plan and launch start the same")
    func bothLooks() async throws {
        var sample = Sample()
        sample.add("A", 10, .interactive)
        sample.add("H", 5_000, .exclusive("R"))
        sample.add("K", 5_000, computes: true)
        sample.add("W", 500, .milestone, .exclusive("R"), .exclusive("Q"), after: ["A"])
        sample.add("X", 2_000, .exclusive("Q"), after: ["A"])
        sample.add("Y", 3_000, computes: true, after: ["A"])
        _ = try await sample.starts(lanes: 3, processors: 1)
    }

    @Test("where more run than there are processors, for the milestone needs them, another one starts after a second all the same")
    func manyNeeded() async throws {
        var sample = Sample()
        for number in 1...6 { sample.add("needed-\(number)", 5_000, computes: true) }
        sample.add("home", 100, .milestone, after: (1...6).map { "needed-\($0)" })
        sample.add("other", 10, computes: true)
        #expect(try await sample.starts(lanes: 64, processors: 1)["other"] == .seconds(1))
    }

    @Test("those that were cancelled while they waited take nobody's place")
    func cancelledBefore() async throws {
        let box = LaunchBox()
        var sample = Sample()
        sample.add("home", 5_000, .milestone)
        sample.add("K", 500, computes: true)
        for number in 1...20 { sample.add("A\(number)", 400, .onFailure(.continue), computes: true) }
        sample.add("B", 300, computes: true)
        sample.graph.add("cancels") { step in
            try await step.sleep(for: .milliseconds(100))
            for number in 1...20 { try await box.launch().cancel("A\(number)") }
        }
        var options = LaunchOptions.virtual(lanes: 64)
        options.processors = 1
        let report = try await box.run(sample.graph, options: options).report
        #expect(report["B"]?.start == .milliseconds(500))
    }
}
