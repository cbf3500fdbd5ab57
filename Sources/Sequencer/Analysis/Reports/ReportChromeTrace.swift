import Sequencer

extension LaunchReport {
    /// The launch in the Trace Event Format, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open.
    ///
    /// The launch, the main thread and each lane are a track; an operation is a slice on its track, a dependency an arrow from the end of one slice to the
    /// start of another. An operation that never started is an instant on a track of its own. Times are in microseconds from the launch's
    /// begin (from the process's, where the budget counts from there), exact to the nanosecond. A slice is at least one nanosecond long;
    /// where slices of dependencies were lengthened so, it begins as many nanoseconds later as it takes to come after them. Where an
    /// operation gave back its lane, to pause before another attempt for instance, and another one ran there, the lane has a second track.
    /// A dependency that the operation did not wait for, because it was put off or never started, has no arrow. Each scope is a process of its own beside the
    /// launch's, with tracks as that has, at the times of the launch.
    ///
    /// The format: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: O(dependencies + operations · log operations).
    public func chromeTrace(pretty: Bool = false) -> String {
        fromProcessStart.trace(pretty: pretty)
    }

    private func trace(pretty: Bool) -> String {
        var events: [JSONTree] = []
        var process = TraceProcess(number: 1, name: scenario.isEmpty ? "launch" : scenario)
        addEvents(of: &process, to: &events)
        // Apart: their names are the app's.
        let attributes = sortedAttributes.map { (key: $0.key, value: JSONTree?.some(.text($0.value))) }
        let document: JSONTree = [
            "displayTimeUnit": "ms", "traceEvents": .array(events),
            "otherData": [
                "scenario": .text(scenario), "version": version.map { .text($0) },
                "startedAt": startedAt.map { .text($0.formatted(Self.timestamp)) }, "verdict": .text(verdictText),
                "attributes": attributes.isEmpty ? nil : .object(attributes),
            ],
        ]
        return Self.withoutFinalBackslashes(document.document(pretty: pretty))
    }

    /// The same JSON, in which no text ends with two backslashes: the last of a text's characters is written as its number then.
    ///
    /// Perfetto (version 52 at least) takes a quote behind two backslashes for an escaped one, and refuses the whole trace.
    private static func withoutFinalBackslashes(_ json: String) -> String {
        let (backslash, quote) = (UInt8(ascii: "\\"), UInt8(ascii: "\""))
        // Nearly all traces have none: they are not copied.
        guard json.utf8.contains(backslash) else { return json }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count)
        var isEscape = false
        var isBackslash = false
        for byte in json.utf8 {
            if isBackslash, byte == quote {
                bytes.removeLast()
                bytes.append(contentsOf: "u005c".utf8)
            }
            bytes.append(byte)
            isBackslash = isEscape && byte == backslash
            isEscape = !isEscape && byte == backslash
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds the launch, or a scope, and then the scopes within it; leaves the numbers that were given last in `process`.
    private func addEvents(of process: inout TraceProcess, to events: inout [JSONTree]) {
        let slices = TraceSlices(self)
        events.append(process.event("process_name", "M", ["args": ["name": .text(process.name)]]))
        for (track, name) in slices.trackNames.enumerated() {
            events.append(process.event("thread_name", "M", track: track, ["args": ["name": .text(name)]]))
            events.append(process.event("thread_sort_index", "M", track: track, ["args": ["sort_index": .number(track)]]))
        }
        // Readers take an empty name for a fault.
        let length = max(makespan.nanoseconds, 1)
        let words: JSONTree = ["outcome": .text(outcomeText), "verdict": .text(verdictText), "critical path": .texts(criticalPath)]
        events.append(process.event(process.name, "X", at: 0, length: length, ["args": words]))
        let clock = BudgetClock(self)
        for (allowed, name, limit) in [
            (budget.budget?.initialDisplay, "budget of the initial display", clock.displayLimit),
            (budget.budget?.limit, "budget", clock.limit),
        ] {
            guard let allowed, let limit else { continue }
            // A line through all tracks of the trace, or of the scope.
            let reach: JSONTree = process.scope == nil ? "g" : "p"
            events.append(process.event("\(name) \(durationText(allowed))", "i", at: limit, ["s": reach]))
        }
        for node in slices.order { events += self.events(of: node, slices, process) }
        let (start, path) = (process.start, process.scope)
        process.arrows += slices.arrowCount
        for scope in scopes {
            process.number += 1
            process.start = start.addingSaturated(max(scope.start.nanoseconds, 0))
            process.scope = path.map { "\($0)/\(scope.name)" } ?? scope.name
            process.name = "scope \(process.scope ?? scope.name)"
            scope.report.addEvents(of: &process, to: &events)
        }
    }

    private func events(of node: Int, _ slices: TraceSlices, _ process: TraceProcess) -> [JSONTree] {
        let operation = operations[node]
        let words: JSONTree = [
            "title": operation.title.map { .text($0) }, "outcome": .text(operation.outcome.rawValue),
            "wait": operation.start == nil ? nil : .text(durationText(operation.wait)), "slack": .text(durationText(operation.slack)),
            "expected": operation.expected.map { .text(durationText($0)) }, "attempts": .number(operation.attempts),
            "marks": operation.marks.isEmpty ? nil : .texts(operation.marks), "message": operation.message.map { .text($0) },
            "notes": operation.notes.isEmpty ? nil : .texts(operation.notes),
        ]
        guard let slice = slices[node] else {
            let end = max(operation.end.nanoseconds, 0)
            return [process.event(operation.id, "i", track: slices.instants, at: end, ["s": "t", "args": words])]
        }
        let kind: JSONTree = .text(operation.marks.first ?? "operation")
        let own = process.event(
            operation.id,
            "X",
            track: slice.track,
            at: slice.start,
            length: slice.end - slice.start,
            ["cat": kind, "args": words]
        )
        let ends = slices.arrowsIn[node].map { arrow in
            // At the slice that is around this point: without it, the arrow would end at the next one that begins.
            let members: JSONTree = ["bp": "e", "cat": "dependency", "id": .number(process.arrows + arrow)]
            return process.event("after", "f", track: slice.track, at: slice.start, members)
        }
        let starts = slices.arrowsOut[node].map { arrow in
            // An arrow begins inside its slice, and the end of a slice lies outside of it.
            let members: JSONTree = ["cat": "dependency", "id": .number(process.arrows + arrow)]
            return process.event("after", "s", track: slice.track, at: slice.end - 1, members)
        }
        return [own] + ends + starts
    }
}

/// The launch itself, or a scope: tracks of one group in a trace.
private struct TraceProcess {
    /// From 1; the last one that was given.
    var number: Int
    var name: String
    /// The scope's path, as events name it; nil for the launch.
    var scope: String?
    /// When it began, counted from the launch's begin.
    var start: Nanoseconds = 0
    /// How many arrows come before its own: their numbers are the whole trace's.
    var arrows = 0

