import Sequencer

/// The paths through a launch that has run, by measured durations: what made it as long as it was, and what shortening an operation would gain.
///
/// It has what a report knows: waits for lanes, resources and the main thread are not on any path.
struct MeasuredPaths {
    let operations: [OperationReport]
    private let paths: LongestPaths
    private let durations: [Duration]
    /// Where the longest path ends: with the milestone where that was reached; nil for the end of the launch.
    private let last: Int?
    /// The length of the longest path.
    let length: Duration

    /// - Complexity: O(operations + dependencies).
    init(_ report: LaunchReport) {
        operations = report.operations
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        paths = LongestPaths(report.operations.map { operation in operation.dependencies.compactMap { places[$0] } })
        // What was put off held nothing up, whatever waits for it.
        durations = report.operations.map { $0.isDeferred ? .zero : $0.duration }
        let endsWithMilestone = report.isMilestoneReached || report.operations.contains(where: \.isDeferred)
        last = endsWithMilestone ? report.criticalPath.last.flatMap { places[$0] } : nil
        length = paths.length(durations, to: last)
    }

    /// How much shorter the longest path would be if this operation took no time.
    ///
    /// - Complexity: O(operations + dependencies).
    func gain(_ index: Int) -> Duration {
        guard durations[index] > .zero, operations[index].slack == .zero else { return .zero }
        var without = durations
        without[index] = .zero
        return length - paths.length(without, to: last)
    }

    /// The operations that made the last of the critical path end when it did: from each, back to the dependency that ended last. First comes the
    /// one that began the launch.
    func chain(endingWith last: Int) -> [Int] {
        var chain = [last]
        while let next = paths.predecessors[chain[chain.count - 1]].filter({ !operations[$0].isDeferred }).max(by: {
            operations[$0].end < operations[$1].end
        }) {
            chain.append(next)
        }
        return chain.reversed()
    }
}
