import Foundation
import Sequencer

/// Reads a trace in the Trace Event Format (<https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>): an object with
/// `traceEvents`, or the array alone, whose end may be missing.
///
/// Slices are operations: complete events (`X`), and pairs of `B` and `E`. An arrow from a slice to one that began after its end is a
/// dependency. Each thread with slices is a lane; slices of one thread may be inside one another. In an export of this tool the slice of
/// the launch is the launch, lanes and outcomes are as they were, and operations that never started are included; the launch's scopes are left out.
func readChromeTrace(_ json: inout JSONCursor) throws(JSONFault) -> ImportedLaunch {
    var trace = ChromeTrace()
    // The format allows the array alone, and to leave out its end: a program that is killed while it traces cannot write it.
    if json.next() == ASCII.openBracket {
        try trace.readEvents(&json, mayBeCut: true)
    } else {
        var hasEvents = false
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "traceEvents":
                hasEvents = true
                try trace.readEvents(&json, mayBeCut: false)
            case "otherData" where json.next() == ASCII.openBrace:
                try json.object { json, key throws(JSONFault) in trace.otherData[key] = try json.optionalText() }
            default: try json.skipValue()
            }
        }
        // Any object would pass for a trace otherwise, and be an empty launch.
        if !hasEvents { throw JSONFault(0, .mistake("missing key 'traceEvents'")) }
    }
    // A second document would be lost in silence.
    if !json.isAtEnd() { throw json.expected("nothing after the trace") }
    trace.dropScopes()
    return trace.launch()
}

/// The contents of a trace.
struct ChromeTrace {
    struct Track: Hashable {
        let process: String
        let thread: String
    }

    struct Slice {
        let name: String
        let track: Int
        let start: Nanoseconds
        let end: Nanoseconds
        /// The place of what an export of this tool says besides; -1 without any.
        let arguments: Int
    }

    /// A begin or an end of a slice.
    struct Edge {
        let name: String
        let track: Int
        let time: Nanoseconds
        let isBegin: Bool
    }

    /// A place where an arrow begins, goes through or ends.
    struct ArrowPoint {
        enum Kind { case begin, step, end }

        let arrow: Int
        let kind: Kind
        let track: Int
        let time: Nanoseconds
        /// Whether it belongs to the slice around it, not to the next one.
        let isInside: Bool
    }

    private(set) var slices: [Slice] = []
    private(set) var instants: [Slice] = []
    private(set) var points: [ArrowPoint] = []
    private(set) var trackNames: [Int: String] = [:]
    private(set) var arguments: [ImportedOperation.Details] = []
    private(set) var processName: String?
    var otherData: [String: String] = [:]
    /// The outcome of the launch in words, from an export of this tool.
    private(set) var launchText: String?
    private var edges: [Edge] = []
    private var tracks: [Track: Int] = [:]
    private var arrows: [String: Int] = [:]
    /// Names come again and again: each is kept once.
    private var names: [String: String] = [:]

    // MARK: Reading

    /// - Parameter mayBeCut: whether the text may end before the array does, as in traces that are written while a program runs.
    mutating func readEvents(_ json: inout JSONCursor, mayBeCut: Bool) throws(JSONFault) {
        guard json.skip(ASCII.openBracket) else { throw json.expected("an array of events") }
        while true {
            // Before each event, since a trace may end after a comma, too.
            if mayBeCut, json.isAtEnd() { break }
            if json.skip(ASCII.closeBracket) { break }
            try readEvent(&json)
            if json.skip(ASCII.comma) {
                // An object is JSON, where an event has to follow.
                if !mayBeCut, json.next() == ASCII.closeBracket { throw json.expected("an event") }
                continue
            }
            if mayBeCut, json.isAtEnd() { continue }
            guard json.skip(ASCII.closeBracket) else { throw json.expected("',' or ']'") }
            break
        }
        pairEdges()
    }

