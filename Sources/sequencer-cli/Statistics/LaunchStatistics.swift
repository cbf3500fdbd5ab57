import Foundation
import Sequencer
import SequencerAnalysis

/// The outcomes and times of many launches, by scenario, version of the app and, where that is wanted, an attribute, in a memory that does not grow with their number.
struct LaunchStatistics: Sendable {
    /// The key of a group of launches.
    struct Key: Hashable, Sendable {
        var scenario: String
        /// Nil if the launch has none.
        var version: String?
        /// The value of the attribute; nil if the launch has none, or no attribute was asked for.
        var attribute: String?

        /// The sort order of keys. A missing version comes before an empty one.
        fileprivate var order: (String, Int, String, Int, String) {
            (scenario, version == nil ? 0 : 1, version ?? "", attribute == nil ? 0 : 1, attribute ?? "")
        }
    }

    /// The most groups; launches of further scenarios, versions and values form one group, ``other``.
    static let groupLimit = 500
    /// So many operations are told apart in each group, and so many that crashed.
    static let operationLimit = 100
    /// The name of the group, and of the operation, for all further ones.
    static let other = "(other)"

    private(set) var groups: [LaunchGroup] = []
    private var places: [Key: Int] = [:]
    /// The place of the group of all further ones; nil before the first of them.
    private var otherPlace: Int?

    init() {}

    /// Takes one launch into account.
    mutating func add(_ line: LaunchLine) {
        let place = place(of: Key(scenario: line.scenario, version: line.version, attribute: line.attribute))
        groups[place].add(line.end)
        for operation in line.operations { groups[place].add(operation) }
    }

    /// Takes the launches of other statistics into account.
    mutating func merge(_ other: LaunchStatistics) {
        for group in other.groups { update(group.key, isOther: group.isOther) { $0.merge(group) } }
    }

    /// Changes the group of a key, and adds the group first if it is missing.
    ///
    /// - Parameter isOther: whether it is the group of all further ones.
    mutating func update(_ key: Key, isOther: Bool, _ change: (inout LaunchGroup) -> Void) {
        let place = isOther ? placeOfOther() : place(of: key)
        change(&groups[place])
    }

    /// In the order of their names; the group of all further ones comes last.
    var sortedGroups: [LaunchGroup] {
        groups.sorted { left, right in
            // By the flag: the name of the group sorts before letters.
            if left.isOther != right.isOther { return right.isOther }
            return left.key.order < right.key.order
        }
    }

    /// All groups as one.
    var total: LaunchGroup {
        groups.reduce(into: LaunchGroup(Key(scenario: "all", version: nil), isOther: false)) { $0.merge($1) }
    }

    private mutating func place(of key: Key) -> Int {
        if let place = places[key] { return place }
        if places.count >= Self.groupLimit { return placeOfOther() }
        groups.append(LaunchGroup(key, isOther: false))
        places[key] = groups.count - 1
        return groups.count - 1
    }

    /// A real scenario may have the name of this group, so the group is found by its place.
    private mutating func placeOfOther() -> Int {
        // Made when the first one needs it: a file of few scenarios does not list it.
        let place = otherPlace ?? groups.count
        if otherPlace == nil { groups.append(LaunchGroup(Key(scenario: Self.other, version: nil), isOther: true)) }
        otherPlace = place
        return place
    }
}

/// The launches of one scenario, one version and one value of the attribute.
struct LaunchGroup: Sendable {
    let key: LaunchStatistics.Key
    /// Whether it is made of all that is not told apart.
    let isOther: Bool
    /// The measured times in milliseconds, by outcome.
    private(set) var times: [LaunchOutcome: QuantileSketch] = [:]
    /// The times to the initial display in milliseconds, of the reports that have one, however they ended.
    private(set) var displays = QuantileSketch()
    /// The verdicts on the initial display, of the reports that have one.
    private(set) var displayVerdicts = BudgetVerdicts()
    /// The reports that missed a budget that they had.
    private(set) var misses = 0
    private(set) var crashes = 0
    /// How often each operation was the one that ran when a launch crashed.
    private(set) var crashesByOperation: [String: Int] = [:]
    /// The times of each operation in milliseconds, in the launches in which it started; empty where nobody asked for them.
    private(set) var operations: [String: QuantileSketch] = [:]
    /// How each operation ended, in the launches that had it; empty where nobody asked for them.
    private(set) var outcomes: [String: OutcomeCounts] = [:]

    init(_ key: LaunchStatistics.Key, isOther: Bool) {
        self.key = key
        self.isOther = isOther
    }

    /// The launches that left a report.
    var reports: Int { times.values.reduce(0) { $0 + $1.count } }
    var launches: Int { reports + crashes }

    func count(of outcome: LaunchOutcome) -> Int {
        times[outcome]?.count ?? 0
    }

    /// The share of an outcome in all launches, those that crashed included; nil without a launch.
    func rate(of outcome: LaunchOutcome) -> Double? {
        launches > 0 ? Double(count(of: outcome)) / Double(launches) : nil
    }

    var crashRate: Double? { launches > 0 ? Double(crashes) / Double(launches) : nil }

    /// Those of the launches that left a report: a launch that crashed has none.
    var verdicts: BudgetVerdicts { BudgetVerdicts(launches: reports, misses: misses) }

