import Sequencer

/// How many runs of an operation ended in each way.
///
/// Its description is a few words, `8 succeeded, 2 fell back`.
package struct OutcomeCounts: Equatable, Sendable {
    private var counts: [Outcome: Int] = [:]

    package init() {}

    package subscript(outcome: Outcome) -> Int { counts[outcome] ?? 0 }

    package mutating func add(_ outcome: Outcome, _ count: Int = 1) {
        // Without an entry for none: equal counts are equal.
        if count > 0 { counts[outcome, default: 0] += count }
    }

    package mutating func merge(_ other: OutcomeCounts) {
        for (outcome, count) in other.counts { add(outcome, count) }
    }

    package var total: Int { counts.values.reduce(0, +) }

    /// Without those that no run ended in.
    package var all: [(outcome: Outcome, count: Int)] { Outcome.allCases.map { ($0, self[$0]) }.filter { $0.1 > 0 } }
}

extension OutcomeCounts: CustomStringConvertible {
    package var description: String {
        all.isEmpty ? "absent" : all.map { "\($0.count) \($0.outcome.words)" }.joined(separator: ", ")
    }
}

/// An operation that no longer ends as it did: times before and after are of different work.
///
/// Its description is one line: `config: 10 succeeded, now 10 failed`.
package struct OutcomeChange: Equatable, Sendable {
    package let id: String
    package let before: OutcomeCounts
    package let after: OutcomeCounts
    /// Whether chance does not explain it, or all runs before ended in one way, and all after in another. Where chance may explain it, the
    /// operation has at least ended in a way that it never ended in before.
    package let isCertain: Bool
    /// Whether no run after has the operation.
    package var isGone: Bool { after.total == 0 }

    /// Those of the operations of two benches, in the order of the second, then those that only the first one has, and that did something there.
    ///
    /// - Complexity: O(operations), and O(runs · log runs) for each whose outcomes differ.
    package static func all(
        from first: [(id: String, outcomes: OutcomeCounts)],
        to second: [(id: String, outcomes: OutcomeCounts)]
    ) -> [OutcomeChange] {
        let before = Dictionary(first.map { ($0.id, $0.outcomes) }) { first, _ in first }, ids = Set(second.map(\.id))
        let gone = first.filter { !ids.contains($0.id) && $0.outcomes[.skipped] < $0.outcomes.total }
        return second.compactMap { change($0.id, from: before[$0.id] ?? OutcomeCounts(), to: $0.outcomes) }
            + gone.map { OutcomeChange(id: $0.id, before: $0.outcomes, after: OutcomeCounts(), isCertain: true) }
    }

    private static func change(_ id: String, from before: OutcomeCounts, to after: OutcomeCounts) -> OutcomeChange? {
        // Compared as products: shares of the same size need not be the same to the last digit.
        let differing = Outcome.allCases.filter { before[$0] * after.total != after[$0] * before.total }
        let isNew = [Outcome.fellBack, .failed, .timedOut, .skipped].contains { before[$0] == 0 && after[$0] > 0 }
        let hasEnough = min(before.total, after.total) >= SampleChange.leastRuns(isAlwaysSame: false)
        let isCertain =
            // However few the runs: all of them before ended in one way, and all of them after in another.
            before.all.count == 1 && after.all.count == 1
            ? !differing.isEmpty : hasEnough && differing.contains { p($0, before, after) < SampleChange.significance }
        return isCertain || isNew ? OutcomeChange(id: id, before: before, after: after, isCertain: isCertain) : nil
    }

    /// How probable such a difference of the numbers of one outcome is without a change: of runs that did or did not end so, Mann and Whitney's test is Fisher's.
    private static func p(_ outcome: Outcome, _ before: OutcomeCounts, _ after: OutcomeCounts) -> Double {
        func values(_ counts: OutcomeCounts) -> [Double] {
            Array(repeating: 1, count: counts[outcome]) + Array(repeating: 0, count: counts.total - counts[outcome])
        }
        return MannWhitney(values(before), values(after))?.p ?? 1
    }
}

extension OutcomeChange: CustomStringConvertible {
    package var description: String { "\(printable(id, limit: 60)): \(before), now \(after)" }
}

extension ChangeVerdict {
    /// The verdict on the times, where operations may end otherwise: a launch that leaves out a part of its work is neither faster nor the same.
    ///
    /// One that was removed may be the point of a change: it makes none that is slower or the same, but an improvement is one of less work.
    ///
    /// - Parameter outcomes: nil where one side does not say how its operations ended.
    package func considering(_ outcomes: [OutcomeChange]?) -> ChangeVerdict {
        guard let outcomes else { return self == .regression ? self : .inconclusive }
        let others = outcomes.filter { !$0.isGone }
        if others.contains(where: \.isCertain) { return .changed }
        if self == .improved, others.count < outcomes.count { return .changed }
        return others.isEmpty || self == .regression ? self : .inconclusive
    }
}
