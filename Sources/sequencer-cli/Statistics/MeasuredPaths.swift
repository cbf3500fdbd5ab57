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

    /// By operation, how much shorter the longest path would be if it took no time.
    ///
    /// Only the operations of one longest path gain anything. A path without one of them has one step that goes past
    /// that operation's place in the order: the longest path with such a step is the longest one that remains.
    ///
    /// - Complexity: O(operations + dependencies · log dependencies).
    func gains() -> [Duration] {
        let (longest, isOnWay) = (longest(), last.map(graph.leading) ?? durations.map { _ in true })
        var gains = [Duration](repeating: .zero, count: durations.count)
        var places = gains.indices.map { $0 }
        for (place, node) in graph.order.enumerated() { places[node] = place }
        let onPath = Set(longest.path)
        var bypasses = Heap<Bypass>()
        for node in graph.order where isOnWay[node] && graph.predecessors[node].isEmpty {
            bypasses.push(Bypass(length: longest.remaining[node], end: places[node]))
        }
        for (place, node) in graph.order.enumerated() where isOnWay[node] {
            while let bypass = bypasses.first, bypass.end <= place { _ = bypasses.pop() }
            // Never more than its own duration.
            if onPath.contains(node) { gains[node] = min(durations[node], .nanoseconds(longest.length - (bypasses.first?.length ?? 0))) }
            let end = longest.earliestStart[node].addingSaturated(durations[node].nanoseconds)
            for next in graph.successors[node].lazy.map(\.index) where node != last && isOnWay[next] {
                bypasses.push(Bypass(length: end.addingSaturated(longest.remaining[next]), end: places[next]))
            }
            if last == nil { bypasses.push(Bypass(length: end, end: .max)) }
        }
        return gains
    }

    /// A step that goes past all operations before one, with the length of the longest path with it; the longest comes
    /// first.
    private struct Bypass: Comparable {
        let length: Nanoseconds
        /// The place of the operation that it leads to.
        let end: Int

        static func < (left: Bypass, right: Bypass) -> Bool { left.length > right.length }
    }
}

extension LaunchReport {
    /// The most operations whose gains a page has, where each takes a launch in virtual time.
    private static let maximumRehearsed = 50

    /// By position, how much earlier the launch would have ended without an operation, by the longest path; zero where
    /// it could end later.
    var gainsByPath: [Duration] {
        guard let gains = MeasuredPaths(self)?.gains() else { return operations.map { _ in .zero } }
        return zip(operations, gains).map { $0.slack == .zero ? $1 : .zero }
    }

    /// By position, how much earlier the launch would have ended without an operation, where that is certain: by a
    /// launch in virtual time where something was scarce, for the longest operations; by the longest path otherwise.
    nonisolated(nonsending) func gains() async -> [Int: Duration] {
        let longest = operations.indices.filter { operations[$0].start != nil }.sorted { operations[$0].duration > operations[$1].duration }
        let (byPath, uncertain) = (gainsByPath, uncertainGains)
        let gains =
            await gains(of: longest.prefix(Self.maximumRehearsed)) ?? Dictionary(uniqueKeysWithValues: longest.map { ($0, byPath[$0]) })
        return gains.filter { !uncertain.contains($0.key) && $0.value >= .zero }
    }
}
