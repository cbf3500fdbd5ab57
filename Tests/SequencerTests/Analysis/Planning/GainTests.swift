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
    /// A made-up launch whose steps take as long as is expected of them: suspended on a lane or on the main thread, or
    /// computing there; with a resource that one or two can hold; for a person; to no success; or as joins.
    private struct Launch {
        let graph: OperationGraph
        let lanes: Int?
        let durations: [Duration]

        /// - Parameter instant: the position of a step that takes no time.
        init(_ seed: UInt64, instant: Int? = nil) {
            let random = RandomGraph(seed: seed, operations: 4...12)
            var generator = SplitMix64(seed: seed &+ 170_000)
            let milestone = Int.random(in: 0..<random.count * 2, using: &generator)
            var (graph, durations) = (OperationGraph("random"), [Duration]())
            graph.limit("pool", to: 2)
            for (node, dependencies) in random.edges {
                let noise = Int64.random(in: 0...1_000_000, using: &generator)
                let kind = Int.random(in: 0..<9, using: &generator)
                let isInstant = node == instant || kind == 6
                let time: Duration = isInstant ? .zero : random.durations[node] + .nanoseconds(noise)
                let fails = kind == 5 && node != milestone
                var options: [StepOption] = node == milestone ? [.expected(time), .milestone] : [.expected(time)]
                let (id, after) = (random.id(node), dependencies.map { random.id($0) })
                durations.append(time)
                switch kind {
                case 0:
                    options.append(.suspends(false))
                    graph.add(id, .all(options), after: after, on: .main) { try await $0.compute(for: time) }
                    continue
                case 1:
                    options.append(.suspends(true))
                    graph.add(id, .all(options), after: after, on: .main) { try await $0.sleep(for: time) }
                    continue
                case 2: options.append(.exclusive("database"))
                case 3: options.append(.exclusive("pool"))
                case 4: options.append(.interactive)
                case 5: options.append(.onFailure(.continue))
                case 6:
                    graph.join(id, .all(options), after: after)
                    continue
                default: break
                }
                graph.add(id, .all(options), after: after) { step in
                    try await step.sleep(for: time)
                    if fails { throw Failure() }
                }
            }
            (self.graph, self.durations) = (graph, durations)
            lanes = seed % 4 == 0 ? nil : Int(seed % 4)
        }

        func run() async throws -> LaunchReport {
            var options = LaunchOptions.virtual(lanes: lanes)
            // Other tests may keep the main thread for more than a minute.
            options.clock = VirtualClock(patience: .seconds(3_600))
            return try await graph.run(options: options).report
        }
    }

    private static let seeds = 0..<UInt64(Nightly.times(day: 80, night: 1_000))

    private static func end(_ report: LaunchReport) -> Duration {
        report.milestone.flatMap { report[$0]?.end } ?? report.makespan
    }

    @Test("Random launches start and end each step when their plans say, to the nanosecond, on the lane that they say")
    func plans() async throws {
        for seed in Self.seeds {
            let launch = Launch(seed)
            let (plan, report) = (try await launch.graph.plan(PlanOptions(lanes: launch.lanes)), try await launch.run())
            let differences = zip(plan.operations, report.operations).filter {
                ($0.start, $0.end, $0.lane) != ($1.start, $1.end, $1.lane)
            }
            #expect(differences.isEmpty, "seed \(seed): \(differences)")
        }
    }

    @Test("What a step's time costs is what a launch without it gains, to the nanosecond; the critical path has no gap")
    func gains() async throws {
        var (compared, followed) = (0, 0)
        for seed in Self.seeds {
            let launch = Launch(seed)
            let report = try await launch.run()
            // Nobody says when a suspended step would have come back to the main thread.
            guard report.operations.map(\.duration) == launch.durations else { continue }
            if report.milestone == nil {
                let path = report.criticalPath.compactMap { report[$0] }
                let begins = ([.zero] + path.map(\.end)).dropLast()
                #expect(path.compactMap(\.start) == Array(begins), "seed \(seed)")
                #expect(path.last?.end ?? .zero == report.makespan, "seed \(seed)")
                followed += 1
            }
            let gains = await report.gains(of: report.operations.indices)
            for node in report.operations.indices {
                let gain = max(.zero, Self.end(report) - Self.end(try await Launch(seed, instant: node).run()))
                #expect(gains[node].map { max(.zero, $0) } == gain, "seed \(seed), \(report.operations[node].id)")
            }
            compared += 1
        }
        #expect(compared > 0 && followed > 0)
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
        let gains = await report.gains(of: [0])
        #expect(gains == [0: .milliseconds(300)])
    }
}
