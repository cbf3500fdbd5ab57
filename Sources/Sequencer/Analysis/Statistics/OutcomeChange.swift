import Sequencer

/// How many runs of an operation ended in each way.
///
/// Its description is a few words, `8 succeeded, 2 fell back`.
package struct OutcomeCounts: Equatable, Sendable {
    private var counts: [Outcome: Int] = [:]
    /// In how many further runs the operation was not there; 0 where nobody counted them.
    package private(set) var absences = 0
    /// In how many runs it was put off until after the milestone, however it ended then.
    package var deferrals = 0

    package init() {}

    package subscript(outcome: Outcome) -> Int { counts[outcome] ?? 0 }

    package mutating func add(_ outcome: Outcome, _ count: Int = 1) {
        // Without an entry for none: equal counts are equal.
        if count > 0 { counts[outcome, default: 0] += count }
    }

    package mutating func add(_ operation: OperationReport) {
        add(operation.outcome)
        if operation.isDeferred { deferrals += 1 }
    }

    /// The same, where the operation was absent from the rest of so many runs.
    fileprivate func among(runs: Int) -> OutcomeCounts {
        var counts = self
        counts.absences = max(runs - total, 0)
        return counts
    }

    /// Without the runs that the operation was absent from.
    package var total: Int { counts.values.reduce(0, +) }

    /// Without those that no run ended in.
    package var all: [(outcome: Outcome, count: Int)] { Outcome.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 } }

    /// The number of runs that ended in each way, then of those without it, and last of those that put it off.
    fileprivate var ways: [Int] { Outcome.allCases.map { self[$0] } + [absences, deferrals] }
}

extension OutcomeCounts: CustomStringConvertible {
    package var description: String {
        let ended = all.map { "\($0.count) \($0.outcome.words)" } + (absences > 0 ? ["\(absences) absent"] : [])
        let late = deferrals > 0 ? ["\(deferrals) of them put off past the milestone"] : []
        return total == 0 ? "absent" : (ended + late).joined(separator: ", ")
    }
}

