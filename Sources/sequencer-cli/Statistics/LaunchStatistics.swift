import Sequencer
import SequencerAnalysis

/// The outcomes and times of many launches, by scenario, version of the app and, where that is wanted, an attribute, in
/// a memory that does not grow with their number.
struct LaunchStatistics: Sendable {
    /// The key of a group of launches.
    struct Key: Hashable, Sendable {
        var scenario: String
        /// Nil if the launch has none.
        var version: String?
        /// The value of the attribute; nil if the launch has none, or no attribute was asked for.
        var attribute: String?

        /// The sort order of keys. A missing version comes before an empty one.
        fileprivate var order: (String, String, String) {
            (scenario, version.map { "=" + $0 } ?? "", attribute.map { "=" + $0 } ?? "")
        }
    }

    /// The most groups; launches of further scenarios, versions and values form one group, ``other``.
    static let groupLimit = 500
    /// The most operations told apart in each group, and the most that crashed.
    static let operationLimit = 100
    /// With fewer launches, each moves a rate by more than 5 points: they are counted instead.
    static let leastForRate = 20

    /// A share of launches; nil with too few of them.
    static func rate(_ count: Int, of launches: Int) -> Double? {
        launches < leastForRate ? nil : Double(count) / Double(launches)
    }

    /// The name of the group, and of the operation, for all further ones.
    static let other = "(other)"

    private var groups: [Key: LaunchGroup] = [:]
    /// Not among the groups: a real scenario may have its name.
    private var others = LaunchGroup(Key(scenario: other))
    /// All groups as one.
    private(set) var total = LaunchGroup(Key(scenario: "all"))

    /// Takes one launch into account.
    mutating func add(_ line: LaunchLine) {
        let key = Key(scenario: line.scenario, version: line.version, attribute: line.attribute)
        total.add(line)
        if groups[key] != nil || groups.count < Self.groupLimit {
            groups[key, default: LaunchGroup(key)].add(line)
        } else {
            others.add(line)
        }
    }

    /// In the order of their names; the group of all further ones comes last.
    var sortedGroups: [LaunchGroup] {
        groups.values.sorted { $0.key.order < $1.key.order } + (others.launches > 0 ? [others] : [])
    }
}

/// The launches of one scenario, one version and one value of the attribute.
struct LaunchGroup: Sendable {
    /// How an operation ended, and its times in milliseconds, in the launches in which it started.
    struct Operation: Sendable {
        var times = QuantileSketch()
        var outcomes = OutcomeCounts()

        /// The launches that say how it ended.
        var launches: Int { outcomes.total }

        fileprivate mutating func add(_ operation: LaunchLine.Operation) {
            if let milliseconds = operation.milliseconds { times.insert(milliseconds) }
            if let outcome = operation.outcome { outcomes.add(outcome) }
        }

        fileprivate var shareOfSuccesses: Double { Double(outcomes[.succeeded]) / Double(max(launches, 1)) }
    }

    let key: LaunchStatistics.Key
    /// The measured times in milliseconds, by outcome: the time of a failed launch says nothing about a completed one.
    private var times: [LaunchOutcome: QuantileSketch] = [:]
    /// The times to the initial display in milliseconds, of the reports that have one, however they ended.
    private(set) var displays = QuantileSketch()
    /// All reports, and those that missed a budget that they had.
    private(set) var verdicts = BudgetVerdicts()
    /// The verdicts on the initial display, of the reports that have one.
    private(set) var displayVerdicts = BudgetVerdicts()
    private(set) var crashes = 0
    private var doubts: [LaunchLine.Doubt: Int] = [:]
    private var counts: [LaunchOutcome: Int] = [:]
    /// How often each operation was the one that ran when a launch crashed.
    private var crashesByOperation: [String: Int] = [:]
    /// Empty where nobody asked for them.
    private var operations: [String: Operation] = [:]

    init(_ key: LaunchStatistics.Key) { self.key = key }

    var launches: Int { counts.values.reduce(0, +) + crashes }

    /// The measured times of each outcome that there was.
    var outcomes: [(outcome: LaunchOutcome, times: QuantileSketch)] {
        LaunchOutcome.allCases.compactMap { outcome in times[outcome].map { (outcome, $0) } }
    }

    func count(of outcome: LaunchOutcome) -> Int { counts[outcome] ?? 0 }

    /// How many launches have times with this doubt.
    func count(of doubt: LaunchLine.Doubt) -> Int { doubts[doubt] ?? 0 }

    /// The operation with the most crashes first.
    var sortedCrashes: [(operation: String, count: Int)] {
        // Of two equal counts the name decides: the order of a dictionary is another one in each process.
        crashesByOperation.map { ($0.key, $0.value) }.sorted { ($0.1, $1.0) > ($1.1, $0.0) }
    }

    /// The operations with times, the one with the longest median first.
    var slowest: [(name: String, operation: Operation)] {
        let medians = operations.compactMap { name, operation in
            operation.times.percentile(50).map { (name, operation, $0) }
        }
        return medians.sorted { ($1.2, $0.0) < ($0.2, $1.0) }.map { ($0.0, $0.1) }
    }

    /// The operations with outcomes, the one that succeeded least often first.
    var leastSuccessful: [(name: String, operation: Operation)] {
        let ended = operations.filter { $0.value.launches > 0 }.map { ($0.key, $0.value) }
        return ended.sorted { ($0.1.shareOfSuccesses, $0.0) < ($1.1.shareOfSuccesses, $1.0) }
    }

    mutating func add(_ line: LaunchLine) {
        for doubt in line.doubts { doubts[doubt, default: 0] += 1 }
        switch line.end {
        case .report(let outcome, let measured, let isMet, let display, let isDisplayMet):
            counts[outcome, default: 0] += 1
            let isUnknown = line.doubts.contains(.unknown)
            if line.doubts.isDisjoint(with: [.unknown, .missedMilestone]) {
                times[outcome, default: QuantileSketch()].insert(measured)
            }
            // A miss is known even if the times are not.
            if !isUnknown || !isMet { verdicts.add(isMet) }
            if let display { displays.insert(display) }
            if let isDisplayMet { displayVerdicts.add(isDisplayMet) }
        case .crash(let operation):
            crashes += 1
            if let operation { crashesByOperation[Self.place(of: operation, in: crashesByOperation), default: 0] += 1 }
        }
        for operation in line.operations {
            operations[Self.place(of: operation.id, in: operations), default: Operation()].add(operation)
        }
    }

    /// The name under which an operation's figures are kept: a known one continues under its own, a new one needs room.
    private static func place(of operation: String, in known: [String: some Any]) -> String {
        known[operation] != nil || known.count < LaunchStatistics.operationLimit ? operation : LaunchStatistics.other
    }
}

/// How many launches missed a budget, of those that have a verdict on it.
struct BudgetVerdicts: Sendable {
    private(set) var launches = 0
    private(set) var misses = 0

    /// The share of misses; nil with too few launches for one.
    var rate: Double? { LaunchStatistics.rate(misses, of: launches) }

    /// The rate of misses that the true one is below with 95% confidence; nil without a launch.
    var bound: Double? { launches == 0 ? nil : rateBound(misses: misses, trials: launches) }

    mutating func add(_ isMet: Bool) {
        launches += 1
        misses += isMet ? 0 : 1
    }
}
