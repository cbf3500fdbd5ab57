import Sequencer

/// Reads what `stats --sketches otlp` has written on any number of machines, and adds it up: the result is that of all their launches, read at one place,
/// in any order, as far as scenarios and versions are told apart (``LaunchStatistics/groupLimit``).
///
/// A file with a broken document is refused as a whole: without that document, a machine would be missing.
struct SketchReader {
    /// More launches, or lines, are refused: so far, a `Double` holds every count.
    fileprivate static let most = 1 << 53

    private var statistics = LaunchStatistics()
    private var lines = 0
    private var brokenLines = 0
    /// All counts that were read, so that no sum of some of them is too large for a number.
    private var sum = 0

    init() {}

    var summary: LinesSummary { LinesSummary(statistics: statistics, lines: lines, brokenLines: brokenLines) }

    /// Adds the documents of a file, one after the other, in any layout.
    ///
    /// - Parameter file: the name of the file in messages.
    mutating func read(_ bytes: [UInt8], file: String) throws(ScenarioError) {
        guard let start = bytes.first(where: { !ASCII.isWhitespace($0) }), start == ASCII.openBrace || start == ASCII.openBracket else {
            // Such as the sketches for ClickHouse, whose states lack some of the counts.
            throw ScenarioError(file: file, position: SourcePosition(line: 1, column: 1), path: "", message: "expected \(Self.wanted)")
        }
        for document in SavedReports.documents(in: bytes) {
            do throws(ScenarioError) {
                try readDocument(Array(bytes[document]), file: file) { root, _ throws(ScenarioFault) in try add(root) }
            } catch {
                throw error.moved(by: SourceLines(bytes).position(of: document.lowerBound))
            }
        }
    }

    private static let wanted = "the sketches that 'stats --sketches otlp' writes"

    private mutating func add(_ root: ScenarioField) throws(ScenarioFault) {
        guard let resources = root.child("resourceMetrics") else {
            throw root.fault("missing key 'resourceMetrics'; expected \(Self.wanted)")
        }
        // Those that each sketch has.
        var missing = SketchMetric.all(of: [])
        for resource in try resources.elements() {
            for scope in try resource.required("scopeMetrics").elements() {
                for field in try scope.required("metrics").elements() {
                    // A collector may have put those of other programs beside them.
                    guard let metric = SketchMetric(rawValue: try field.required("name").string()) else { continue }
                    missing.removeAll { $0 == metric }
                    for point in try field.required(metric == .duration ? "exponentialHistogram" : "sum").list("dataPoints") {
                        try add(point, of: metric)
                    }
                }
            }
        }
        if let metric = missing.first { throw resources.fault("the metric '\(metric.rawValue)' is missing; expected \(Self.wanted)") }
        // Checked at the end: metrics come in any order.
        for group in statistics.groups where group.misses > group.reports {
            throw resources.fault("scenario \(quoted(group.key.scenario, limit: 60)) has more budget misses than launches")
        }
        for group in statistics.groups where group.displayVerdicts.launches > group.reports {
            throw resources.fault("scenario \(quoted(group.key.scenario, limit: 60)) has more verdicts on initial displays than launches")
        }
    }

    private mutating func add(_ point: ScenarioField, of metric: SketchMetric) throws(ScenarioFault) {
        let attributes = try point.attributes()
        if metric == .lines {
            let count = try take(point.count("asInt"), at: point)
            lines += count
            if attributes[SketchAttribute.isBroken] == "true" { brokenLines += count }
            return
        }
        guard let scenario = attributes[SketchAttribute.scenario] else {
            throw point.fault("the attribute '\(SketchAttribute.scenario)' is missing")
        }
        let key = LaunchStatistics.Key(scenario: scenario, version: attributes[SketchAttribute.version])
        let isOther = attributes[SketchAttribute.isOther] == "true"
        switch metric {
        case .duration:
            let outcome = try outcome(attributes[SketchAttribute.outcome], at: point)
            let sketch = try sketch(point)
            // No group comes of no launches.
            if sketch.count == 0 { return }
            statistics.update(key, isOther: isOther) { group in
                if let outcome { group.add(sketch, of: outcome) } else { group.add(displays: sketch) }
            }
        case .misses:
            let count = try take(point.count("asInt"), at: point)
            if count > 0 { statistics.update(key, isOther: isOther) { $0.add(misses: count) } }
        case .displayVerdicts:
            let isMet = try isMet(attributes[SketchAttribute.displayVerdict], at: point)
            let count = try take(point.count("asInt"), at: point)
            let verdicts = BudgetVerdicts(launches: count, misses: isMet ? 0 : count)
            if count > 0 { statistics.update(key, isOther: isOther) { $0.add(displayVerdicts: verdicts) } }
        case .crashes:
            let count = try take(point.count("asInt"), at: point)
            let operation = attributes[SketchAttribute.operation]
            if count > 0 { statistics.update(key, isOther: isOther) { $0.add(crashes: count, of: operation) } }
        case .lines: break
        }
    }

