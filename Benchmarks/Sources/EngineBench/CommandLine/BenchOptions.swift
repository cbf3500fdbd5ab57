/// What was asked for on the command line.
struct BenchOptions: Sendable {
    var sections = Section.allCases
    var families = ShapeFamily.all
    var sizes: [Int]?
    var engines = Engine.all
    /// The names of the contest's launches that are measured; nil for all.
    var launches: [String]?
    /// The launch and the rival that this process runs for the contest.
    var contestant: String?
    var maximumRuns = 1_001
    var isQuick = false
    var isFull = false
    var printsJSON = false
    var save: String?
    var svg: String?
    var cli: String?
    var empty: String?
    var isHelp = false

    /// The sizes of graphs: those that were asked for, or else as many as there is time for.
    var graphSizes: [Int] {
        if let sizes { return sizes }
        let sizes = [10, 100, 1_000, 10_000]
        return isFull ? sizes + [100_000, 1_000_000] : sizes
    }

    /// How long one engine is measured on one graph, in nanoseconds.
    var timeForEach: Double { isQuick ? 60_000_000 : 400_000_000 }
}
