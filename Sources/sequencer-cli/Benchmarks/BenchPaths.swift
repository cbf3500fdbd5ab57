import Sequencer

/// The paths to the end of a launch whose operations take their usual times. Waits for lanes, resources and the main thread are not on
/// any path.
struct BenchPaths {
    private let ids: [String]
    private let places: [String: Int]
    private let paths: LongestPaths
    private let durations: [Duration]
    /// The milestone; nil where the whole launch counts.
    private let last: Int?

    /// - Parameter times: the durations of the operations, in nanoseconds; 0 for missing ones.
    /// - Returns: nil if the bench does not contain the dependencies.
    init?(_ scenario: BenchedScenario, _ times: [String: Double]) {
        let operations = scenario.operations
        // A bench that does not know them all would show paths that never were.
        guard operations.allSatisfy({ $0.dependencies != nil }) else { return nil }
        ids = operations.map(\.id)
        let places = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        self.places = places
        paths = LongestPaths(operations.map { ($0.dependencies ?? []).compactMap { places[$0] } })
        durations = ids.map { Duration.nearest(nanoseconds: times[$0] ?? 0) }
        last = scenario.milestone.flatMap { places[$0] }
    }

    /// How much longer the launch is, in nanoseconds, than if this operation took `time` instead.
    func difference(if id: String, took time: Double) -> Double {
        // An operation that this side lacks makes no difference to its length.
        guard let place = places[id] else { return 0 }
        var others = durations
        others[place] = .nearest(nanoseconds: time)
        return Double((paths.length(durations, to: last) - paths.length(others, to: last)).nanoseconds)
    }

    /// The operations that made the launch as long as it was, in their order.
    var critical: [String] { paths.path(durations, to: last).map { ids[$0] } }

    /// The time that these operations take one after the other, in nanoseconds; an operation that is not there takes none.
    func time(of path: [String]) -> Double {
        path.reduce(0) { sum, id in sum + (places[id].map { Double(durations[$0].nanoseconds) } ?? 0) }
    }
}
