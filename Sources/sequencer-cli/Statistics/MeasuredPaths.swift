import Sequencer
import SequencerAnalysis

/// The longest paths through operations whose times are known.
///
/// The critical path method (J. E. Kelley, M. R. Walker, "Critical-Path Planning and Scheduling", 1959).
/// Waits for lanes, resources and the main thread are on no path: where these were scarce, a schedule tells the gain.
struct MeasuredPaths {
    private let graph: ValidatedGraph
    /// Where the longest path ends; nil for the end of the launch.
    private let last: Int?
    private let durations: [Duration]

    /// - Parameters:
    ///   - operations: each with the places of those before it.
    ///   - last: where the longest path ends; nil for the end of the launch.
    /// - Returns: nil for operations in a circle, which a damaged file may hold.
    /// - Complexity: O(operations + dependencies).
    init?(_ operations: [(predecessors: [Int], duration: Duration)], endingWith last: Int?) {
        var paths = OperationGraph("paths")
        // By number: identifiers may come twice.
        for (node, operation) in operations.enumerated() { paths.join("\(node)", after: Set(operation.predecessors).map { "\($0)" }) }
        guard let graph = try? paths.validated() else { return nil }
        (self.graph, self.last, durations) = (graph, last, operations.map(\.duration))
    }

    /// The paths through a launch that has run.
    init?(_ report: LaunchReport) {
        let places = Dictionary(report.operations.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let endsWithPath = report.isMilestoneReached || report.outcome != .completed
        self.init(
            report.operations.map { operation in
                // An operation that was put off held nothing up, even if others wait for it.
                (operation.dependencies.compactMap { places[$0] }, operation.isDeferred ? .zero : operation.duration)
            },
            endingWith: endsWithPath ? report.criticalPath.last.flatMap { places[$0] } : nil
        )
    }

    /// The longest path.
    ///
    /// - Parameter change: an operation whose time is another one.
    func longest(with change: (node: Int, duration: Duration)? = nil) -> CriticalPath {
        CriticalPath(of: graph, endingWith: last) { ($0 == change?.node ? change?.duration ?? .zero : durations[$0]).nanoseconds }
    }
}

extension LaunchReport {
    /// By position, how much earlier the launch would have ended without an operation, by the longest path; zero where
    /// it could end later. Operations of the path are left out where there are too many.
    func gainsByPath(of nodes: some Collection<Int>) -> [Int: Duration] {
        guard let paths = MeasuredPaths(self) else { return [:] }
        // Only the operations of a longest path gain anything, and each takes a pass.
        let usual = paths.longest(), onPath = Set(usual.path)
        var (gains, left) = ([Int: Duration](), max(1_000_000 / max(operations.count, 1), 1))
        for node in nodes {
            if operations[node].slack > .zero || !onPath.contains(node) {
                gains[node] = .zero
            } else if left > 0 {
                left -= 1
                gains[node] = .nanoseconds(usual.length - paths.longest(with: (node, .zero)).length)
            }
        }
        return gains
    }

    /// By position, how much earlier the launch would have ended without an operation, where that is certain: by a
    /// launch in virtual time where something was scarce, by the longest path otherwise.
    nonisolated(nonsending) func gains() async -> [Int: Duration] {
        let longest = operations.indices.filter { operations[$0].start != nil }.sorted { operations[$0].duration > operations[$1].duration }
        let (gains, uncertain) = (await gains(of: longest.prefix(50)) ?? gainsByPath(of: longest), uncertainGains)
        return gains.filter { !uncertain.contains($0.key) && $0.value >= .zero }
    }
}
