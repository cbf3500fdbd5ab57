import Foundation
import Sequencer

extension ChromeTrace {
    /// The launch that the trace is of.
    func launch() -> ImportedLaunch {
        var launch = ImportedLaunch(name: processName ?? "trace")
        let own = ownLaunch
        if let own {
            launch.name = otherData["scenario"] ?? launch.name
            launch.version = otherData["version"]
            // A date that cannot be read is left out: times within the launch do not need it.
            launch.startedAt = otherData["startedAt"].flatMap { try? Date($0, strategy: LaunchReport.timestamp) }
            launch.outcome = outcome(in: launchText ?? "")
            (launch.begin, launch.end) = (slices[own].start, slices[own].end)
            launch.knowsDependencies = true
        }
        // The places of slices among the operations, where the launch has none.
        let shift = { (place: Int) in own.map { place > $0 ? place - 1 : place } ?? place }
        var lanes: [Int: Int] = [:]
        launch.operations.reserveCapacity(slices.count + instants.count)
        for (place, slice) in slices.enumerated() where place != own {
            // Room for all of them: a trace may have a million.
            var operation = ImportedOperation(name: slice.name, start: slice.start, end: slice.end)
            if slice.arguments >= 0 { operation.details = arguments[slice.arguments] }
            if own != nil {
                (operation.isMain, operation.lane) = Self.ownPlace(trackNames[slice.track] ?? "")
            } else {
                // Numbered in the order of their first slice: the thread numbers of a trace are too large for lanes.
                operation.lane = lanes[slice.track] ?? lanes.count + 1
                lanes[slice.track] = operation.lane
            }
            launch.operations.append(operation)
        }
        // Arrows from and to the launch itself say that it began and ended: nothing waited.
        for (from, to) in arrows() where from != own && to != own { launch.operations[shift(to)].dependencies.append(shift(from)) }
        // In another tool's trace an instant is a moment, not an operation.
        if own != nil {
            for instant in instants {
                var operation = ImportedOperation(name: instant.name, start: nil, end: instant.end)
                if instant.arguments >= 0 { operation.details = arguments[instant.arguments] }
                launch.operations.append(operation)
            }
        }
        return launch
    }

    // MARK: This tool's export

    /// The slice of the launch in an export of this tool: the first on its track.
    var ownLaunch: Int? {
        guard launchText != nil, otherData["scenario"] != nil, otherData["verdict"] != nil else { return nil }
        // The name of the track and missing details together: an operation may be called "launch", too.
        return slices.indices.first { trackNames[slices[$0].track] == "launch" && slices[$0].arguments < 0 }
    }

    /// `main`, `lane 2`, or a second track of one, `lane 2 (3)`.
    private static func ownPlace(_ track: String) -> (isMain: Bool, lane: Int?) {
        if track == "main" || track.hasPrefix("main (") { return (true, nil) }
        guard track.hasPrefix("lane ") else { return (false, nil) }
        // An operation has one lane, so a larger number than there may be operations is not a lane's.
        let number = Int(track.dropFirst(5).prefix { $0 != " " }) ?? 0
        return (false, 1...ImportedLaunch.operationLimit ~= number ? number : nil)
    }

    /// How the launch ended, from the words for it.
    private func outcome(in text: String) -> LaunchReport.Outcome {
        func parts(after head: String) -> (id: String, rest: String)? {
            guard text.hasPrefix(head), let colon = text.range(of: ": ") else { return nil }
            return (String(text[text.index(text.startIndex, offsetBy: head.count)..<colon.lowerBound]), String(text[colon.upperBound...]))
        }
        if let (id, message) = parts(after: "Failed at ") { return .failed(operation: id, message: message) }
        if let (id, reason) = parts(after: "Aborted by ") { return .aborted(by: id, reason: AbortReason(reason)) }
        return text == "Cancelled" ? .cancelled : .completed
    }

    // MARK: Arrows

    /// The slices that arrows join, by their places: where each comes from and where it goes.
    ///
    /// - Complexity: O((slices + points) · log (slices + points)).
    private func arrows() -> [(from: Int, to: Int)] {
        let ends = slicesOfPoints()
        var sources: [Int: Int] = [:]
        var arrows: [(from: Int, to: Int)] = []
        // The points of one arrow in the order of time; of two at once the one that begins it comes first.
        let order = points.indices.sorted { left, right in
            let (a, b) = (points[left], points[right])
            return (a.time, a.kind == .begin ? 0 : 1, left) < (b.time, b.kind == .begin ? 0 : 1, right)
        }
        for place in order {
            let point = points[place]
            guard let slice = ends[place] else { continue }
            // A step or an end without a begin belongs to an arrow whose begin was cut off.
            if point.kind != .begin, let source = sources[point.arrow], source != slice { arrows.append((source, slice)) }
            // A step is both: the end of one piece of the arrow, and the begin of the next.
            if point.kind != .end { sources[point.arrow] = slice }
        }
        return arrows
    }

    /// The slice that each point belongs to: the innermost around it on its track, or the next one.
    private func slicesOfPoints() -> [Int?] {
        var result = [Int?](repeating: nil, count: points.count)
        if points.isEmpty { return result }
        let sliceOrder = slices.indices.sorted { left, right in
            // Enclosing slices before those inside: of two that begin together, the longer one comes first.
            let (a, b) = (slices[left], slices[right])
            return (a.track, a.start, -a.end, left) < (b.track, b.start, -b.end, right)
        }
        let pointOrder = points.indices.sorted { (points[$0].track, points[$0].time, $0) < (points[$1].track, points[$1].time, $1) }
        var next = 0
        var open: [Int] = []
        var track = -1
        for place in pointOrder {
            let point = points[place]
            if point.track != track {
                track = point.track
                open = []
                // Tracks without a point are passed over.
                while next < sliceOrder.count, slices[sliceOrder[next]].track < track { next += 1 }
            }
            func isHere() -> Bool { next < sliceOrder.count && slices[sliceOrder[next]].track == track }
            // One that begins here is the next one, for what belongs to that.
            if !point.isInside {
                while isHere(), slices[sliceOrder[next]].start < point.time { enter() }
                if isHere() { result[place] = sliceOrder[next] }
                continue
            }
            while isHere(), slices[sliceOrder[next]].start <= point.time { enter() }
            // Slices that ended before are closed: the last one that is still open is the innermost.
            while let last = open.last, slices[last].end < point.time { open.removeLast() }
            result[place] = open.last
        }
        return result

        func enter() {
            let slice = sliceOrder[next]
            // Slices on one track are nested, so the open ones are a stack.
            while let last = open.last, slices[last].end < slices[slice].start { open.removeLast() }
            open.append(slice)
            next += 1
        }
    }
}
