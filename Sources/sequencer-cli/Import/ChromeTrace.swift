import Foundation
import Sequencer

/// A trace in the Trace Event Format
/// (<https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>): an object with `traceEvents`,
/// or the array alone.
///
/// Slices are operations: complete events (`X`), and pairs of `B` and `E`. An arrow from a slice to one that began
/// after its end is a dependency. Each thread with slices is a lane; a slice inside another one takes its time away
/// from that. The only slice of a thread with the name `launch`, as an export of this tool has it, is the launch.
struct ChromeTrace: Decodable {
    /// A begin or an end of a slice (`B`, `E`), or a place where an arrow begins, goes through or ends (`s`, `t`, `f`).
    private struct Point {
        let phase: String
        /// The name of the slice, or the category and the identifier of the arrow.
        let name: String
        let track: Int
        let time: Nanoseconds
        /// Whether it belongs to the next slice, not to the one around it.
        let isNext: Bool
    }

    private enum Key: String, CodingKey { case traceEvents }
    private enum EventKey: String, CodingKey { case name, ph, cat, pid, tid, id, ts, dur, bp, args }
    private enum ArgumentKey: String, CodingKey { case name, average = "avg ms" }
    private typealias Event = KeyedDecodingContainer<EventKey>

    /// The lanes of slices are tracks, from 1.
    private var slices: [ImportedOperation] = []
    private var points: [Point] = []
    /// By process and thread.
    private var tracks: [[String]: Int] = [:]
    private var launchTrack: Int?
    private var processName: String?
    private var leftOut: [String: Int] = [:]

