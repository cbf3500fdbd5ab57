import Foundation
import TestSupport
import Testing

@testable import Sequencer
@testable import SequencerAnalysis

/// A report says who held up whom, and what the launch would have gained from an operation that takes no time: compared with launches in which it takes none.
@Suite("Launches in which something is scarce, as their reports explain them", .serialized, .timeLimit(.minutes(30)), .besideOthers)
struct GainTests {
    private struct Failure: Error {}
    private static let count: UInt64 = Nightly.isNight ? 300 : 60

    /// Random launches, each with its report.
    ///
    /// Left out are those of which a report does not say all: how many processors there were, and when a suspended step would have come back to the main thread.
    private static func launches(_ count: UInt64) async throws -> [(launch: PredictedLaunch, report: LaunchReport)] {
        var launches: [(launch: PredictedLaunch, report: LaunchReport)] = []
        for seed in 0..<count {
            let launch = PredictedLaunch(seed: seed, operations: 1...10)
            if launch.processors != nil { continue }
            let report = try await launch.run()
            if report.operations.map(\.duration) == launch.durations { launches.append((launch, report)) }
        }
        return launches
    }

    private static func end(_ report: LaunchReport) -> Duration {
        report.milestone.flatMap { report[$0]?.end } ?? report.makespan
    }

    @Test("What an operation's time costs is what a launch without it gains, to the nanosecond")
    func gains() async throws {
        var compared = 0
        for (launch, report) in try await Self.launches(Self.count) {
            let nodes = launch.durations.indices.filter { launch.durations[$0] > .zero }
            guard let gains = await report.gains(of: nodes) else { continue }
            for node in nodes {
                let other = try await PredictedLaunch(seed: launch.seed, operations: 1...10, instant: node).run()
                let gain = max(.zero, Self.end(report) - Self.end(other))
                #expect(gains[node] == gain, "seed \(launch.seed), \(report.operations[node].id)")
                if gains[node] != gain { return }
                compared += 1
            }
        }
        #expect(compared > 0)
    }

    @Test("The chain to the end of a launch has no gap: each operation starts when the one before it ends")
    func chains() async throws {
        var followed = 0
        for (launch, report) in try await Self.launches(Self.count) where report.milestone == nil {
            // Where it waited to be asked for its condition, nobody says.
            if report.operations.contains(where: { $0.outcome == .skipped }) { continue }
            let places = Dictionary(uniqueKeysWithValues: report.operations.enumerated().map { ($1.id, $0) })
            let ends = report.operations.map(\.end)
            guard let last = ends.indices.max(by: { ends[$0] < ends[$1] }) else { continue }
            let chain = HoldUps(report).chain(endingWith: last) { node in report.operations[node].dependencies.compactMap { places[$0] } }
            var end = Duration.zero
            for operation in chain.map({ report.operations[$0] }) {
                #expect(operation.start == end, "seed \(launch.seed), \(operation.id)")
                end = operation.end
            }
            #expect(end == report.makespan)
            followed += 1
        }
        #expect(followed > 0)
    }

    /// `warm-fonts` has the resource when `splash` needs it: it was expected back in time.
    private func fonts() async throws -> LaunchReport {
        var graph = OperationGraph("fonts")
        graph.wait("prepare", 50, .expected(.milliseconds(50)))
        graph.wait("splash", 300, .exclusive(.userInterface), after: "prepare")
        graph.wait("load", 700, .milestone, after: "splash")
        graph.wait("warm-fonts", 300, .exclusive(.userInterface), .expected(.milliseconds(50)))
        return try await graph.run(budget: Budget(.milliseconds(1_100), isEnforced: false), options: .virtual()).report
    }

    @Test("An overrun is the fault of what kept a resource, rather than of what took its time")
    func causes() async throws {
        let report = try await fonts()
        #expect(report.budget.measured == .milliseconds(1_300) && report.budget.causes == ["warm-fonts"])
    }

    @Test("Who held what an operation waited for is on the chain, and shortening it gains what was waited")
    func holder() async throws {
        let report = try await fonts()
        let holdUps = HoldUps(report)
        let holders: [Int?] = (0..<4).map { holdUps.holder(of: $0) }
        #expect(holders == [nil, 3, nil, nil] && !holdUps.areForLanes)
        let dependencies = [[], [0], [1], []]
        let chain = holdUps.chain(endingWith: 2) { dependencies[$0] }
        #expect(chain == [3, 1, 2])
        let gains = try #require(await report.gains(of: 0..<4))
        // Without `prepare`, `splash` comes before `warm-fonts`.
        #expect(gains == [0: .milliseconds(300), 1: .milliseconds(300), 2: .milliseconds(700), 3: .milliseconds(250)])
    }

    @Test("A report that is read again explains as much")
    func saved() async throws {
        for (_, report) in try await Self.launches(50) {
            let read = try JSONDecoder().decode(LaunchReport.self, from: Data(report.json().utf8))
            #expect(read == report)
        }
    }

    @Test("Where nothing is scarce, paths say it all; a launch that failed is not taken for one that might have been shorter")
    func nothingScarce() async throws {
        var graph = OperationGraph("free")
        graph.wait("a", 100)
        graph.wait("b", 200, after: "a")
        let free = try await graph.run(options: .virtual()).report
        #expect(await free.gains(of: [0]) == nil)
        var failing = OperationGraph("failing")
        failing.wait("a", 100, .exclusive("disk"))
        failing.wait("b", 100, .exclusive("disk"))
        failing.add("c") { throw Failure() }
        let failed = try await failing.run(options: .virtual()).report
        let gains = await failed.gains(of: [0])
        #expect(failed.outcome != .completed && gains == nil)
    }

    @Test("Of a launch of many steps the gains of 200 are worked out, the first that are asked for", .nightly)
    func many() async throws {
        var graph = OperationGraph("many")
        for number in 0..<210 { graph.wait("op-\(number)", 1, .exclusive("disk")) }
        let gains = try await graph.run(options: .virtual()).report.gains(of: 5..<210)
        #expect(gains?.count == 200 && gains?[5] == .milliseconds(1) && gains?[205] == nil)
    }
}
