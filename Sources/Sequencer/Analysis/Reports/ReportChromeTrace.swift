import Sequencer

extension LaunchReport {
    /// The launch in the Trace Event Format, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open.
    ///
    /// The launch, the main thread and each lane are a track; an operation is a slice on its track, a dependency an
    /// arrow from the end of one slice to the start of another. An operation that never started is an instant on a
    /// separate track. Times are in microseconds from the launch's begin (from the process's, where the budget counts
    /// from there), exact to the nanosecond. A slice is at least one nanosecond long; where slices of dependencies were
    /// lengthened so, it begins as many nanoseconds later as it takes to come after them. Where an operation gave back
    /// its lane, to pause before another attempt for instance, and another one ran there, the lane has a second track.
    /// A dependency that the operation did not wait for, because it was put off or never started, has no arrow. Each
    /// scope is a separate process beside the launch's, with similar tracks, at the times of the launch.
    ///
    /// The format: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: O(dependencies + operations · log operations).
    public func chromeTrace(pretty: Bool = false) -> String {
        let report = fromProcessStart
        var trace = ChromeTrace()
        trace.add(report, scenario.isEmpty ? "launch" : scenario, reach: "g", from: .zero)
        for scope in report.allScopes { trace.add(scope.report, "scope \(scope.name)", reach: "p", from: scope.start) }
        // Apart: their names are the app's.
        let attributes = sortedAttributes.map { (key: $0.key, value: JSONTree?.some(.text($0.value))) }
        let document: JSONTree = [
            "displayTimeUnit": "ms", "traceEvents": .array(trace.events),
            "otherData": [
                "scenario": .text(scenario), "version": .text(version),
                "startedAt": report.startedAt.map { .text($0.formatted(Self.timestamp)) },
                "verdict": .text(report.verdictText), "grounds": .text(report.grounds?.text),
                "attributes": attributes.isEmpty ? nil : .object(attributes),
            ],
        ]
        let text = document.document(pretty: pretty)
        // As numbers: Perfetto (version 52 at least) takes a quote behind two backslashes for an escaped one, and
        // refuses the whole trace. Nearly all traces have none.
        return text.utf8.contains(UInt8(ascii: "\\")) ? text.replacing(#"\\"#, with: #"\u005c"#) : text
    }
}

/// The events of a trace. The launch and each scope are a process, tracks of one group.
///
/// Readers of traces draw slices of one track inside one another when they overlap, drop empty ones, and drop arrows
/// that go back in time. So slices here last a nanosecond or longer, come after those of their dependencies, and share
/// a track only when they do not overlap.
struct ChromeTrace {
    private typealias Slice = (track: Int, start: Nanoseconds, end: Nanoseconds)

    /// How much later a slice may begin to find a place on a track that is about to be free, so that many slices
    /// without a length need few tracks.
    static let tolerance: Nanoseconds = 1000

    private(set) var events: [JSONTree] = []
    private var processes = 0, arrows = 0

