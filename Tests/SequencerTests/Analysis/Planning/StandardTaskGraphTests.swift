import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// Plans of the sample of the Standard Task Graph Set in `Tests/Data`: every eighteenth graph, or all of them when `CHECK_PLANS=full` is set, as
/// `Scripts/check-plans` does.
@Suite("Plans of the Standard Task Graph Set", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct StandardTaskGraphTests {
    static let isFull = ProcessInfo.processInfo.environment["CHECK_PLANS"] == "full"

    /// Ratios to a lower bound.
    private struct Ratios {
        private(set) var all: [Double] = []
        var mean: Double { all.isEmpty ? 0 : all.reduce(0, +) / Double(all.count) }
        var max: Double { all.max() ?? 0 }

        mutating func add(_ makespan: Duration, to bound: Int) { all.append(makespan.milliseconds / Double(bound)) }
    }

    @Test("The mean plan is at most 1.003 times the lower bound, none is above 1.10 times the least that is proven possible", .nightly)
    func ratios() throws {
        var overall = Ratios()
        if Self.isFull {
            print("plans of the Standard Task Graph Set: makespan / published bound, / proven bound, longest path first, CPU time")
        }
        for lanes in [2, 4, 8, 16] {
            var (published, proven, first) = (Ratios(), Ratios(), Ratios())
            var (longestTime, totalTime) = (0.0, 0.0)
            for sample in try StandardTaskGraph.all(lanes: lanes, every: Self.isFull ? 1 : 18) {
                let begin = processorTime()
                let plan = try sample.graph.plan(PlanOptions(lanes: lanes))
                let time = processorTime() - begin
                (longestTime, totalTime) = (max(longestTime, time), totalTime + time)
                #expect(plan.faults() == [])
                #expect(plan.lowerBound <= .milliseconds(sample.lowerBound), "\(sample.name)")
                #expect(plan.provenLowerBound <= .milliseconds(sample.bestKnown), "\(sample.name)")
                published.add(plan.makespan, to: sample.lowerBound)
                overall.add(plan.makespan, to: sample.lowerBound)
                // Some published bounds are out of reach: see the data's notes.
                proven.add(plan.makespan, to: max(sample.lowerBound, Int(plan.provenLowerBound.milliseconds)))
                #expect((proven.all.last ?? 2) <= 1.1, "\(sample.name) on \(lanes) lanes: \(plan.makespan)")
                first.add(try sample.graph.plan(PlanOptions(lanes: lanes, effort: 0)).makespan, to: sample.lowerBound)
            }
            #expect(proven.mean <= 1.003, "\(lanes) lanes")
            #expect(published.mean <= first.mean)
            guard Self.isFull else { continue }
            let figures = [published.mean, published.max, proven.mean, proven.max, first.mean, first.max].map { String(format: "%.4f", $0) }
            let times = [totalTime / Double(published.all.count), longestTime].map { String(format: "%.1f", $0) }
            print("plans: \(lanes) lanes, mean max: \(figures.joined(separator: " ")) ms: \(times.joined(separator: " "))")
        }
        guard Self.isFull else { return }
        #expect(overall.mean <= 1.003)
        print("plans: all lanes, mean: \(String(format: "%.4f", overall.mean)) worst: \(String(format: "%.4f", overall.max))")
    }

    /// In milliseconds, of all threads.
    private func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) * 1000 }
}

/// A graph of the set, with what is known of it for a number of lanes. A unit of its time is a millisecond here.
struct StandardTaskGraph {
    let name: String
    let graph: ValidatedGraph
    let lowerBound: Int
    let bestKnown: Int

    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../../Data/StandardTaskGraphSet").standardizedFileURL

    static func all(lanes: Int, every step: Int) throws -> [StandardTaskGraph] {
        let rows = try String(contentsOf: folder.appendingPathComponent("optimal.csv"), encoding: .utf8)
            .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",").map(String.init) }
        let wanted = rows.filter { $0[1] == String(lanes) }
        try #require(wanted.count == 180)
        return try stride(from: 0, to: wanted.count, by: step).map { place in
            let row = wanted[place]
            return StandardTaskGraph(
                name: row[0],
                graph: try graph(row[0]),
                lowerBound: try #require(Int(row[2])),
                bestKnown: try #require(Int(row[3]))
            )
        }
    }

    private static func graph(_ name: String) throws -> ValidatedGraph {
        let lines = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(whereSeparator: \.isNewline)
        let tasks = lines.filter { !$0.hasPrefix("#") }.dropFirst().map { $0.split(separator: " ").compactMap { Int($0) } }
        var graph = OperationGraph(name)
        for task in tasks {
            graph.insert(
                "task-\(task[0])",
                options: [.expected(.milliseconds(task[1]))],
                inputs: DependencyList(),
                dependencies: task.dropFirst(3).map { "task-\($0)" },
                valueType: Void.self,
                work: .synchronous { _ in }
            )
        }
        return try graph.validated()
    }
}
