import Sequencer

/// The paths through a launch that has run, by measured durations: what made it as long as it was, and what shortening an operation would gain.
///
/// Waits for lanes, resources and the main thread are on no path; ``chain()`` has them.
struct MeasuredPaths {
    let operations: [OperationReport]
    private let paths: LongestPaths
    private let durations: [Duration]
    /// Where the longest path ends: with the milestone where that was reached; nil for the end of the launch.
    private let last: Int?
    /// The operations that held up others.
    let holdUps: HoldUps
    /// The operation that ended the launch proper; nil if the launch has none.
    private let end: Int?

    /// - Complexity: O(operations + dependencies).
    init(_ report: LaunchReport) {
        operations = report.operations
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        paths = LongestPaths(report.operations.map { operation in operation.dependencies.compactMap { places[$0] } })
        // An operation that was put off held nothing up, even if others wait for it.
        durations = report.operations.map { $0.isDeferred ? .zero : $0.duration }
        // Work that was put off makes a launch end with its milestone as well.
        let endsWithMilestone = report.isMilestoneReached || report.operations.contains(where: \.isDeferred)
        last = endsWithMilestone ? report.criticalPath.last.flatMap { places[$0] } : nil
        holdUps = HoldUps(report)
        let endOfPath = report.criticalPath.last.flatMap { places[$0] }
        let ends = report.operations.map(\.end)
        let latest = ends.indices.max { ends[$0] < ends[$1] }
        // Without a milestone a launch that completed ends with its last operation. That may not be on a longest path: it may have waited for a lane.
        let endsWithPath = endsWithMilestone || report.outcome != .completed
        let isAsLate = endOfPath.map { ends[$0] } == ends.max()
        end = endsWithPath || isAsLate ? endOfPath ?? latest : latest
    }

    /// By operation, how much shorter the longest path would be if it took no time.
    ///
    /// - Complexity: O(operations + dependencies · log dependencies).
    func gains() -> [Duration] {
        zip(operations, paths.gains(durations, to: last)).map { operation, gain in operation.slack == .zero ? gain : .zero }
    }

    /// The operations that made the launch proper end when it did: from the one that ended it, back to the one that held each up or, where nobody did, to the
    /// dependency that ended last. First comes the one that began the launch.
    func chain() -> [Int] {
        guard let end else { return [] }
        // One that was put off was not waited for, though it is a dependency.
        return holdUps.chain(endingWith: end) { node in paths.predecessors[node].filter { !operations[$0].isDeferred } }
    }
}
