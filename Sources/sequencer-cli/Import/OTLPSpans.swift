import Foundation
import Sequencer

/// Reads spans in OTLP/JSON, one document or several, one after the other, as collectors write them to files.
///
/// A root that spans all others is the launch itself; every other span is an operation. It comes after the spans that it links to, and
/// after its parent if that had ended before; a span that it ran inside of is not a dependency. Exports of this tool say more in
/// attributes, which are read, too; the scopes of their launch are left out.
func readOTLP(_ json: inout JSONCursor) throws(JSONFault) -> ImportedLaunch {
    var reader = OTLPReader()
    // At least once: an empty file is a mistake, not an empty trace.
    repeat {
        try json.object { json, key throws(JSONFault) in
            if key != "resourceSpans" { return try json.skipValue() }
            try json.array { json throws(JSONFault) in try reader.readResource(&json) }
        }
    } while !json.isAtEnd()
    reader.dropScopes()
    return reader.launch()
}

private struct OTLPReader {
    private struct Span {
        var id = ""
        var parent = ""
        var links: [String] = []
        var operation = ImportedOperation(name: "", end: 0)
        var result = ExportedResult()
        /// Whether it is a scope in an export of this tool.
        var isScope = false
    }

    private var spans: [Span] = []
    private var service: String?
    private var version: String?
    /// Whether it is an export of this tool.
    private var isExport = false

    mutating func readResource(_ json: inout JSONCursor) throws(JSONFault) {
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "resource":
                try json.object { json, key throws(JSONFault) in
                    if key != "attributes" { return try json.skipValue() }
                    try readAttributes(&json) { reader, key, values in
                        // The first resource names the launch: a trace may hold spans of several services.
                        if key == "service.name" { reader.service = reader.service ?? values.first }
                        if key == "service.version" { reader.version = reader.version ?? values.first }
                    }
                }
            // The second is how it was called before version 0.15.
            case "scopeSpans", "instrumentationLibrarySpans":
                try json.array { json throws(JSONFault) in
                    try json.object { json, key throws(JSONFault) in
                        if key != "spans" { return try json.skipValue() }
                        try json.array { json throws(JSONFault) in try readSpan(&json) }
                    }
                }
            default: try json.skipValue()
            }
        }
    }

    private mutating func readSpan(_ json: inout JSONCursor) throws(JSONFault) {
        // To the span's brace, for the place in messages.
        _ = json.next()
        let offset = json.offset
        if spans.count == ImportedLaunch.operationLimit { throw tooManyOperations(offset) }
        var span = Span()
        var (start, end) = (Nanoseconds?.none, Nanoseconds?.none)
        var details = ImportedOperation.Details()
        var isOwn = false
        var (hasFailed, message) = (false, String?.none)
        try json.object { json, key throws(JSONFault) in
            switch key {
            case "spanId": span.id = try json.text()
            case "parentSpanId": span.parent = try json.text()
            case "name": span.operation.name = try json.text()
            // Zero digits: these are nanoseconds already.
            case "startTimeUnixNano": start = try json.time(digits: 0)
            case "endTimeUnixNano": end = try json.time(digits: 0)
            case "links":
                try json.array { json throws(JSONFault) in
                    try json.object { json, key throws(JSONFault) in
                        if key == "spanId" { span.links.append(try json.text()) } else { try json.skipValue() }
                    }
                }
            case "attributes":
                try readAttributes(&json) { _, key, values in
                    if span.operation.read(key, values, &details) { isOwn = true }
                    if key == "sequencer.scope" { span.isScope = true }
                    // Each attribute goes to both: which span is the launch is known only after all of them have been read.
                    span.result.read(key, values)
                }
            case "status":
                try json.object { json, key throws(JSONFault) in
                    switch key {
                    case "code":
                        // Both spellings are in use: the number of protobuf's enumeration, and its name.
                        let code = try json.identifier()
                        hasFailed = code == "2" || code == "STATUS_CODE_ERROR"
                    case "message": message = try json.optionalText()
                    default: try json.skipValue()
                    }
                }
            default: try json.skipValue()
            }
        }
        guard let start else { throw JSONFault(offset, .mistake("missing key 'startTimeUnixNano' in a span")) }
        guard let end else { throw JSONFault(offset, .mistake("missing key 'endTimeUnixNano' in a span")) }
        if isOwn { isExport = true }
        if end < start { throw JSONFault(offset, .mistake("the span \(quoted(span.operation.name)) ended before it started")) }
        // The outcome of an own span is more exact than an error of its status.
        if !isOwn, hasFailed { (details.outcome, details.message) = (.failed, message) }
        // An operation that never started has a span without a length.
        span.operation.start = isOwn && details.attempts == 0 && start == end ? nil : start
        span.operation.end = end
        // Most spans of a large trace have nothing to tell: they share one nil.
        if isOwn || hasFailed { span.operation.details = details }
        span.result.message = message
        spans.append(span)
    }

    /// Reads attributes; `take` is given those with texts, numbers or truths, or lists of them.
    private mutating func readAttributes(
        _ json: inout JSONCursor,
        _ take: (inout OTLPReader, String, [String]) -> Void
    ) throws(JSONFault) {
        try json.array { json throws(JSONFault) in
            var name = ""
            var values: [String] = []
            try json.object { json, key throws(JSONFault) in
                switch key {
                case "key": name = try json.text()
                case "value": try json.readAttributeValue(into: &values)
                default: try json.skipValue()
                }
            }
            take(&self, name, values)
        }
    }

    // MARK: The launch

    /// Drops the spans of scopes and all below them: these are launches of their own, and may go on when the launch has ended.
    mutating func dropScopes() {
        guard spans.contains(where: \.isScope) else { return }
        let identifiers = Set(spans.lazy.map(\.id))
        let children = Dictionary(grouping: spans.indices) { spans[$0].parent }
        var isDropped = [Bool](repeating: false, count: spans.count)
        // A scope alone, without its launch, is the launch of its file.
        var pending = spans.indices.filter { spans[$0].isScope && identifiers.contains(spans[$0].parent) }
        while let place = pending.popLast() {
            // Parents in a file may form a circle.
            if isDropped[place] { continue }
            isDropped[place] = true
            pending += children[spans[place].id] ?? []
        }
        spans = zip(spans, isDropped).filter { !$0.1 }.map { $0.0 }
    }

    func launch() -> ImportedLaunch {
        // Of spans with one identifier the first one counts. One without any has no children: they would be all spans without a parent.
        let places = Dictionary(spans.enumerated().filter { !$1.id.isEmpty }.map { ($1.id, $0) }) { first, _ in first }
        let root = root(places)
        var launch = ImportedLaunch(name: service ?? "trace")
        launch.version = version
        if let root {
            let operation = spans[root].operation
            if !operation.name.isEmpty { launch.name = operation.name }
            (launch.begin, launch.end) = (operation.start, operation.end)
            // A root of another program may leave out dependencies; an export names all.
            launch.knowsDependencies = isExport
            if isExport { spans[root].result.add(to: &launch) }
        }
        let begin = launch.begin ?? spans.lazy.map { $0.operation.start ?? $0.operation.end }.min()
        // A report's date has milliseconds.
        launch.startedAt = begin.map { Date(timeIntervalSince1970: Double($0 / 1_000_000) / 1000) }
        // The places of spans among the operations, where the root has none.
        let shift = { (place: Int) in root.map { place > $0 ? place - 1 : place } ?? place }
        for (place, span) in spans.enumerated() where place != root {
            var operation = span.operation
            // Parents too: whether one had ended before is decided by the times, in `report()`.
            operation.dependencies = (span.links + [span.parent]).compactMap { places[$0] }.filter { $0 != root && $0 != place }.map(shift)
            launch.operations.append(operation)
        }
        launch.reconstructLanes()
        return launch
    }

    /// The only span without a parent, if it spans others, and all of them.
    private func root(_ places: [String: Int]) -> Int? {
        // A parent outside the file makes a root: a trace may be a part of a larger one.
        let roots = spans.indices.filter { places[spans[$0].parent] == nil }
        guard roots.count == 1, spans.count > 1, let start = spans[roots[0]].operation.start else { return nil }
        let end = spans[roots[0]].operation.end
        // A root that ends early does not frame the others: it is one of them.
        let isAround = spans.allSatisfy { ($0.operation.start ?? $0.operation.end) >= start && $0.operation.end <= end }
        return isAround ? roots[0] : nil
    }
}

