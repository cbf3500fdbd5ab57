extension ReportDocument {
    /// The launch in the Trace Event Format, which Perfetto (<https://ui.perfetto.dev>) and `chrome://tracing` open.
    ///
    /// The launch, the main thread and each lane are a track; an operation is a slice on its track, a dependency an arrow from the end of one slice to the
    /// start of another. What never started is an instant on a track of its own. Times are in microseconds from the launch's begin, exact to the
    /// nanosecond. A slice has a length of at least one nanosecond, and begins as many nanoseconds later as it takes to come after such slices of
    /// what it came after. Where an operation gave back its lane, to pause before another attempt for instance, and another one ran there, the lane has a
    /// second track. A dependency that the operation did not wait for, because it was put off or never started, has no arrow.
    ///
    /// The format: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.
    ///
    /// - Parameter pretty: two spaces a level, or all in one line. Neither ends with a newline.
    /// - Complexity: O(dependencies + operations · log operations).
    public func chromeTrace(pretty: Bool = false) -> String {
        let slices = TraceSlices(self)
        let text = JSONWriter.object(pretty: pretty) { json in
            json.write("ms", for: "displayTimeUnit")
            json.writeArray(for: "traceEvents") { json in
                writeTracks(slices, to: &json)
                writeLaunch(to: &json)
                for node in slices.order { writeOperation(node, slices, to: &json) }
            }
            json.writeObject(for: "otherData") { json in
                json.write(scenario, for: "scenario")
                if let version { json.write(version, for: "version") }
                if let startedAt { json.write(startedAt.formatted(Self.timestamp), for: "startedAt") }
                json.write(verdictText, for: "verdict")
            }
        }
        return Self.withoutFinalBackslashes(text)
    }

    /// The same JSON, in which no text ends with two backslashes: the last of a text's characters is written as its number then.
    ///
    /// Perfetto (version 52 at least) takes a quote behind two backslashes for an escaped one, and refuses the whole trace.
    private static func withoutFinalBackslashes(_ json: String) -> String {
        let (backslash, quote) = (UInt8(ascii: "\\"), UInt8(ascii: "\""))
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

    private func writeTracks(_ slices: TraceSlices, to json: inout JSONWriter) {
        json.writeEvent("process_name", "M") { json in
            json.writeObject(for: "args") { $0.write(scenario.isEmpty ? "launch" : scenario, for: "name") }
        }
        for (track, name) in slices.trackNames.enumerated() {
            json.writeEvent("thread_name", "M", track: track) { json in
                json.writeObject(for: "args") { $0.write(name, for: "name") }
            }
            json.writeEvent("thread_sort_index", "M", track: track) { json in
                json.writeObject(for: "args") { $0.write(track, for: "sort_index") }
            }
        }
    }

    private func writeLaunch(to json: inout JSONWriter) {
        // Readers take an empty name for a fault.
        json.writeEvent(scenario.isEmpty ? "launch" : scenario, "X", at: 0, length: max(makespan.nanoseconds, 1)) { json in
            json.writeObject(for: "args") { json in
                json.write(outcomeText, for: "outcome")
                json.write(verdictText, for: "verdict")
                json.write(criticalPath, for: "critical path")
            }
        }
        if let limit = BudgetClock(self).limit {
            json.writeEvent("budget \(durationText(budget.budget.limit))", "i", at: limit) { $0.write("g", for: "s") }
        }
    }

    private func writeOperation(_ node: Int, _ slices: TraceSlices, to json: inout JSONWriter) {
        let operation = operations[node]
        guard let slice = slices[node] else {
            json.writeEvent(operation.id, "i", track: slices.instants, at: max(operation.end.nanoseconds, 0)) { json in
                json.write("t", for: "s")
                json.writeArguments(of: operation)
            }
            return
        }
        json.writeEvent(operation.id, "X", track: slice.track, at: slice.start, length: slice.end - slice.start) { json in
            json.write(operation.marks.first ?? "operation", for: "cat")
            json.writeArguments(of: operation)
        }
        for arrow in slices.arrowsIn[node] {
            json.writeEvent("after", "f", track: slice.track, at: slice.start) { json in
                json.write("e", for: "bp")
                json.write("dependency", for: "cat")
                json.write(arrow, for: "id")
            }
        }
        for arrow in slices.arrowsOut[node] {
            // An arrow begins inside its slice, whose end is no longer part of it.
            json.writeEvent("after", "s", track: slice.track, at: slice.end - 1) { json in
                json.write("dependency", for: "cat")
                json.write(arrow, for: "id")
            }
        }
    }
}

extension LaunchReport {
    /// The launch in the Trace Event Format; see ``ReportDocument/chromeTrace(pretty:)``.
    public func chromeTrace() -> String { ReportDocument(self).chromeTrace() }
}

extension JSONWriter {
    /// Writes an event on a track of the launch's only process.
    fileprivate mutating func writeEvent(
        _ name: String,
        _ phase: String,
        track: Int = 0,
        at time: Nanoseconds? = nil,
        length: Nanoseconds? = nil,
        _ members: (inout JSONWriter) -> Void
    ) {
        writeObject { json in
            json.write(name, for: "name")
            json.write(phase, for: "ph")
            json.write(1, for: "pid")
            json.write(track + 1, for: "tid")
            if let time { json.write(microseconds: time, for: "ts") }
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
