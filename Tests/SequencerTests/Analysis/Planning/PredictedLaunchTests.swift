import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// A plan is a launch in virtual time: what it says comes true to the nanosecond.
@Suite("Launches that their plans predict", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct PredictedLaunchTests {
    /// When each operation ends, in milliseconds: in virtual time, and by its plan.
    private func ends(_ graph: OperationGraph, lanes: Int? = nil) async throws -> [Double] {
        let plan = try await graph.plan(PlanOptions(lanes: lanes))
        let report = try await graph.run(options: .virtual(lanes: lanes)).report
        #expect(report.anomalies.isEmpty && plan.operations.map(\.end) == report.operations.map(\.end))
        return report.operations.map { $0.end / .milliseconds(1) }
    }

    @Test("A step that computes keeps the main thread; one that is suspended leaves it to others", arguments: [true, false])
    func mainThread(isComputing: Bool) async throws {
        var graph = OperationGraph("sample")
        graph.addTimed("a", 500, onMain: true, computes: isComputing)
        graph.addTimed("b", 500, onMain: true, computes: isComputing)
        #expect(try await ends(graph) == (isComputing ? [500, 1_000] : [500, 500]))
    }

    @Test("What is suspended comes back to the main thread when that is free")
    func comingBack() async throws {
        var graph = OperationGraph("sample")
        graph.addTimed("splash", 100, onMain: true, computes: false)
        graph.addTimed("layout", 400, onMain: true, computes: true)
        graph.addTimed("next", 500, after: "splash", computes: false)
        graph.addTimed("last", 50, after: "layout", onMain: true, computes: true)
        #expect(try await ends(graph) == [400, 400, 900, 450])
    }

    @Test("What shares a resource goes by its remaining path, on the main thread or not")
    func sharedResource() async throws {
        var graph = OperationGraph("sample")
        graph.addTimed("splash", 300, .exclusive(.userInterface), onMain: true, computes: false)
        graph.addTimed("load", 700, after: "splash", computes: false)
        graph.addTimed("warm-fonts", 300, .exclusive(.userInterface), computes: false)
        #expect(try await ends(graph) == [300, 1_000, 600])
    }

    @Test("All that ends at one moment ends before anything starts at it")
    func oneMoment() async throws {
        var graph = OperationGraph("sample")
        graph.addTimed("a", 10, computes: false)
        graph.addTimed("b", 10, computes: false)
        graph.addTimed("both", 100, after: "a", "b", computes: false)
        graph.addTimed("also-both", 100, after: "a", "b", computes: false)
        graph.addTimed("side", 50, computes: false)
        #expect(try await ends(graph, lanes: 2) == [10, 10, 110, 110, 160])
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