extension JSONCursor {
    /// The value of an attribute: `{"stringValue": "x"}`, or an array of such; other kinds are skipped.
    fileprivate mutating func readAttributeValue(into values: inout [String]) throws(JSONFault) {
        try object { json, key throws(JSONFault) in
            switch key {
            case "stringValue": values.append(try json.text())
            case "intValue", "doubleValue": values.append(try json.identifier())
            case "boolValue":
                if json.next() == UInt8(ascii: "t") { values.append("true") }
                try json.skipValue()
            case "arrayValue":
                try json.object { json, key throws(JSONFault) in
                    if key != "values" { return try json.skipValue() }
                    try json.array { json throws(JSONFault) in
                        try json.object { json, key throws(JSONFault) in
                            if key == "stringValue" { values.append(try json.text()) } else { try json.skipValue() }
                        }
                    }
                }
            default: try json.skipValue()
            }
        }
    }
}

extension ImportedOperation {
    /// Takes over an attribute that this tool's export writes.
    ///
    /// - Returns: whether it is the one that all of these have.
    fileprivate mutating func read(_ key: String, _ values: [String], _ details: inout Details) -> Bool {
        guard key.hasPrefix("sequencer."), let value = values.first else { return false }
        switch key.dropFirst("sequencer.".count) {
        case "outcome": details.outcome = Outcome(rawValue: value) ?? .succeeded
        case "failure": details.failure = Outcome(rawValue: value)
        case "title": details.title = value
        case "lane":
            isMain = value == "main"
            lane = value.hasPrefix("lane ") ? Int(value.dropFirst(5)).flatMap { 1...ImportedLaunch.operationLimit ~= $0 ? $0 : nil } : nil
        case "attempts":
            details.attempts = max(Int(value) ?? 1, 0)
            return true
        case "expected_ms":
            details.expected = nanoseconds(value, digits: 6).flatMap { $0 < 0 ? nil : .nanoseconds($0) }
        case "message": details.message = value
        case "notes": details.notes = values
        // Marks that are false are not there.
        case let mark: if value == "true" { details.add(mark: String(mark)) }
        }
        return false
    }
}