    /// Adds the launch, or a scope.
    ///
    /// - Parameters:
    ///   - reach: how far its budgets' lines go: `g` through all tracks of the trace, `p` through those of the scope.
    ///   - begin: when it began, counted from the launch's begin.
    mutating func add(_ report: LaunchReport, _ name: String, reach: JSONTree, from begin: Duration) {
        processes += 1
        let process = processes, operations = report.operations, dependencies = report.dependencyPositions
        let begin = max(begin.nanoseconds, 0)
        // A thousand times as many milliseconds are as many microseconds.
        func length(_ time: Nanoseconds) -> JSONTree { .milliseconds(.nanoseconds(time) * 1000) }
        func time(_ time: Nanoseconds) -> JSONTree { length(time.addingSaturated(begin)) }
        func event(_ name: String, _ phase: String, track: Int = 0, _ members: JSONTree) -> JSONTree {
            ["name": .text(name), "ph": .text(phase), "pid": .number(process), "tid": .number(track + 1)] + members
        }
        let words: JSONTree = [
            "outcome": .text(report.outcomeText), "verdict": .text(report.verdictText), "critical path": .texts(report.criticalPath),
        ]
        // Readers take an empty name for a fault.
        let whole = length(max(report.makespan.nanoseconds, 1))
        var added = [event(name, "X", ["ts": time(0), "dur": whole, "args": words])]
        for (name, allowed, end) in BudgetClock(report).ends {
            if let end { added.append(event("\(name) \(durationText(allowed))", "i", ["ts": time(end), "s": reach])) }
        }
        var tracks = Tracks(places: report.placesUsed), slices = [Slice?](repeating: nil, count: operations.count)
        // An operation that takes no time ends when its dependents start.
        let keys = operations.map { ($0.start ?? $0.end, $0.end) }
        for node in operations.indices.sorted(by: { (keys[$0].0, keys[$0].1, $0) < (keys[$1].0, keys[$1].1, $1) }) {
            let operation = operations[node], words = Self.words(of: operation)
            guard let began = operation.start?.nanoseconds else {
                let members: JSONTree = ["ts": time(max(operation.end.nanoseconds, 0)), "s": "t", "args": words]
                added.append(event(operation.id, "i", track: tracks.open("not started"), members))
                continue
            }
            let waitedFor = dependencies[node].filter { operations[$0].end.nanoseconds <= began }.compactMap { slices[$0] }
            // Near the largest time a slice would not fit.
            let start = waitedFor.reduce(min(max(began, 0), .max - Self.tolerance)) { max($0, $1.end) }
            let slice = tracks.place(operation.place ?? "no lane", start, operation.end.nanoseconds)
            slices[node] = slice
            let members: JSONTree = [
                "ts": time(slice.start), "dur": length(slice.end - slice.start),
                "cat": .text(operation.marks.first ?? "operation"), "args": words,
            ]
            added.append(event(operation.id, "X", track: slice.track, members))
            for earlier in waitedFor {
                arrows += 1
                // An arrow begins inside its slice, and the end of a slice lies outside of it.
                let members: JSONTree = ["cat": "dependency", "id": .number(arrows)]
                added.append(event("after", "s", track: earlier.track, ["ts": time(earlier.end - 1)] + members))
                // At the slice that is around this point: without it, the arrow would end at the next one that begins.
                added.append(event("after", "f", track: slice.track, ["ts": time(slice.start), "bp": "e"] + members))
            }
        }
        events.append(event("process_name", "M", ["args": ["name": .text(name)]]))
        for (track, name) in tracks.names.enumerated() {
            events.append(event("thread_name", "M", track: track, ["args": ["name": .text(name)]]))
            events.append(event("thread_sort_index", "M", track: track, ["args": ["sort_index": .number(track)]]))
        }
        events += added
    }

    private static func words(of operation: OperationReport) -> JSONTree {
        [
            "title": .text(operation.title), "outcome": .text(operation.outcome.rawValue),
            "wait": operation.start == nil ? nil : .text(durationText(operation.wait)), "slack": .text(durationText(operation.slack)),
            "expected": operation.expected.map { .text(durationText($0)) }, "attempts": .number(operation.attempts),
            "marks": .list(operation.marks), "message": .text(operation.message),
            "notes": .list(operation.notes),
        ]
    }

    /// The tracks of each place, and until when each is taken.
    private struct Tracks {
        /// The first one is the launch's own.
        private(set) var names = ["launch"]
        private var ends: [Nanoseconds] = [.max]
        private var ofPlace: [String: [Int]] = [:]

        /// - Parameter places: come in this order, in which people look for them.
        init(places: [String]) { for place in places { add(place) } }

        /// The first track of a place.
        mutating func open(_ place: String) -> Int { ofPlace[place]?.first ?? add(place) }

        @discardableResult
        private mutating func add(_ place: String) -> Int {
            let tracks = ofPlace[place, default: []] + [names.count]
            ofPlace[place] = tracks
            names.append(tracks.count == 1 ? place : "\(place) (\(tracks.count))")
            ends.append(0)
            return names.count - 1
        }

        mutating func place(_ place: String, _ start: Nanoseconds, _ end: Nanoseconds) -> Slice {
            let track = ofPlace[place]?.first { ends[$0] <= start.addingSaturated(ChromeTrace.tolerance) } ?? add(place)
            let begin = max(start, ends[track])
            ends[track] = max(end, begin.addingSaturated(1))
            return (track, begin, ends[track])
        }
    }
}