    /// One event, as it stands there.
    private struct Event {
        var name = ""
        var phase = ""
        var category = ""
        var process = ""
        var thread = ""
        var id = ""
        var time: Nanoseconds?
        var length: Nanoseconds?
        var isInside = false
        var arguments = EventArguments()
    }

    private mutating func readEvent(_ json: inout JSONCursor) throws(JSONFault) {
        // To the event's brace, for the place in messages.
        _ = json.next()
        let offset = json.offset
        var event = Event()
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "name": event.name = try json.optionalText() ?? ""
            case "ph": event.phase = try json.text()
            case "cat": event.category = try json.optionalText() ?? ""
            // Some writers give process and thread as numbers, others as texts.
            case "pid": event.process = try json.identifier()
            case "tid": event.thread = try json.identifier()
            case "id": event.id = try json.identifier()
            // Three digits: the format counts in microseconds, with fractions.
            case "ts": event.time = try json.time(digits: 3)
            case "dur": event.length = try json.time(digits: 3)
            case "bp": event.isInside = try json.optionalText() == "e"
            // Arguments may be anything; only an object can be understood.
            case "args" where json.next() == ASCII.openBrace: try event.arguments.read(&json)
            default: try json.skipValue()
            }
        }
        // Afterwards: the keys of an event come in any order.
        try add(event, offset)
    }

    private mutating func add(_ event: Event, _ offset: Int) throws(JSONFault) {
        // Metadata has no time.
        if event.phase == "M" {
            guard let name = event.arguments.name else { return }
            if event.name == "thread_name" { trackNames[track(event)] = name }
            // Of several processes the first one names the launch.
            if event.name == "process_name" { processName = processName ?? name }
            return
        }
        // Counters, asynchronous and other events are passed over, as Documentation/Importing.md says.
        guard ["X", "B", "E", "s", "t", "f", "i"].contains(event.phase) else { return }
        guard let time = event.time else {
            throw JSONFault(offset, .mistake("missing key 'ts' in an event with the phase \(quoted(event.phase))"))
        }
        switch event.phase {
        case "X":
            // A slice without a length is one that the writer did not end.
            let length = event.length ?? 0
            if length < 0 { throw JSONFault(offset, .mistake("the event \(quoted(event.name)) ended before it started")) }
            // Saturated: begin and length are each in range, and their sum need not be.
            try addSlice(slice(event, from: time, to: time.addingSaturated(length)), offset)
            if let text = event.arguments.launchText { launchText = launchText ?? text }
        case "B", "E":
            // Limited here too: edges become slices only at the end, when the memory is taken already.
            if edges.count >= 2 * ImportedLaunch.operationLimit { throw tooManyOperations(offset) }
            edges.append(Edge(name: kept(event.name), track: track(event), time: time, isBegin: event.phase == "B"))
        // An instant is an operation only in an export of this tool: one that never started.
        case "i":
            if event.arguments.details != nil, instants.count < ImportedLaunch.operationLimit {
                instants.append(slice(event, from: time, to: time))
            }
        default:
            // Identifiers of arrows are unique within a category only. No category holds a zero.
            let key = event.category + "\u{0}" + event.id
            let arrow = arrows[key] ?? arrows.count
            // Numbered, because the texts would be compared again and again while sorting.
            arrows[key] = arrow
            let kind: ArrowPoint.Kind = event.phase == "s" ? .begin : event.phase == "t" ? .step : .end
            // Begins and steps belong to the slice around them; only an end may mean the next one.
            let isInside = event.isInside || kind != .end
            points.append(ArrowPoint(arrow: arrow, kind: kind, track: track(event), time: time, isInside: isInside))
        }
    }

    private mutating func addSlice(_ slice: Slice, _ offset: Int) throws(JSONFault) {
        if slices.count == ImportedLaunch.operationLimit { throw tooManyOperations(offset) }
        slices.append(slice)
    }

    private mutating func slice(_ event: Event, from start: Nanoseconds, to end: Nanoseconds) -> Slice {
        // A place rather than the value: nearly all slices have no details, and there may be a million.
        var place = -1
        if let details = event.arguments.details {
            place = arguments.count
            arguments.append(details)
        }
        return Slice(name: kept(event.name), track: track(event), start: start, end: end, arguments: place)
    }

    private mutating func track(_ event: Event) -> Int {
        let track = Track(process: event.process, thread: event.thread)
        if let number = tracks[track] { return number }
        tracks[track] = tracks.count
        return tracks.count - 1
    }

    /// Drops all other processes than the launch's from an export of this tool: each scope is one.
    mutating func dropScopes() {
        guard let own = ownLaunch, let process = tracks.first(where: { $0.value == slices[own].track })?.key.process else { return }
        let kept = Set(tracks.lazy.filter { $0.key.process == process }.map(\.value))
        slices.removeAll { !kept.contains($0.track) }
        instants.removeAll { !kept.contains($0.track) }
        points.removeAll { !kept.contains($0.track) }
    }

    // Swift would keep each occurrence of a name of more than 15 bytes on its own.
    private mutating func kept(_ name: String) -> String {
        if let known = names[name] { return known }
        names[name] = name
        return name
    }

    /// Makes slices of begins and ends: an end belongs to the last begin on its track that has none. An end without a begin is dropped; a
    /// slice without an end ends with the trace.
    private mutating func pairEdges() {
        // The format asks for no order of events.
        let order = edges.indices.sorted { (edges[$0].time, $0) < (edges[$1].time, $1) }
        // The end of the trace: the latest moment that any slice or edge has.
        let last = max(edges.lazy.map(\.time).max() ?? .min, slices.lazy.map(\.end).max() ?? .min)
        var open: [Int: [Int]] = [:]
        func close(_ place: Int, at end: Nanoseconds) -> Slice {
            Slice(name: edges[place].name, track: edges[place].track, start: edges[place].time, end: end, arguments: -1)
        }
        for place in order {
            let edge = edges[place]
            if edge.isBegin {
                open[edge.track, default: []].append(place)
            } else if let begin = open[edge.track]?.popLast() {
                slices.append(close(begin, at: edge.time))
            }
        }
        // In the order of the file, for the order of a dictionary is another one in each process.
        for place in open.values.flatMap(\.self).sorted() { slices.append(close(place, at: last)) }
        edges = []
    }
}

