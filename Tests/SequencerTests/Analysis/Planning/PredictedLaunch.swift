import SequencerTesting

@testable import Sequencer
@testable import SequencerAnalysis

/// A launch made up from a seed whose steps take as long as is expected of them, by virtual time: what its plan says must come true to the nanosecond.
///
/// It has every option that decides when something starts or ends: lanes, processors, the main thread (kept, or left while suspended), resources that one or a few can hold, joins,
/// durations of zero and many that are equal. Options that decide nothing here are given too: conditions that hold, persons' time, a milestone, attempts,
/// timeouts, a deadline and what may be put off where no budget is kept. Some fail or time out when their time is over, and are done without or replaced by their fallback,
/// some are delayed by a fault for a part of their time, and some joins are skipped by their condition.
///
/// Left out is what a plan does not predict. It counts all that is to be done once, so nothing is tried again, cut or put off to keep a budget; and nothing takes longer or
/// shorter than expected.
struct PredictedLaunch: Sendable {
    private enum Kind: CaseIterable {
        /// On a lane, suspended or computing: both keep their lane.
        case suspended, computing
        /// On a lane, in no time, and without a task.
        case straight
        /// On the main thread, which others have meanwhile, or not.
        case suspendedOnMain, computingOnMain
        case askingOnMain
        case join
        /// Has a condition, and so has to be asked on a lane.
        case conditionalJoin
    }

    /// How an operation ends when its time is over.
    private enum Ending {
        case success, failure, fallback
        /// By its timeout; in launches in which nothing else ends at that moment, for what ends by itself ends first, and lets others start.
        case timeout
        /// It succeeds; a fault has taken half of its time.
        case delayed
    }

    private struct Failure: Error {}

    let seed: UInt64
    let graph: OperationGraph
    let lanes: Int?
    let processors: Int?
    /// How long each operation takes, by itself.
    let durations: [Duration]