/// An operation that no longer ends as it did: times before and after are of different work.
package struct OutcomeChange: Equatable, Sendable {
    package let id: String
    package let before: OutcomeCounts
    package let after: OutcomeCounts
    /// Whether chance does not explain it, or all runs before ended in one way, and all after in another.
    package let isCertain: Bool
    /// Whether the operation has only failed, fallen back, been skipped or been absent a little more often than before,
    /// which changes no verdict.
    fileprivate let isLikelyChance: Bool
    /// Whether no run before has the operation.
    package var isNew: Bool { before.total == 0 }
    /// Whether no run after has the operation.
    package var isGone: Bool { after.total == 0 }
    /// Whether it may change a verdict, other than by less work.
    package var counts: Bool { !isGone && !isLikelyChance }

    /// From this probability on, chance is the likely cause of failures that come more often than before: a step that
    /// fails now and then makes five of a hundred comparisons of a launch with itself doubtful.
    private static let likely = 0.1
    /// How a run may end that did not do the work of the operation.
    private static let troubles: [Outcome] = [.fellBack, .failed, .timedOut, .skipped]

    /// The changes of the operations of two benches, in the order of the second, then those that only the first one has, and
    /// that did something there.
    ///
    /// - Complexity: O(operations), and O(runs · log runs) for each whose outcomes differ.
    static func all(from first: LaunchEnds, to second: LaunchEnds) -> [OutcomeChange]? {
        guard let before = first.outcomes, let after = second.outcomes else { return nil }
        let counts = Dictionary(before.map { ($0.id, $0.outcomes) }) { first, _ in first }, ids = Set(after.map(\.id))
        let gone = before.filter { !ids.contains($0.id) && $0.outcomes[.skipped] < $0.outcomes.total }
        return after.compactMap { id, outcomes in
            change(id, from: (counts[id] ?? OutcomeCounts()).among(runs: first.runs), to: outcomes.among(runs: second.runs))
        } + gone.map { OutcomeChange(id: $0.id, before: $0.outcomes, after: OutcomeCounts(), isCertain: true, isLikelyChance: false) }
    }

    /// For people: `config: 10 succeeded, now 10 failed`.
    package func text(arrow: String = ", now ") -> String { "\(printable(id, limit: 60)): \(before)\(arrow)\(after)" }

    private static func change(_ id: String, from before: OutcomeCounts, to after: OutcomeCounts) -> OutcomeChange? {
        // A new operation does not count as a change: its end before is unknown.
        if before.total == 0, troubles.allSatisfy({ $0 == .skipped || after[$0] == 0 }) { return nil }
        let (first, second) = (before.ways, after.ways), (runs, others) = (before.total + before.absences, after.total + after.absences)
        // Compared as products: shares of the same size need not be the same to the last digit.
        let troubles = Outcome.allCases.indices.filter { self.troubles.contains(Outcome.allCases[$0]) }
        let differing = (before.total == 0 ? troubles : Array(first.indices)).filter { first[$0] * others != second[$0] * runs }
        let rising = (troubles + first.indices.suffix(2)).filter { second[$0] * runs > first[$0] * others }
        // However few the runs: all of them before ended in one way, and all of them after in another.
        let isAll = first.allSatisfy { [0, runs].contains($0) } && second.allSatisfy { [0, others].contains($0) } && !differing.isEmpty
        let hasEnough = min(runs, others) >= SampleChange.leastRuns(isAlwaysSame: false)
        // Of runs that did or did not end so, Mann and Whitney's test is Fisher's.
        func sample(_ count: Int, of runs: Int) -> SortedSample? { SortedSample((0..<runs).map { $0 < count ? 1.0 : 0 }) }
        func p(_ way: Int) -> Double {
            guard let before = sample(first[way], of: runs), let after = sample(second[way], of: others) else { return 1 }
            return before.mannWhitney(after).p
        }
        let isCertain = isAll || hasEnough && differing.contains { p($0) < SampleChange.significance }
        if !isCertain, rising.isEmpty { return nil }
        let isLikelyChance = !isCertain && hasEnough && rising.allSatisfy { first[$0] > 0 && p($0) >= likely }
        return OutcomeChange(id: id, before: before, after: after, isCertain: isCertain, isLikelyChance: isLikelyChance)
    }
}

/// The ends behind the times of some launches: how each operation ended in them, and where the launches end.
package struct LaunchEnds: Sendable {
    /// All runs, and those that completed, whose times count.
    let runs: Int, completed: Int
    /// The operation at whose end the times end; nil for the end of the launch.
    let milestone: String?
    /// How each operation ended, in all runs that had it; nil where nobody knows, or not all that makes times comparable,
    /// as in benches of earlier versions.
    fileprivate let outcomes: [(id: String, outcomes: OutcomeCounts)]?
    /// The operations on the way to the milestone whose times are unknown: the times include nothing for them.
    let unknown: [String]

    package init(
        runs: Int,
        completed: Int,
        milestone: String?,
        outcomes: [(id: String, outcomes: OutcomeCounts)]?,
        unknown: [String] = []
    ) {
        (self.runs, self.completed, self.milestone) = (runs, completed, milestone)
        (self.outcomes, self.unknown) = (outcomes, unknown)
    }

    /// How the milestone ended, where most of the runs that count are without it: their times lead nowhere.
    fileprivate var missedMilestone: (id: String, outcomes: OutcomeCounts)? {
        outcomes?.first { $0.id == milestone && ($0.outcomes[.succeeded] + $0.outcomes[.fellBack]) * 2 < completed }
    }
}

