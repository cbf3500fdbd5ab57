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
        let text = JSONWriter.object(pretty: pretty) { json in
            json.write("ms", for: "displayTimeUnit")
            json.writeArray(for: "traceEvents") { json in
                var process = TraceProcess(number: 1, name: scenario.isEmpty ? "launch" : scenario)
                writeProcess(&process, to: &json)
            }
            json.writeObject(for: "otherData") { json in
                json.write(scenario, for: "scenario")
                if let version { json.write(version, for: "version") }
                if let startedAt { json.write(startedAt.formatted(Self.timestamp), for: "startedAt") }
                json.write(verdictText, for: "verdict")
                // Apart: their names are the app's.
                if !attributes.isEmpty {
                    json.writeObject(for: "attributes") { json in
                        for (name, value) in sortedAttributes { json.write(value, for: name) }
                    }
                }
            }
        }
        return Self.withoutFinalBackslashes(text)
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

    /// Writes the launch, or a scope, and then the scopes within it; leaves the numbers that were given last in `process`.
    private func writeProcess(_ process: inout TraceProcess, to json: inout JSONWriter) {
        let slices = TraceSlices(self)
        writeTracks(slices, process, to: &json)
        writeLaunch(process, to: &json)
        for node in slices.order { writeOperation(node, slices, process, to: &json) }
        let (start, path) = (process.start, process.scope)
        process.arrows += slices.arrowCount
        for scope in scopes {
            process.number += 1
            process.start = start.addingSaturated(max(scope.start.nanoseconds, 0))
            process.scope = path.map { "\($0)/\(scope.name)" } ?? scope.name
            process.name = "scope \(process.scope ?? scope.name)"
            scope.report.writeProcess(&process, to: &json)
        }
    }

    private func writeTracks(_ slices: TraceSlices, _ process: TraceProcess, to json: inout JSONWriter) {
        json.writeEvent("process_name", "M", in: process) { json in
            json.writeObject(for: "args") { $0.write(process.name, for: "name") }
        }
        for (track, name) in slices.trackNames.enumerated() {
            json.writeEvent("thread_name", "M", in: process, track: track) { json in
                json.writeObject(for: "args") { $0.write(name, for: "name") }
            }
            json.writeEvent("thread_sort_index", "M", in: process, track: track) { json in
                json.writeObject(for: "args") { $0.write(track, for: "sort_index") }
            }
        }
    }

    private func writeLaunch(_ process: TraceProcess, to json: inout JSONWriter) {
        // Readers take an empty name for a fault.
        json.writeEvent(process.name, "X", in: process, at: 0, length: max(makespan.nanoseconds, 1)) { json in
            json.writeObject(for: "args") { json in
                json.write(outcomeText, for: "outcome")
                json.write(verdictText, for: "verdict")
                json.write(criticalPath, for: "critical path")
            }
        }
        let clock = BudgetClock(self)
        let limits = [
            (budget.budget?.initialDisplay, "budget of the initial display", clock.displayLimit),
            (budget.budget?.limit, "budget", clock.limit),
        ]
        for case (let allowed?, let name, let limit?) in limits {
            // A line through all tracks of the trace, or of the scope.
            let reach = process.scope == nil ? "g" : "p"
            json.writeEvent("\(name) \(durationText(allowed))", "i", in: process, at: limit) { $0.write(reach, for: "s") }
        }
    }

    private func writeOperation(_ node: Int, _ slices: TraceSlices, _ process: TraceProcess, to json: inout JSONWriter) {
        let operation = operations[node]
        guard let slice = slices[node] else {
            json.writeEvent(operation.id, "i", in: process, track: slices.instants, at: max(operation.end.nanoseconds, 0)) { json in
                json.write("t", for: "s")
                json.writeArguments(of: operation)
            }
            return
        }
        json.writeEvent(operation.id, "X", in: process, track: slice.track, at: slice.start, length: slice.end - slice.start) { json in
            json.write(operation.marks.first ?? "operation", for: "cat")
            json.writeArguments(of: operation)
        }
        for arrow in slices.arrowsIn[node] {
            json.writeEvent("after", "f", in: process, track: slice.track, at: slice.start) { json in
                // At the slice that is around this point: without it, the arrow would end at the next one that begins.
                json.write("e", for: "bp")
                json.write("dependency", for: "cat")
                json.write(process.arrows + arrow, for: "id")
            }
        }
        for arrow in slices.arrowsOut[node] {
            // An arrow begins inside its slice, and the end of a slice lies outside of it.
            json.writeEvent("after", "s", in: process, track: slice.track, at: slice.end - 1) { json in
                json.write("dependency", for: "cat")
                json.write(process.arrows + arrow, for: "id")
            }
        }
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
}

extension JSONWriter {
    /// Writes an event on a track of a process; its time counts from that one's start.
    fileprivate mutating func writeEvent(
        _ name: String,
        _ phase: String,
        in process: TraceProcess,
        track: Int = 0,
        at time: Nanoseconds? = nil,
        length: Nanoseconds? = nil,
        _ members: (inout JSONWriter) -> Void
    ) {
        writeObject { json in
            json.write(name, for: "name")
            json.write(phase, for: "ph")
            json.write(process.number, for: "pid")
            json.write(track + 1, for: "tid")
            if let time { json.write(microseconds: time.addingSaturated(process.start), for: "ts") }
            if let length { json.write(microseconds: length, for: "dur") }
            members(&json)
        }
    }

    /// A thousand times as many milliseconds are as many microseconds.
    private mutating func write(microseconds nanoseconds: Nanoseconds, for key: String) {
        write(milliseconds: .nanoseconds(nanoseconds) * 1000, for: key)
    }

    fileprivate mutating func writeArguments(of operation: OperationReport) {
        writeObject(for: "args") { json in
            if let title = operation.title { json.write(title, for: "title") }
            json.write(operation.outcome.rawValue, for: "outcome")
            if operation.start != nil { json.write(durationText(operation.wait), for: "wait") }
            json.write(durationText(operation.slack), for: "slack")
            if let expected = operation.expected { json.write(durationText(expected), for: "expected") }
            json.write(operation.attempts, for: "attempts")
            if !operation.marks.isEmpty { json.write(operation.marks, for: "marks") }
            if let message = operation.message { json.write(message, for: "message") }
            if !operation.notes.isEmpty { json.write(operation.notes, for: "notes") }
        }
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
