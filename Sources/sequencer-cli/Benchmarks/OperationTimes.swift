import Sequencer
import SequencerAnalysis

/// The times of a launch's operations in two benches, in nanoseconds.
///
/// These are medians. Where the runs of both benches are of two kinds, they are the medians of either kind, with the
/// weight of its runs in both: a change in the number of runs of a kind changes no operation's time.
struct OperationTimes {
    /// By the identifiers of the operations; those that never started are not there.
    private(set) var before: [String: Double]
    private(set) var after: [String: Double]
    private var parts: [String: [SortedSample.Pair]] = [:]
    private let isByKind: Bool

    init(_ first: BenchSummary, _ second: BenchSummary, clock: ClockMode) {
        // In virtual time runs do not come in kinds: each is the same.
        let kinds = clock == .wall ? first.modes.flatMap { before in second.modes.map { (before: before.lower, after: $0.lower) } } : nil
        // The split lies between the largest of the lower kind and the smallest of the upper one.
        func isLower(_ run: BenchRun, _ lower: SortedSample) -> Bool { Double(run.measured.nanoseconds) <= lower.maximum }
        isByKind = kinds != nil
        // Of all operations; those of both sides are replaced below, by kind.
        before = first.medians
        after = second.medians
        let others = Dictionary(second.scenario.operations.map { ($0.id, $0) }) { first, _ in first }
        // The kind of a run is a matter of the whole launch, so it is the same for all operations of a run.
        let sides = isByKind ? [true, false] : [true]
        for operation in first.scenario.operations {
            guard let other = others[operation.id] else { continue }
            let parts: [SortedSample.Pair] = sides.compactMap { isLowerKind in
                let before = first.scenario.times(of: operation) { run in kinds.map { isLower(run, $0.before) == isLowerKind } ?? true }
                let after = second.scenario.times(of: other) { run in kinds.map { isLower(run, $0.after) == isLowerKind } ?? true }
                return SortedSample(before).flatMap { before in SortedSample(after).map { (before: before, after: $0) } }
            }
            if parts.isEmpty { continue }
            self.parts[operation.id] = parts
            // Weighted by the runs of both sides together: were each side weighted by its own, more slow runs would
            // look like a slow operation.
            let count = Double(parts.reduce(0) { sum, part in sum + part.before.count + part.after.count })
            func mean(_ median: (SortedSample.Pair) -> Double) -> Double {
                parts.reduce(0.0) { sum, part in sum + Double(part.before.count + part.after.count) / count * median(part) }
            }
            before[operation.id] = mean { $0.before.median }
            after[operation.id] = mean { $0.after.median }
        }
    }

    /// How probable such a difference is without a change; nil for an operation that did not run on both sides, in runs
    /// of one kind.
    func p(_ id: String) -> Double? {
        guard let parts = parts[id] else { return nil }
        // Two kinds are two strata, for which van Elteren's test is made; one kind is Mann and Whitney's.
        if isByKind { return SortedSample.p(parts) }
        return parts.first.map { $0.before.mannWhitney($0.after).p }
    }
}

extension BenchSummary {
    /// Of the operations that started in a completed run.
    fileprivate var medians: [String: Double] {
        Dictionary(operations.map { ($0.id, $0.sample.median) }) { first, _ in first }
    }
}