/// Why the times of two benches may be times of different work.
package struct EndsChange: Sendable {
    /// The operations that no longer end as they did, or do so more often; empty where a side does not say how its
    /// operations ended.
    package let outcomes: [OutcomeChange]
    /// The side that does not say how its operations ended, and what else makes times comparable: `before` or `after`;
    /// nil where both do.
    package let withoutDetails: String?
    /// The milestones; nil where the times of both end at the same one.
    package let milestones: (before: String?, after: String?)?
    /// How the milestone ended on a side that mostly did not reach it.
    package let missedMilestone: (id: String, isBefore: Bool, outcomes: OutcomeCounts)?
    /// The operations of either side that are in its times, though nobody knows how long they take.
    package let unknown: (before: [String], after: [String])

    /// - Parameter isSimulated: whether work was only simulated, as that of scenario files is in virtual time: of what takes
    ///     no time on either side nobody knows whether it has changed then. A closure was there, and took none.
    package init(from first: LaunchEnds, to second: LaunchEnds, isSimulated: Bool = true) {
        let outcomes = OutcomeChange.all(from: first, to: second)
        self.outcomes = outcomes ?? []
        withoutDetails = first.outcomes == nil ? "before" : second.outcomes == nil ? "after" : nil
        // A bench of an earlier version may have a milestone without saying so.
        let areKnown = outcomes != nil || first.milestone != nil && second.milestone != nil
        milestones = areKnown && first.milestone != second.milestone ? (first.milestone, second.milestone) : nil
        missedMilestone =
            first.missedMilestone.map { ($0.id, true, $0.outcomes) } ?? second.missedMilestone.map { ($0.id, false, $0.outcomes) }
        let common = isSimulated ? [] : Set(first.unknown).intersection(second.unknown)
        unknown = (first.unknown.filter { !common.contains($0) }, second.unknown.filter { !common.contains($0) })
    }

    /// The verdict on the times: a launch that leaves out a part of its work is neither faster nor the same, and times
    /// that end elsewhere are not slower either.
    ///
    /// A removed operation may be the purpose of a change: a launch that is slower or the same keeps its verdict, but
    /// an improvement is one of less work.
    package func verdict(_ times: ChangeVerdict) -> ChangeVerdict {
        let counting = outcomes.filter(\.counts)
        if milestones != nil || counting.contains(where: \.isCertain) { return .changed }
        if missedMilestone != nil || isUnknown(times) { return .inconclusive }
        guard withoutDetails == nil else { return times == .regression ? times : .inconclusive }
        if times == .improved, outcomes.contains(where: \.isGone) { return .changed }
        return counting.isEmpty || times == .regression ? times : .inconclusive
    }

    /// Whether the unknown times may turn this verdict: they could only make their side longer. A time that is unknown
    /// on both sides may or may not have changed; a launch that is slower without it remains so.
    private func isUnknown(_ times: ChangeVerdict) -> Bool {
        !unknown.before.allSatisfy(unknown.after.contains) && times != .improved || !unknown.after.isEmpty && times != .regression
    }

    /// For people: `nobody knows how long config takes after, where it counts as 0 ms`; nil where all is known.
    package var unknownText: String? {
        let after = unknown.after.filter { !unknown.before.contains($0) }, before = unknown.before.filter { !unknown.after.contains($0) }
        let (place, ids) =
            !after.isEmpty ? ("after", after) : !before.isEmpty ? ("before", before) : ("on either side", unknown.after)
        guard !ids.isEmpty else { return nil }
        return UnknownTimes(operations: ids, tellNothing: false).text()
            + " \(place), where \(ids.count == 1 ? "it counts" : "they count") as 0 ms"
    }

    /// For people: `milestone: home, now main`; nil where both are the same.
    package func milestonesText(arrow: String = ", now ") -> String? {
        func name(_ id: String?) -> String { id.map { printable($0, limit: 60) } ?? "none" }
        return milestones.map { "milestone: \(name($0.before))\(arrow)\(name($0.after))" }
    }
}
