import Sequencer
import SequencerAnalysis

/// An operation whose own time changed beyond doubt. Operations overlap: these changes do not add up to the launch's.
struct OperationChange: Equatable, Sendable {
    let id: String
    /// The medians, in nanoseconds; nil where it never started.
    let before: Double?
    let after: Double?
    /// Whether it was on the critical path of most runs, before or after.
    let isCritical: Bool
    /// How probable such a difference is without a change; nil where there is nothing to compare, and in virtual time.
    var p: Double?
    /// The same for any difference among as many operations as there are.
    var adjustedP: Double?
    /// How much of the launch's change would be gone without this one, in nanoseconds; nil where the benches do not say
    /// which operations wait for which.
    var accountsFor: Double?

    var difference: Double { (after ?? 0) - (before ?? 0) }

    /// On the critical path first: only there does a change matter to the launch. Then the largest.
    fileprivate var rank: (Int, Double, String) { (isCritical ? 0 : 1, -abs(difference), id) }
}

/// Other operations than before made the launch as long as it was.
struct CriticalPathMove: Equatable, Sendable {
    /// The operations that did so only before, in their order.
    let from: [String]
    /// The operations that do so only now.
    let to: [String]
}

/// The operations that caused the change of a launch.
///
/// An operation is named when its change is large enough to matter to the launch (``leastShare``), and chance does not
/// explain it: its p, times the number of operations that could have changed, is below ``SampleChange/significance``.
/// So of a hundred comparisons without a change at most one names an operation, however many there are.
struct OperationBlame: Sendable {
    /// An operation that changed by less than this share of the launch is not worth a line.
    static let leastShare = 0.01
    /// Of so many operations it is found out, at the most, whether they changed: those that changed most. Their p
    /// counts all of them.
    private static let limit = 50

    let changes: [OperationChange]
    let criticalPathMove: CriticalPathMove?

    /// - Parameter allowance: by how much the machine alone may have changed an operation, as a share.
    init(_ before: BenchSummary, _ after: BenchSummary, clock: ClockMode, allowance: Double, inTurns: Bool) {
        let launch = before.sample?.median ?? 0
        let (first, second) = (before.samples, after.samples)
        // Paths to different ends have nothing to tell of each other.
        let isOneEnd = before.scenario.milestone == after.scenario.milestone
        let paths = (isOneEnd ? BenchPaths(before.scenario, first) : nil).flatMap { paths in
            BenchPaths(after.scenario, second).map { (before: paths, after: $0) }
        }
        // Critical before or after: an operation that is new, or gone, was so on one side only.
        let critical = Set((before.operations + after.operations).filter(\.isCritical).map(\.id))
        let all = Set(first.keys).union(second.keys).map { id in
            OperationChange(id: id, before: first[id]?.median, after: second[id]?.median, isCritical: critical.contains(id))
        }
        // The machine alone may have changed all of them by so much.
        func isLarge(_ change: OperationChange) -> Bool {
            let least = max(launch * Self.leastShare, (change.before ?? 0) * allowance)
            return change.difference != 0 && abs(change.difference) >= least
        }
        // Every operation counts that could have been found to differ, not only the tested ones: otherwise the choice
        // of the largest would be free.
        let comparable = Double(all.count { $0.before != nil && $0.after != nil })
        changes = all.filter(isLarge).sorted { $0.rank < $1.rank }.prefix(Self.limit).compactMap { change in
            var change = change
            // Nothing is due to chance in virtual time, and where one side never started an operation.
            if clock == .wall, let first = first[change.id], let second = second[change.id] {
                let pairs = inTurns ? PairedComparison(of: change.id, before.scenario, after.scenario) : nil
                let p = pairs?.p ?? first.mannWhitney(second).p
                if p * comparable >= SampleChange.significance { return nil }
                (change.p, change.adjustedP) = (p, p * comparable)
            }
            change.accountsFor = paths.map { Self.share(of: change, $0.before, $0.after) }
            return change
        }
        criticalPathMove = paths.flatMap { Self.move($0.before, $0.after, atLeast: launch * Self.leastShare) }
    }

    /// The time that the launch would be shorter by, had the operation not changed; for one that is gone, minus the
    /// time that it cost before.
    private static func share(of change: OperationChange, _ before: BenchPaths, _ after: BenchPaths) -> Double {
        // The change is undone on the side that has the operation: the time that it added, or took before.
        change.after == nil ? -before.difference(if: change.id, took: 0) : after.difference(if: change.id, took: change.before ?? 0)
    }

    /// The path is another one only if each was the longer one of the two by enough to matter.
    private static func move(_ before: BenchPaths, _ after: BenchPaths, atLeast least: Double) -> CriticalPathMove? {
        let (first, second) = (before.critical, after.critical)
        let (steps, others) = (Set(first), Set(second))
        let move = CriticalPathMove(from: first.filter { !others.contains($0) }, to: second.filter { !steps.contains($0) })
        // Both directions have names, or the path has only become longer or shorter.
        if move.from.isEmpty || move.to.isEmpty { return nil }
        // Both paths exist on both sides. Were only one side looked at, two paths of nearly equal length would change
        // places by chance.
        let isLonger = before.time(of: first) - before.time(of: second) >= least && after.time(of: second) - after.time(of: first) >= least
        return isLonger ? move : nil
    }
}

/// The paths to the end of a launch whose operations take their usual times.
///
/// The critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959).
private struct BenchPaths {
    private let graph: ValidatedGraph
    private let last: Int?
    private let durations: [Duration]

    /// - Parameter samples: the durations of the operations, in nanoseconds; 0 for missing ones.
    /// - Returns: nil if the bench does not contain the dependencies, or has a circle of them, as a damaged file may.
    init?(_ scenario: BenchedScenario, _ samples: [String: SortedSample]) {
        let ids = Set(scenario.operations.map(\.id))
        var steps = OperationGraph("paths")
        for operation in scenario.operations {
            // A bench that does not know them all would show paths that never were.
            guard let dependencies = operation.dependencies else { return nil }
            steps.join(operation.id, after: Set(dependencies).intersection(ids).sorted())
        }
        guard let graph = try? steps.validated() else { return nil }
        // An operation that most runs put off held up nothing.
        durations = scenario.operations.map { operation in
            let isPutOff = (operation.outcomes?.deferrals ?? 0) * 2 > scenario.runs.count
            return isPutOff ? .zero : Duration.nearest(nanoseconds: samples[operation.id]?.median ?? 0)
        }
        (self.graph, last) = (graph, scenario.milestone.flatMap { graph.position(of: $0) })
    }

    private func longest(with change: (node: Int, duration: Duration)? = nil) -> CriticalPath {
        CriticalPath(of: graph, endingWith: last) { ($0 == change?.node ? change?.duration ?? .zero : durations[$0]).nanoseconds }
    }

    /// How much longer the launch is, in nanoseconds, than if this operation took `time` instead.
    func difference(if id: String, took time: Double) -> Double {
        // An operation that this side lacks makes no difference to its length.
        guard let place = graph.position(of: id) else { return 0 }
        return Double(longest().length - longest(with: (place, .nearest(nanoseconds: time))).length)
    }

    /// The operations that made the launch as long as it was, in their order.
    var critical: [String] { longest().path.map(graph.id) }

    /// The time that these operations take one after the other, in nanoseconds; an operation that is not there takes
    /// none.
    func time(of path: [String]) -> Double {
        path.reduce(0) { sum, id in sum + (graph.position(of: id).map { Double(durations[$0].nanoseconds) } ?? 0) }
    }
}