/// The arguments that are understood: a name of a thread or a process, and those of this tool's export.
private struct EventArguments {
    var name: String?
    /// How a launch ended, in words; it has a verdict then.
    private var outcomeText: String?
    private var verdict: String?
    private var hasAttempts = false
    private var known = ImportedOperation.Details()

    /// Nil for an event of another tool.
    var details: ImportedOperation.Details? {
        // Both together only an export of this tool has.
        guard hasAttempts, let outcome = outcomeText.flatMap(Outcome.init) else { return nil }
        var details = known
        details.outcome = outcome
        return details
    }

    var launchText: String? { verdict == nil ? nil : outcomeText }

    mutating func read(_ json: inout JSONCursor) throws(JSONFault) {
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "name": name = try json.optionalText()
            case "outcome": outcomeText = try json.optionalText()
            case "verdict": verdict = try json.optionalText()
            case "title": known.title = try json.optionalText()
            case "message": known.message = try json.optionalText()
            case "attempts":
                // A count of 0 is an operation that never started; a missing one is another tool's event.
                if let attempts = try json.optionalInteger() { (known.attempts, hasAttempts) = (max(attempts, 0), true) }
            case "marks" where json.next() == ASCII.openBracket:
                try json.array { json throws(JSONFault) in if let mark = try json.optionalText() { known.add(mark: mark) } }
            case "notes" where json.next() == ASCII.openBracket:
                try json.array { json throws(JSONFault) in if let note = try json.optionalText() { known.notes.append(note) } }
            default: try json.skipValue()
            }
        }
    }
}