    init(from decoder: any Decoder) throws {
        let array = try? decoder.unkeyedContainer()
        var events = try array ?? decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .traceEvents)
        while !events.isAtEnd {
            if let reason = add(try events.nestedContainer(keyedBy: EventKey.self)) { leftOut[reason, default: 0] += 1 }
        }
        pairEdges()
        join(nest())
    }

    /// - Returns: why the event is left out; nil if it is read.
    private mutating func add(_ event: Event) -> String? {
        let (phase, name) = (event.text(.ph) ?? "", event.text(.name) ?? "")
        switch phase {
        case "M":
            let given = arguments(of: event)?.text(.name)
            // Of several processes the first one names the launch.
            if name == "process_name" { processName = processName ?? given }
            if name == "thread_name", given == "launch" { launchTrack = launchTrack ?? track(of: event) }
            return nil
        case "X", "B", "E", "s", "t", "f": break
        case "b", "n", "e", "S", "T", "p", "F": return "asynchronous events"
        case "C": return "counters"
        case "i", "I", "R": return "instants"
        default: return "other events"
        }
        // A slice without a length is one that the writer did not end.
        guard let time = event.time(.ts), let length = event.contains(.dur) ? event.time(.dur) : 0, length >= 0 else {
            return "events without a time"
        }
        // clang adds the sums of its slices, each on a thread that there never was.
        if name.hasPrefix("Total "), arguments(of: event)?.contains(.average) == true { return "sums of other slices" }
        if phase == "X" {
            slices.append(ImportedOperation(name: name, start: time, end: time + length, lane: track(of: event)))
        } else {
            // Identifiers of arrows are unique within a category only. No category holds a zero.
            let key = "BE".contains(phase) ? name : "\(event.text(.cat) ?? "")\0\(event.text(.id) ?? "")"
            // Begins and steps belong to the slice around them; only an end may mean the next one.
            let isNext = phase == "f" && event.text(.bp) != "e"
            points.append(Point(phase: phase, name: key, track: track(of: event), time: time, isNext: isNext))
        }
        return nil
    }

    private mutating func track(of event: Event) -> Int {
        let thread = [event.text(.pid) ?? "", event.text(.tid) ?? ""]
        let track = tracks[thread] ?? tracks.count + 1
        tracks[thread] = track
        return track
    }

    private func arguments(of event: Event) -> KeyedDecodingContainer<ArgumentKey>? {
        try? event.nestedContainer(keyedBy: ArgumentKey.self, forKey: .args)
    }

    /// Makes slices of begins and ends: an end belongs to the last begin on its track that has none. A slice without an
    /// end ends with the trace.
    private mutating func pairEdges() {
        let last = max(points.lazy.map(\.time).max() ?? .min, slices.lazy.map(\.end).max() ?? .min)
        var open: [Int: [Int]] = [:]
        // The format asks for no order of events.
        for place in points.indices.sorted(by: { (points[$0].time, $0) < (points[$1].time, $1) }) {
            let edge = points[place]
            if edge.phase == "B" {
                open[edge.track, default: []].append(slices.count)
                slices.append(ImportedOperation(name: edge.name, start: edge.time, end: last, lane: edge.track))
            } else if edge.phase == "E" {
                if let slice = open[edge.track]?.popLast() { slices[slice].end = edge.time } else { leftOut["ends alone", default: 0] += 1 }
            }
        }
        points.removeAll { "BE".contains($0.phase) }
    }

    /// Goes along each track, and sets the slice that each slice is inside of.
    ///
    /// - Returns: the slice that each point of an arrow is inside of, or before; nil without such a slice.
    private mutating func nest() -> [Int?] {
        // At one moment: first the points that mean the next slice, then slices, the longer ones first, then the points
        // inside.
        var marks = points.enumerated().map { (track: $1.track, time: $1.time, rank: $1.isNext ? 0 : 2, end: Nanoseconds(0), place: $0) }
        for (place, slice) in slices.enumerated() { marks.append((slice.lane ?? 0, slice.start, 1, -slice.end, place)) }
        var ends = [Int?](repeating: nil, count: points.count)
        var (track, open, waiting) = (0, [Int](), [Int]())
        for mark in marks.sorted(by: <) {
            if mark.track != track { (track, open, waiting) = (mark.track, [], []) }
            // A point at the end of a slice is its own; a slice there comes after it.
            while let last = open.last, slices[last].end < mark.time + (mark.rank == 1 ? 1 : 0) { open.removeLast() }
            switch mark.rank {
            case 0: waiting.append(mark.place)
            case 2: ends[mark.place] = open.last
            default:
                slices[mark.place].parent = open.last
                open.append(mark.place)
                for point in waiting { ends[point] = mark.place }
                waiting = []
            }
        }
        return ends
    }

    /// Makes dependencies of arrows.
    ///
    /// - Parameter ends: the slice of each point.
    private mutating func join(_ ends: [Int?]) {
        var sources: [String: Int] = [:]
        // Of two points at once the one that begins the arrow comes first.
        for (_, rank, place) in points.enumerated().map({ ($1.time, $1.phase == "s" ? 0 : 1, $0) }).sorted(by: <) {
            let point = points[place]
            guard let slice = ends[place], rank == 0 || sources[point.name] != nil else {
                leftOut["ends of arrows that lead nowhere", default: 0] += 1
                continue
            }
            if rank > 0, let source = sources[point.name], source != slice { slices[slice].dependencies.append(source) }
            // A step is both: the end of one piece of the arrow, and the begin of the next.
            if point.phase != "f" { sources[point.name] = slice }
        }
    }

    /// Adds the launch that the trace is of.
    func add(to file: inout ImportedFile) {
        file.leftOut.merge(leftOut, uniquingKeysWith: +)
        file.read["slices", default: 0] += slices.count
        var launch = ImportedLaunch(name: processName ?? "trace", operations: slices)
        let roots = slices.indices.filter { slices[$0].lane == launchTrack }
        // Numbered anew, in the order of their first slice: the launch's track, and threads without slices, get no
        // lane.
        var lanes: [Int?: Int] = [:]
        for (place, lane) in slices.map(\.lane).enumerated() where roots != [place] {
            lanes[lane] = lanes[lane] ?? lanes.count + 1
            launch.operations[place].lane = lanes[lane]
        }
        file.add(launch, root: roots.count == 1 ? roots[0] : nil, links: "arrows")
    }
}

extension KeyedDecodingContainer {
    /// A text, or the text of a number; nil for any other value: other tools extend the format.
    fileprivate func text(_ key: Key) -> String? { contains(key) ? (try? decode(LooseText.self, forKey: key))?.text : nil }

    /// A number of microseconds, with fractions; nil unless it lies between 1938 and 2096: sums of such numbers fit
    /// into 64 bits.
    fileprivate func time(_ key: Key) -> Nanoseconds? {
        let number = (try? decode(Double.self, forKey: key)) ?? text(key).flatMap { Double($0) }
        return number.flatMap { -1e15...4e15 ~= $0 ? Nanoseconds(($0 * 1000).rounded()) : nil }
    }
}