    /// - Returns: nil for the initial display.
    private func outcome(_ text: String?, at point: ScenarioField) throws(ScenarioFault) -> LaunchOutcome? {
        guard let text else { throw point.fault("the attribute '\(SketchAttribute.outcome)' is missing") }
        if text == LaunchSketch.initialDisplay { return nil }
        guard let outcome = LaunchOutcome(rawValue: text) else {
            let words = LaunchOutcome.allCases.map(\.rawValue) + [LaunchSketch.initialDisplay]
            throw point.fault(unknownWord(text, called: "outcome", among: words))
        }
        return outcome
    }

    private func isMet(_ verdict: String?, at point: ScenarioField) throws(ScenarioFault) -> Bool {
        guard let verdict else { throw point.fault("the attribute '\(SketchAttribute.displayVerdict)' is missing") }
        guard verdict == "pass" || verdict == "fail" else {
            throw point.fault(unknownWord(verdict, called: "verdict", among: ["pass", "fail"]))
        }
        return verdict == "pass"
    }

    private mutating func sketch(_ point: ScenarioField) throws(ScenarioFault) -> QuantileSketch {
        let scale = try point.required("scale")
        guard try scale.integer(in: -10...20) == QuantileSketch.scale else {
            throw scale.fault("expected a scale of \(QuantileSketch.scale): other buckets do not add up with these")
        }
        let zeros = try take(point.count("zeroCount"), at: point)
        let positive = point.child("positive")
        let buckets = try positive?.list("bucketCounts") ?? []
        // There, a bucket is counted by its lower bound.
        var first = 1
        // Protocol Buffers write no 0.
        if let offset = positive?.child("offset") { first += try offset.integer(in: -100_000...100_000) }
        var (total, counts) = (zeros, [Int]())
        for (place, bucket) in buckets.enumerated() {
            let count = try take(bucket.count(), at: bucket)
            guard count == 0 || QuantileSketch.indices.contains(first + place) else {
                throw bucket.fault("expected no launch in a bucket of times that no launch takes")
            }
            counts.append(count)
            total += count
        }
        guard try point.count("count") == total else { throw point.fault("expected a 'count' of \(total), as many as its buckets have") }
        if total == 0 { return QuantileSketch() }
        let (minimum, maximum) = (try time("min", of: point), try time("max", of: point))
        guard minimum <= maximum else { throw point.fault("expected 'min' to be at most 'max'") }
        return QuantileSketch(zeros: zeros, first: first, counts: counts, minimum: minimum, maximum: maximum)
    }

    private func time(_ key: String, of point: ScenarioField) throws(ScenarioFault) -> Double {
        try point.required(key).number(in: 0...QuantileSketch.range.upperBound)
    }

    private mutating func take(_ count: Int, at field: ScenarioField) throws(ScenarioFault) -> Int {
        sum += count
        guard sum <= Self.most else { throw field.fault("more launches than \(Self.most)") }
        return count
    }
}

extension ScenarioField {
    /// The elements of an array; none where it is not there, since Protocol Buffers write no empty one.
    fileprivate func list(_ key: String) throws(ScenarioFault) -> [ScenarioField] {
        guard let field = child(key) else { return [] }
        return try field.elements()
    }

    /// The count at a key; 0 where it is not there, since Protocol Buffers write no 0.
    fileprivate func count(_ key: String) throws(ScenarioFault) -> Int {
        guard let field = child(key) else { return 0 }
        return try field.count()
    }

    /// A count, which is a text: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>. Some write it as a number.
    fileprivate func count() throws(ScenarioFault) -> Int {
        let text: String
        switch value.content {
        case .string(let string): text = string
        case .number(let number): text = number
        default: throw expected("a whole number in quotes")
        }
        guard let count = Int(text), 0...SketchReader.most ~= count else {
            throw fault("expected a whole number from 0 to \(SketchReader.most), found \(quoted(text, limit: 24))")
        }
        return count
    }

    /// The attributes of a data point that are texts, or true or false.
    fileprivate func attributes() throws(ScenarioFault) -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in try list("attributes") {
            let (key, value) = (try attribute.required("key").string(), try attribute.required("value"))
            if let text = value.child("stringValue") {
                attributes[key] = try text.string()
            } else if let flag = value.child("boolValue") {
                attributes[key] = try flag.bool() ? "true" : "false"
            }
        }
        return attributes
    }
}

extension ScenarioError {
    /// The same mistake in a document that begins at this place of the file.
    fileprivate func moved(by start: SourcePosition) -> ScenarioError {
        let column = position.line == 1 ? start.column + position.column - 1 : position.column
        let place = SourcePosition(line: start.line + position.line - 1, column: column)
        return ScenarioError(file: file, position: place, path: path, message: message)
    }
}
