/// How long operations took in past launches: the latest ones, a bounded number of each.
///
/// What an operation is expected to take is the median of what is kept, so that a single slow launch changes nothing. Only durations of
/// operations that succeeded are kept: one that failed or was cut off says nothing about how long it takes.
///
/// ```swift
/// var history = LaunchHistory()
/// history.record(report)
/// graph.expect(history)
/// let plan = try graph.plan(PlanOptions(lanes: 2))
/// ```
///
/// ``LaunchHistoryFile`` keeps one on disk.
public struct LaunchHistory: Sendable, Hashable {
    struct Scenario: Sendable, Hashable {
        var name: String
        /// The durations of each operation, the latest last.
        var operations: [String: [Nanoseconds]] = [:]
    }

    /// The most scenarios that are kept; the one that was recorded longest ago is forgotten first.
    static let mostScenarios = 100

    /// The most durations that are kept of an operation, 1 to 1000.
    public let limit: Int
    /// The one that was recorded last comes last.
    private(set) var recorded: [Scenario] = []

    /// An empty history.
    ///
    /// - Parameter limit: the most durations that are kept of an operation; a number outside 1 to 1000 counts as the nearest one inside.
    public init(limit: Int = 20) {
        self.limit = min(max(limit, 1), 1000)
    }

    init(limit: Int, scenarios: [Scenario]) {
        self.init(limit: limit)
        for scenario in scenarios.suffix(Self.mostScenarios) {
            recorded.append(Scenario(name: scenario.name, operations: scenario.operations.mapValues { Array($0.suffix(self.limit)) }))
        }
    }

    /// Whether no launch was recorded.
    public var isEmpty: Bool { recorded.isEmpty }

    /// The scenarios of which launches were recorded, sorted.
    public var scenarios: [String] { recorded.map(\.name).sorted() }

    /// The durations that are kept of an operation, the latest last.
    public func durations(of operation: String, in scenario: String) -> [Duration] {
        (operations(of: scenario)[operation] ?? []).map { .nanoseconds($0) }
    }

    /// How long each operation of a scenario is expected to take: the median of what is kept of it.
    public func expectedDurations(in scenario: String) -> [String: Duration] {
        operations(of: scenario).compactMapValues(Self.median).mapValues { .nanoseconds($0) }
    }

    /// Adds a launch: the durations of the operations that succeeded.
    ///
    /// Operations that the launch's graph does not have any more are forgotten.
    public mutating func record(_ report: LaunchReport) {
        var durations: [String: Duration] = [:]
        for (node, operation) in report.operations.enumerated() where operation.outcome == .succeeded && !report.graph.isJoin(node) {
            durations[operation.id] = operation.duration
        }
        record(durations, in: report.scenario)
        guard let place = recorded.lastIndex(where: { $0.name == report.scenario }) else { return }
        let known = Set(report.graph.identifiers)
        recorded[place].operations = recorded[place].operations.filter { known.contains($0.key) }
    }

    /// Adds durations of a launch, by operation.
    ///
    /// One that is negative or longer than 24 hours counts as the nearest that is not.
    public mutating func record(_ durations: [String: Duration], in scenario: String) {
        var entry = Scenario(name: scenario)
        if let place = recorded.firstIndex(where: { $0.name == scenario }) { entry = recorded.remove(at: place) }
        for (operation, duration) in durations {
            let bounded = min(max(duration, .zero), OperationGraph.longestDuration)
            entry.operations[operation] = Array(((entry.operations[operation] ?? []) + [bounded.nanoseconds]).suffix(limit))
        }
        recorded.append(entry)
        if recorded.count > Self.mostScenarios { recorded.removeFirst() }
    }

    private func operations(of scenario: String) -> [String: [Nanoseconds]] {
        recorded.first { $0.name == scenario }?.operations ?? [:]
    }

    /// The value in the middle; of two, the one in the middle between them.
    private static func median(_ values: [Nanoseconds]) -> Nanoseconds? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let (low, high) = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
        return low + (high - low) / 2
    }
}

extension OperationGraph {
    /// Expects each operation to take as long as it did in past launches of the scenario that has this graph's name; others as before.
    ///
    /// Both plans and launches of this graph then go by these durations.
    public mutating func expect(_ history: LaunchHistory) {
        let expected = history.expectedDurations(in: name)
        guard !expected.isEmpty else { return }
        for index in nodes.indices {
            guard let duration = expected[nodes[index].id] else { continue }
            var policy = nodes[index].policy?.value ?? .standard
            policy.expected = duration
            nodes[index].set(policy)
        }
    }
}