    /// An event on a track; its time counts from the start of the process.
    func event(
        _ name: String,
        _ phase: String,
        track: Int = 0,
        at time: Nanoseconds? = nil,
        length: Nanoseconds? = nil,
        _ members: JSONTree
    ) -> JSONTree {
        // A thousand times as many milliseconds are as many microseconds.
        func microseconds(_ time: Nanoseconds) -> JSONTree { .milliseconds(.nanoseconds(time) * 1000) }
        let event: JSONTree = [
            "name": .text(name), "ph": .text(phase), "pid": .number(number), "tid": .number(track + 1),
            "ts": time.map { microseconds($0.addingSaturated(start)) }, "dur": length.map(microseconds),
        ]
        return event + members
    }
}

/// Where and when each operation has its slice in a trace.
///
/// Readers of traces draw slices of one track inside one another when they overlap, drop empty ones, and drop arrows that go back in time. So
/// slices here last a nanosecond or longer, come after those of their dependencies, and share a track only when they do not overlap.
struct TraceSlices {
    struct Slice {
        var track: Int
        var start: Nanoseconds
        var end: Nanoseconds
    }

    /// How much later a slice may begin to find a place on a track that is about to be free, so that many slices without a length need few tracks.
    static let tolerance: Nanoseconds = 1000

    /// All operations, by their start and after their dependencies.
    let order: [Int]
    private var slices: [Slice?]
    /// The name of each track; the first is the launch's own.
    private(set) var trackNames = ["launch"]
    /// The numbers of the arrows that end and begin at each operation, from 1.
    private(set) var arrowsIn: [[Int]]
    private(set) var arrowsOut: [[Int]]
    private(set) var arrowCount = 0
    /// The track of the operations that never started.
    private(set) var instants = 0

    subscript(node: Int) -> Slice? { slices[node] }

    init(_ report: LaunchReport) {
        let operations = report.operations
        let dependencies = report.dependencyPositions
        order = Self.order(of: operations, dependencies)
        slices = [Slice?](repeating: nil, count: operations.count)
        arrowsIn = [[Int]](repeating: [], count: operations.count)
        arrowsOut = arrowsIn
        var tracks = Tracks()
        // Tracks come in the order that people look for them.
        if operations.contains(where: { $0.start != nil && $0.isMain }) { tracks.open("main", &trackNames) }
        // Sorted: a set has another order in each process.
        for lane in Set(operations.lazy.filter { $0.start != nil && !$0.isMain }.compactMap(\.lane)).sorted() {
            tracks.open("lane \(lane)", &trackNames)
        }
        for node in order {
            let operation = operations[node]
            guard let began = operation.start?.nanoseconds else { continue }
            let waitedFor = dependencies[node].filter { operations[$0].end.nanoseconds <= began && slices[$0] != nil }
            // Near the largest time a slice would not fit.
            var start = min(max(began, 0), .max - Self.tolerance)
            for dependency in waitedFor { start = max(start, slices[dependency]?.end ?? 0) }
            let slice = tracks.place(operation.place ?? "no lane", start, operation.end.nanoseconds, &trackNames)
            slices[node] = slice
            for dependency in waitedFor {
                arrowCount += 1
                arrowsOut[dependency].append(arrowCount)
                arrowsIn[node].append(arrowCount)
            }
        }
        if slices.contains(where: { $0 == nil }) {
            instants = trackNames.count
            trackNames.append("not started")
        }
    }

    /// By start, then after dependencies: an operation that takes no time ends when its dependents start.
    private static func order(of operations: [OperationReport], _ dependencies: [[Int]]) -> [Int] {
        var waitsFor = dependencies.map(\.count)
        var successors = [[Int]](repeating: [], count: operations.count)
        for (node, earlier) in dependencies.enumerated() {
            for dependency in earlier { successors[dependency].append(node) }
        }
        // A document that came from a file may hold a circle: operations in it keep the last rank.
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