    /// - Parameter instant: the position of an operation that takes no time.
    init(seed: UInt64, operations: ClosedRange<Int>, instant: Int? = nil) {
        var generator = SplitMix64(seed: seed &+ 50_000)
        func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < probability }
        let random = RandomGraph(seed: seed, operations: operations)
        // Whole milliseconds and few different ones, so that much ends at the same moment; or none that are equal.
        let isCoarse = chance(0.7)
        var durations = random.durations.map { duration in
            isCoarse ? duration / 10 * 10 : duration + .nanoseconds(Int.random(in: 1...1_000_000, using: &generator))
        }
        if let instant { durations[instant] = .zero }
        let onMain = Double.random(in: 0...0.6, using: &generator)
        let kinds = random.durations.map { _ -> Kind in
            if chance(onMain) {
                return [.suspendedOnMain, .computingOnMain, .computingOnMain, .askingOnMain].randomElement(using: &generator) ?? .join
            }
            return chance(0.6) ? .suspended : [.computing, .straight, .join, .conditionalJoin].randomElement(using: &generator) ?? .join
        }
        let contention = Double.random(in: 0...0.5, using: &generator)
        let milestone = chance(0.5) ? Int.random(in: 0..<random.count, using: &generator) : nil
        // Of its own, so that the rest of a launch is what it would be without one. Operations come after those they wait for.
        var another = SplitMix64(seed: seed &+ 90_000)
        let isFirstMarked = Bool.random(using: &another)
        let initialDisplay = milestone.flatMap { isFirstMarked ? Int.random(in: 0...$0, using: &another) : nil }
        var third = SplitMix64(seed: seed &+ 130_000)
        let all: [Ending] = [.failure, .fallback, .delayed, .timeout, .success, .success, .success]
        let endings = kinds.indices.map { node -> Ending in
            let ending = all.randomElement(using: &third) ?? .success
            let isDisplay = node == milestone || node == initialDisplay
            if ending == .timeout, isCoarse || kinds[node] != .suspended { return .success }
            switch kinds[node] {
            case .suspended: return isDisplay && ending != .delayed ? .success : ending
            // On the main thread it would come back there between the two parts of its time.
            case .computing, .computingOnMain, .suspendedOnMain, .askingOnMain: return isDisplay || ending == .delayed ? .success : ending
            case .straight, .join: return .success
            // It is skipped.
            case .conditionalJoin: return isDisplay || ending != .failure ? .success : .failure
            }
        }
        let options = kinds.enumerated().map { node, kind -> [StepOption] in
            var options: [StepOption] = [.expected(kind == .straight || kind == .conditionalJoin ? .zero : durations[node])]
            if kind == .suspendedOnMain { options.append(.suspends(true)) }
            if kind == .askingOnMain || chance(0.1) && endings[node] != .timeout { options.append(.interactive) }
            // Whoever asks a person leaves the main thread, unless it is said that it does not.
            if kind == .computingOnMain || kind == .computing { options.append(.suspends(false)) }
            let isSkipped = kind == .conditionalJoin && endings[node] == .failure
            if kind == .conditionalJoin || kind != .join && chance(0.2) { options.append(.when { !isSkipped }) }
            if kind != .join, chance(contention) { options.append(.exclusive("ui")) }
            if kind != .join, chance(contention) { options.append(.exclusive("database")) }
            if chance(0.1) { options.append(.timeout(.seconds(3_600))) }
            if chance(0.1) { options.append(.retry(attempts: 3)) }
            if chance(0.1) { options.append(.onFailure(.continue)) }
            if chance(0.1) { options.append(.qualityOfService(.utility)) }
            let isDeferrable = node != milestone && chance(0.1)
            if node == milestone { options.append(.milestone) }
            if node == initialDisplay { options.append(.initialDisplay) }
            if isDeferrable, node != initialDisplay { options.append(.deferrable) }
            guard kind != .join, kind != .conditionalJoin, [.failure, .fallback, .timeout].contains(endings[node]) else { return options }
            let isReplaced = endings[node] == .fallback
            options.append(StepOption { $0.retry = nil })
            if endings[node] == .timeout, node != instant { options.append(.timeout(durations[node])) }
            if !isReplaced { options.append(.onFailure(.continue)) }
            // The last of two counts.
            return [.layers(options)]
        }
        self.seed = seed
        self.durations = kinds.indices.map { [.straight, .join, .conditionalJoin].contains(kinds[$0]) ? .zero : durations[$0] }
        lanes = [nil, 1, 2, 3, 8, 100].randomElement(using: &generator) ?? nil
        processors = chance(0.4) ? Int.random(in: 1...3, using: &generator) : nil
        var graph = random.graph(
            options: { options[$0] },
            work: { [durations] node in
                let duration: Duration =
                    switch endings[node] {
                    case .delayed: Self.rest(of: durations[node])
                    case .timeout: node == instant ? .zero : durations[node] + .seconds(60)
                    case .success, .failure, .fallback: durations[node]
                    }
                let fails = [.failure, .fallback].contains(endings[node])
                let end: @Sendable () throws -> Void = { if fails { throw Failure() } }
                return switch kinds[node] {
                case .suspended:
                    .asynchronous { step in
                        try await step.sleep(for: duration)
                        return try end()
                    }
                case .computing:
                    .asynchronous { step in
                        try await step.compute(for: duration)
                        return try end()
                    }
                case .straight: .synchronous { _ in }
                case .suspendedOnMain, .askingOnMain:
                    .main { step in
                        try await step.sleep(for: duration)
                        return try end()
                    }
                case .computingOnMain:
                    .main { step in
                        try await step.compute(for: duration)
                        return try end()
                    }
                case .join, .conditionalJoin: .nothing
                }
            }
        )
        for node in kinds.indices where endings[node] == .fallback && kinds[node] != .join && kinds[node] != .conditionalJoin {
            var policy = graph.nodes[node].policy?.value ?? StepPolicy()
            policy.fallback = .value(())
            graph.nodes[node].set(policy)
        }
        graph.limit("database", to: Int.random(in: 1...3, using: &third))
        for node in kinds.indices where endings[node] == .delayed && durations[node] > .zero {
            // Never throws: it is there.
            try? graph.inject(.delay(durations[node] - Self.rest(of: durations[node])), into: random.id(node))
        }
        self.graph = graph
    }

    /// What is left when a fault has taken its part, in whole nanoseconds.
    private static func rest(of duration: Duration) -> Duration { .nanoseconds(duration.nanoseconds / 2) }

    /// The launch in virtual time.
    func run() async throws -> LaunchReport {
        var options = LaunchOptions.virtual(lanes: lanes, deadline: .seconds(3_600))
        // Other tests may keep the main thread for more than a minute; none of these steps waits for anything but the clock.
        options.clock = VirtualClock(patience: .seconds(3_600))
        options.processors = processors
        return try await graph.run(budget: Budget(.seconds(3), isEnforced: false), options: options).report
    }

    /// Where the launch is not as planned.
    func differences() async throws -> [String] {
        var options = PlanOptions(lanes: lanes)
        options.processors = processors
        let (plan, report) = (try await graph.plan(options), try await run())
        // A step that has timed out is told to cancel, and comes to its own end then.
        let anomalies = report.anomalies.filter { $0.kind != .endedLate || report[$0.operation ?? ""]?.outcome != .timedOut }
        var differences = anomalies.map { "\($0)" }
        if report.outcome != .completed { differences.append("\(report.outcome)") }
        for (planned, operation) in zip(plan.operations, report.operations) {
            if (planned.start, planned.end, planned.lane) == (operation.start, operation.end, operation.lane) { continue }
            // It was asked whether it is wanted, and never started.
            if operation.outcome == .skipped, planned.end == operation.end { continue }
            let times = [planned, operation].map { "\($0.start ?? .zero) to \($0.end) on \($0.lane ?? 0)" }
            differences.append("\(planned.id): \(times[0]) planned, \(times[1])")
        }
        if report.makespan != plan.makespan { differences.append("the launch takes \(report.makespan), by its plan \(plan.makespan)") }
        return differences
    }
}
