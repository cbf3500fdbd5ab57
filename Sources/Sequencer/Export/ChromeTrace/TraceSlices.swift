/// Where and when each operation has its slice in a trace.
///
/// Readers of traces draw slices of one track inside one another when they overlap, drop empty ones, and drop arrows that go back in time. So
/// slices here last a nanosecond or longer, come after what they came after, and share a track only when they do not overlap.
struct TraceSlices {
    struct Slice {
        var track: Int
        var start: Nanoseconds
        var end: Nanoseconds
    }

    /// How much later a slice may begin to find a place on a track that is about to be free, so that many slices without a length need few tracks.
    static let tolerance: Nanoseconds = 1000

    /// All operations, by their start and after what they came after.
    let order: [Int]
    private var slices: [Slice?]
    /// The name of each track; the first is the launch's own.
    private(set) var trackNames = ["launch"]
    /// The numbers of the arrows that end and begin at each operation, from 1.
    private(set) var arrowsIn: [[Int]]
    private(set) var arrowsOut: [[Int]]
    /// The track of what never started.
    private(set) var instants = 0

    subscript(node: Int) -> Slice? { slices[node] }

    init(_ document: ReportDocument) {
        let operations = document.operations
        let dependencies = document.dependencyPositions
        order = Self.order(of: operations, dependencies)
        slices = [Slice?](repeating: nil, count: operations.count)
        arrowsIn = [[Int]](repeating: [], count: operations.count)
        arrowsOut = arrowsIn
        var tracks = Tracks()
        // Tracks come in the order that people look for them.
        if operations.contains(where: { $0.start != nil && $0.isMain }) { tracks.open("main", &trackNames) }
        for lane in Set(operations.lazy.filter { $0.start != nil && !$0.isMain }.compactMap(\.lane)).sorted() {
            tracks.open("lane \(lane)", &trackNames)
        }
        var arrows = 0
        for node in order {
            let operation = operations[node]
            guard let began = operation.start?.nanoseconds else { continue }
            let waitedFor = dependencies[node].filter { operations[$0].end.nanoseconds <= began && slices[$0] != nil }
            // Near the end of time there is no room for a slice.
            var start = min(max(began, 0), .max - Self.tolerance)
            for dependency in waitedFor { start = max(start, slices[dependency]?.end ?? 0) }
            let slice = tracks.place(operation.place ?? "no lane", start, operation.end.nanoseconds, &trackNames)
            slices[node] = slice
            for dependency in waitedFor {
                arrows += 1
                arrowsOut[dependency].append(arrows)
                arrowsIn[node].append(arrows)
            }
        }
        if slices.contains(where: { $0 == nil }) {
            instants = trackNames.count
            trackNames.append("not started")
        }
    }

    /// By start, then after dependencies: an operation that takes no time ends when what waits for it starts.
    private static func order(of operations: [OperationReport], _ dependencies: [[Int]]) -> [Int] {
        var waitsFor = dependencies.map(\.count)
        var successors = [[Int]](repeating: [], count: operations.count)
        for (node, earlier) in dependencies.enumerated() {
            for dependency in earlier { successors[dependency].append(node) }
        }
        // A document that came from a file may hold a circle: what is in it keeps the last rank.
        var ranks = [Int](repeating: operations.count, count: operations.count)
        var pending = waitsFor.indices.filter { waitsFor[$0] == 0 }
        var next = 0
        while next < pending.count {
            let node = pending[next]
            ranks[node] = next
            next += 1
            for successor in successors[node] {
                waitsFor[successor] -= 1
                if waitsFor[successor] == 0 { pending.append(successor) }
            }
        }
        let times = operations.map { $0.start ?? $0.end }
        return operations.indices.sorted { (times[$0], ranks[$0], $0) < (times[$1], ranks[$1], $1) }
    }

    /// The tracks of each place, and until when each is taken.
    private struct Tracks {
        private var tracks: [String: [(track: Int, until: Nanoseconds)]] = [:]

        mutating func open(_ place: String, _ names: inout [String]) {
            let number = tracks[place]?.count ?? 0
            tracks[place, default: []].append((names.count, 0))
            names.append(number == 0 ? place : "\(place) (\(number + 1))")
        }

        mutating func place(_ place: String, _ start: Nanoseconds, _ end: Nanoseconds, _ names: inout [String]) -> Slice {
            func free() -> Int? { tracks[place]?.firstIndex { $0.until <= start.addingSaturated(TraceSlices.tolerance) } }
            if free() == nil { open(place, &names) }
            guard let index = free(), let (track, until) = tracks[place]?[index] else { return Slice(track: 0, start: start, end: start) }
            let begin = max(start, until)
            let slice = Slice(track: track, start: begin, end: max(end, begin.addingSaturated(1)))
            tracks[place]?[index].until = slice.end
            return slice
        }
    }
}
