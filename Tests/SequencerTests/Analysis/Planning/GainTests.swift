import Foundation
import SequencerTesting
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
                let told = gains[node].map { max(.zero, $0) }
                #expect(told == gain, "seed \(launch.seed), \(report.operations[node].id)")
                if told != gain { return }
                compared += 1
            }
        }
        #expect(compared > 0)
    }

    /// A launch on two lanes whose steps take as long as is expected of them: on a lane, on the main thread, or with a resource that one
    /// can hold.
    private static func onTwoLanes(_ seed: UInt64, instant: Int? = nil) async throws -> LaunchReport {
        let random = RandomGraph(seed: seed, operations: 4...12)
        var generator = SplitMix64(seed: seed &+ 170_000)
        let milestone = Int.random(in: 0..<random.count * 2, using: &generator)
        var graph = OperationGraph("two lanes")
        for (node, dependencies) in random.edges {
            let noise = Int64.random(in: 0...1_000_000, using: &generator)
            let (kind, duration) = (Int.random(in: 0..<6, using: &generator), random.durations[node] + .nanoseconds(noise))
            let time = node == instant ? Duration.zero : duration
            var options: [StepOption] = [.expected(time)]
            if node == milestone { options.append(.milestone) }
            if kind == 1 { options.append(.exclusive("database")) }
            let after = dependencies.map { random.id($0) }
            if kind == 0 {
                graph.add(random.id(node), .all(options + [.suspends(false)]), after: after, on: .main) { try await $0.compute(for: time) }
            } else {
                graph.add(random.id(node), .all(options), after: after) { try await $0.sleep(for: time) }
            }
        }
        var options = LaunchOptions.virtual(lanes: 2)
        // Other tests may keep the main thread for more than a minute.
        options.clock = VirtualClock(patience: .seconds(3_600))
        return try await graph.run(options: options).report
    }

    @Test("On two lanes, too: what an operation's time costs is what a launch gains in which it takes none, to the nanosecond")
    func gainsOnTwoLanes() async throws {
        var compared = 0
        for seed in 0..<UInt64(Nightly.times(day: 120, night: 500)) {
            let report = try await Self.onTwoLanes(seed)
            guard let gains = await report.gains(of: report.operations.indices) else { continue }
            for node in report.operations.indices {
                let gain = max(.zero, Self.end(report) - Self.end(try await Self.onTwoLanes(seed, instant: node)))
                let told = gains[node].map { max(.zero, $0) }
                #expect(told == gain, "seed \(seed), \(report.operations[node].id)")
                if told != gain { return }
            }
            compared += 1
        }
        #expect(compared >= 100)
    }

    @Test("The critical path of a launch has no gap: each operation starts when the one before it ends")
    func paths() async throws {
        var followed = 0
        for (launch, report) in try await Self.launches(Self.count) where report.milestone == nil {
            // Where it waited to be asked for its condition, nobody says.
            if report.operations.contains(where: { $0.outcome == .skipped }) { continue }
            var end = Duration.zero
            for operation in report.criticalPath.compactMap({ report[$0] }) {
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

    @Test("Who held what an operation waited for is on the critical path, and shortening it gains what was waited")
    func holder() async throws {
        let report = try await fonts()
        let holdUps = HoldUps(report)
        let holders: [Int?] = (0..<4).map { holdUps.holder(of: $0) }
        #expect(holders == [nil, 3, nil, nil] && !holdUps.areForLanes)
        #expect(report.criticalPath == ["warm-fonts", "splash", "load"])
        let gains = try #require(await report.gains(of: 0..<4))
        // Without `prepare`, `splash` comes before `warm-fonts`.
        #expect(gains == [0: .milliseconds(300), 1: .milliseconds(300), 2: .milliseconds(700), 3: .milliseconds(250)])
    }

    @Test("A step that was skipped before all that it waits for had ended keeps nobody waiting")
    func skippedEarly() async throws {
        var graph = OperationGraph("early")
        let flags = graph.add("flags", .exclusive("disk")) { step in
            try await step.sleep(for: .milliseconds(300))
            return false
        }
        graph.wait("sync", 20_000)
        graph.wait("other", 100, .exclusive("disk"))
        graph.add("tips", .when(flags) { $0 }, after: "sync") {}
        graph.wait("main", 50, .milestone, after: "tips")
        let report = try await graph.run(options: .virtual()).report
        #expect(report.budget.measured == .milliseconds(350))
        let gains = try #require(await report.gains(of: [0]))
        #expect(gains == [0: .milliseconds(300)])
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
