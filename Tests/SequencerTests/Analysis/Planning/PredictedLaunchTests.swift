import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// A plan is a launch in virtual time: what it says comes true to the nanosecond.
@Suite("Launches that their plans predict", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PredictedLaunchTests {
    @Test("Random launches start and end each operation when their plans say, to the nanosecond, on the lane that they say")
    func random() async throws {
        for seed in Nightly.cases(0..<UInt64(2_000), each: 10) {
            let launch = PredictedLaunch(seed: seed, operations: 1...(seed % 40 == 30 ? 60 : 10))
            let differences = try await launch.differences()
            #expect(differences == [], "seed \(seed)")
            if !differences.isEmpty { return }
        }
    }

    /// A launch of steps that take as long as is expected of them.
    private struct Sample {
        var graph = OperationGraph("sample")

        /// - Parameter isComputing: keeps its thread.
        mutating func add(
            _ id: String,
            _ milliseconds: Int,
            _ options: StepOption...,
            isOnMain: Bool = false,
            isComputing: Bool = false,
            after dependencies: [String] = []
        ) {
            let duration = Duration.milliseconds(milliseconds)
            let options = StepOption.all(options + [.expected(duration), .suspends(!isComputing)])
            let pass: @Sendable (StepContext) async throws -> Void = { step in
                if isComputing { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
            }
            if isOnMain {
                graph.add(id, options, after: dependencies, on: .main) { step in
                    if isComputing { try await step.compute(for: duration) } else { try await step.sleep(for: duration) }
                }
            } else {
                graph.add(id, options, after: dependencies) { step in try await pass(step) }
            }
        }

        /// When each operation ends, in milliseconds, by its plan and in virtual time.
        func ends(lanes: Int? = nil) async throws -> (planned: [Double], seen: [Double]) {
            let plan = try await graph.plan(PlanOptions(lanes: lanes))
            let report = try await graph.run(options: .virtual(lanes: lanes)).report
            #expect(report.anomalies.isEmpty)
            return (plan.operations.map { $0.end / .milliseconds(1) }, report.operations.map { $0.end / .milliseconds(1) })
        }
    }

    @Test("A step that computes keeps the main thread; one that is suspended leaves it to others", arguments: [true, false])
    func mainThread(isComputing: Bool) async throws {
        var sample = Sample()
        sample.add("a", 500, isOnMain: true, isComputing: isComputing)
        sample.add("b", 500, isOnMain: true, isComputing: isComputing)
        let ends = try await sample.ends()
        #expect(ends.planned == (isComputing ? [500, 1_000] : [500, 500]))
        #expect(ends.seen == ends.planned)
    }

    @Test("What is suspended comes back to the main thread when that is free")
    func comingBack() async throws {
        var sample = Sample()
        sample.add("splash", 100, isOnMain: true)
        sample.add("layout", 400, isOnMain: true, isComputing: true)
        sample.add("next", 500, after: ["splash"])
        sample.add("last", 50, isOnMain: true, isComputing: true, after: ["layout"])
        let ends = try await sample.ends()
        #expect(ends.planned == [400, 400, 900, 450])
        #expect(ends.seen == ends.planned)
    }

    @Test("What shares a resource goes by its remaining path, on the main thread or not")
    func sharedResource() async throws {
        var sample = Sample()
        sample.add("splash", 300, .exclusive(.userInterface), isOnMain: true)
        sample.add("load", 700, after: ["splash"])
        sample.add("warm-fonts", 300, .exclusive(.userInterface))
        let ends = try await sample.ends()
        #expect(ends.planned == [300, 1_000, 600])
        #expect(ends.seen == ends.planned)
    }

    @Test("All that ends at one moment ends before anything starts at it")
    func oneMoment() async throws {
        var sample = Sample()
        sample.add("a", 10)
        sample.add("b", 10)
        sample.add("both", 100, after: ["a", "b"])
        sample.add("also-both", 100, after: ["a", "b"])
        sample.add("side", 50)
        let ends = try await sample.ends(lanes: 2)
        #expect(ends.planned == [10, 10, 110, 110, 160])
        #expect(ends.seen == ends.planned)
    }

    @Test("A step that is told to cancel while it computes leaves the main thread at once")
    func cancelled() async throws {
        var graph = OperationGraph("cancelled")
        graph.add("layout", .timeout(.milliseconds(100)), .onFailure(.continue), on: .main) { step in
            try await step.compute(for: .seconds(1))
        }
        graph.add("next", on: .main) { step in try await step.compute(for: .milliseconds(50)) }
        let report = try await graph.run(options: .virtual()).report
        #expect(report["layout"]?.outcome == .timedOut)
        #expect(report["next"]?.end == .milliseconds(150))
    }

    @Test("A plan takes a step of the main thread to keep it, but for one that waits for a person, whose answer comes there")
    func unsaid() async throws {
        var graph = OperationGraph("unsaid")
        graph.add("login", .expected(.milliseconds(300)), .interactive, on: .main) {}
        graph.add("a", .expected(.milliseconds(200)), on: .main) {}
        graph.add("b", .expected(.milliseconds(100)), on: .main) {}
        let plan = try await graph.plan()
        #expect(plan.operations.map(\.end) == [.milliseconds(300), .milliseconds(200), .milliseconds(300)])
    }
}
