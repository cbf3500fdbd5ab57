import Sequencer

/// The paths through a launch that has run, by measured durations: what shortening an operation would gain.
///
/// Waits for lanes, resources and the main thread are on no path: where these were scarce, a schedule tells the gain.
struct MeasuredPaths {
    let operations: [OperationReport]
    private let paths: LongestPaths
    private let durations: [Duration]
    /// Where the longest path ends; nil for the end of the launch.
    private let last: Int?

    /// - Complexity: O(operations + dependencies).
    init(_ report: LaunchReport) {
        operations = report.operations
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        paths = LongestPaths(report.operations.map { operation in operation.dependencies.compactMap { places[$0] } })
        // An operation that was put off held nothing up, even if others wait for it.
        durations = report.operations.map { $0.isDeferred ? .zero : $0.duration }
        let endsWithPath = report.isMilestoneReached || report.outcome != .completed
        last = endsWithPath ? report.criticalPath.last.flatMap { places[$0] } : nil
    }

    /// The most operations whose gains a page has, where each takes a launch in virtual time.
    private static let maximumRehearsed = 50

    /// By position, how much earlier a launch would have ended without an operation: by a launch in virtual time where something was scarce, for the longest
    /// operations; by the longest path otherwise.
    static func gains(in report: LaunchReport) async -> [Int: Duration] {
        let longest = report.operations.indices.filter { report.operations[$0].start != nil }
            .sorted { report.operations[$0].duration > report.operations[$1].duration }
        if let gains = await report.gains(of: longest.prefix(maximumRehearsed)) { return gains }
        let gains = MeasuredPaths(report).gains()
        return Dictionary(uniqueKeysWithValues: longest.map { ($0, gains[$0]) })
    }

    /// By operation, how much shorter the longest path would be if it took no time.
    ///
    /// - Complexity: O(operations + dependencies · log dependencies).
    func gains() -> [Duration] {
        zip(operations, paths.gains(durations, to: last)).map { operation, gain in operation.slack == .zero ? gain : .zero }
    }
}