    /// The operation with the most crashes first.
    var sortedCrashes: [(operation: String, count: Int)] {
        // Of two equal counts the name decides: the order of a dictionary is another one in each process.
        crashesByOperation.map { ($0.key, $0.value) }.sorted { ($0.1, $1.0) > ($1.1, $0.0) }
    }

    mutating func add(_ end: LaunchLine.End) {
        switch end {
        case .report(let outcome, let measured, let isMet, let display, let isDisplayMet):
            // By outcome, since the time of a failed launch says nothing about one that completed.
            times[outcome, default: QuantileSketch()].insert(measured)
            if let display { displays.insert(display) }
            if !isMet { misses += 1 }
            if let isDisplayMet { displayVerdicts.add(BudgetVerdicts(launches: 1, misses: isDisplayMet ? 0 : 1)) }
        case .crash(let operation):
            add(crashes: 1, of: operation)
        }
    }

    mutating func add(_ operation: LaunchLine.Operation) {
        if let milliseconds = operation.milliseconds {
            operations[place(of: operation.id, in: operations), default: QuantileSketch()].insert(milliseconds)
        }
        if let outcome = operation.outcome { outcomes[place(of: operation.id, in: outcomes), default: OutcomeCounts()].add(outcome) }
    }

    /// Adds launches with this outcome, by the sketch of their times.
    mutating func add(_ times: QuantileSketch, of outcome: LaunchOutcome) {
        self.times[outcome, default: QuantileSketch()].merge(times)
    }

    mutating func add(displays: QuantileSketch) { self.displays.merge(displays) }
    mutating func add(displayVerdicts: BudgetVerdicts) { self.displayVerdicts.add(displayVerdicts) }
    mutating func add(misses: Int) { self.misses += misses }

    /// - Parameter operation: nil where nobody knows it.
    mutating func add(crashes: Int, of operation: String?) {
        self.crashes += crashes
        if let operation { add(crashes, crashesOf: operation) }
    }

    mutating func merge(_ other: LaunchGroup) {
        for (outcome, sketch) in other.times { times[outcome, default: QuantileSketch()].merge(sketch) }
        displays.merge(other.displays)
        displayVerdicts.add(other.displayVerdicts)
        misses += other.misses
        crashes += other.crashes
        // In an order of its own: where there are too many, the same ones are told apart each time.
        for (operation, count) in other.crashesByOperation.sorted(by: { $0.key < $1.key }) { add(count, crashesOf: operation) }
        for (operation, sketch) in other.operations.sorted(by: { $0.key < $1.key }) {
            operations[place(of: operation, in: operations), default: QuantileSketch()].merge(sketch)
        }
        for (operation, counts) in other.outcomes.sorted(by: { $0.key < $1.key }) {
            outcomes[place(of: operation, in: outcomes), default: OutcomeCounts()].merge(counts)
        }
    }

    /// The name under which an operation's figures are kept.
    private func place(of operation: String, in known: [String: some Any]) -> String {
        known[operation] != nil || known.count < LaunchStatistics.operationLimit ? operation : LaunchStatistics.other
    }

    private mutating func add(_ count: Int, crashesOf operation: String) {
        // A known operation goes on being counted under its own name; a new one needs room.
        let isKnown = crashesByOperation[operation] != nil || crashesByOperation.count < LaunchStatistics.operationLimit
        crashesByOperation[isKnown ? operation : LaunchStatistics.other, default: 0] += count
    }
}

/// How many launches missed a budget, of those that have a verdict on it.
struct BudgetVerdicts: Sendable {
    var launches = 0
    var misses = 0

    /// The share of misses; nil without a launch.
    var rate: Double? { launches > 0 ? Double(misses) / Double(launches) : nil }

    /// The rate of misses that the true one is below with 95% confidence.
    var bound: Double { BinomialBound.upper(misses: misses, trials: launches) }

    mutating func add(_ other: BudgetVerdicts) {
        launches += other.launches
        misses += other.misses
    }
}

/// The launch of one line.
struct LaunchLine: Equatable, Sendable {
    enum End: Equatable, Sendable {
        /// It left a report.
        ///
        /// - measured: what the budget counts, in milliseconds.
        /// - isMet: whether it kept all of its budgets.
        /// - display: the time to the initial display, which counts likewise; nil without one.
        /// - isDisplayMet: whether that was within its own budget; nil where nobody can say.
        case report(LaunchOutcome, measured: Double, isMet: Bool, display: Double? = nil, isDisplayMet: Bool? = nil)
        /// The process ended in the middle of it, while this operation ran.
        case crash(operation: String?)
    }

    struct Operation: Equatable, Sendable {
        var id: String
        /// Nil for one that never started.
        var milliseconds: Double?
        /// Nil where the report does not say.
        var outcome: Outcome?
    }

    var scenario: String
    var version: String?
    var end: End
    /// Empty where nobody asked for them.
    var operations: [Operation] = []
    /// The value of the attribute that was asked for.
    var attribute: String?
}

/// How a launch ended, without the details.
enum LaunchOutcome: String, CaseIterable, Sendable {
    case completed, aborted, failed, cancelled

    init(_ outcome: LaunchReport.Outcome) {
        switch outcome {
        case .completed: self = .completed
        case .aborted: self = .aborted
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}
