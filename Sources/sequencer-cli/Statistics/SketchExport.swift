import Foundation
import Sequencer

/// The forms of sketches for engines that merge those of any number of machines.
enum SketchFormat: String, CaseIterable, Sendable {
    /// Lines of ClickHouse's TabSeparated: scenario, version, outcome, launches, and the state of `quantilesDD` in hexadecimal.
    case clickhouse
    /// Exponential histograms in OTLP/JSON, which any collector of OpenTelemetry accepts (`POST /v1/metrics`). Prometheus makes native histograms of them.
    /// With the counts beside them they say all that a summary does: ``SketchReader`` reads them back.
    case otlp
}

/// The metrics of OTLP that say of launches what a summary does.
enum SketchMetric: String, CaseIterable {
    case duration = "sequencer.launch.duration"
    case misses = "sequencer.launch.budget.misses"
    /// Absent where no initial display has a budget, and in older sketches.
    case displayVerdicts = "sequencer.launch.initial_display.budget.verdicts"
    case crashes = "sequencer.launch.crashes"
    case lines = "sequencer.lines"

    var text: String {
        switch self {
        case .duration: "The measured times of launches, and the times to their initial displays."
        case .misses: "The launches that missed a budget that they had."
        case .displayVerdicts: "The launches with a verdict on the budget of their initial display, by the verdict."
        case .crashes: "The launches that ended with their process, by the operation that ran, where it is known."
        case .lines: "The lines that reports and crashes were read from, by whether they could be read."
        }
    }

    var unit: String {
        switch self {
        case .duration: "ms"
        case .misses, .displayVerdicts, .crashes: "{launch}"
        case .lines: "{line}"
        }
    }

    /// Those that there is something to say of.
    static func all(of groups: [LaunchGroup]) -> [SketchMetric] {
        allCases.filter { $0 != .displayVerdicts || groups.contains { $0.displayVerdicts.launches > 0 } }
    }
}

/// The attributes of their points.
enum SketchAttribute {
    static let scenario = "sequencer.scenario"
    static let version = "service.version"
    static let outcome = "sequencer.outcome"
    static let operation = "sequencer.operation"
    static let displayVerdict = "sequencer.initial_display.budget.verdict"
    static let isBroken = "sequencer.broken"
    /// The group of all that is not told apart, as OpenTelemetry marks it:
    /// <https://opentelemetry.io/docs/specs/otel/metrics/sdk/#overflow-attribute>.
    static let isOther = "otel.metric.overflow"
}

/// The times of the launches of one group that have one outcome, or their times to the initial display.
struct LaunchSketch {
    /// In the place of an outcome: the times are those to the initial display.
    static let initialDisplay = "initial-display"

    let key: LaunchStatistics.Key
    /// Whether its group is that of all further ones.
    let isOther: Bool
    let outcome: String
    let sketch: QuantileSketch

    /// The sketches of all groups, in the order in which `stats` prints them.
    static func all(_ statistics: LaunchStatistics) -> [LaunchSketch] {
        statistics.sortedGroups.flatMap { group in
            var sketches = LaunchOutcome.allCases.compactMap { outcome in
                group.times[outcome].map { LaunchSketch(group, outcome.rawValue, $0) }
            }
            if group.displays.count > 0 { sketches.append(LaunchSketch(group, initialDisplay, group.displays)) }
            return sketches
        }
    }

    private init(_ group: LaunchGroup, _ outcome: String, _ sketch: QuantileSketch) {
        key = group.key
        isOther = group.isOther
        self.outcome = outcome
        self.sketch = sketch
    }

    // MARK: ClickHouse

    /// A line of TabSeparated; a version that nobody said is empty.
    var clickHouseLine: String {
        let texts = [key.scenario, key.version ?? "", outcome].map(Self.escaped)
        return (texts + ["\(sketch.count)", Self.hexadecimal(sketch.clickHouseState)]).joined(separator: "\t") + "\n"
    }

    /// As TabSeparated has it: <https://clickhouse.com/docs/interfaces/formats/TabSeparated>.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\t": escaped += "\\t"
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\0": escaped += "\\0"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    // MARK: OTLP

    /// - Parameter time: nanoseconds since 1970.
    static func otlp(_ summary: LinesSummary, time: Int64) -> String {
        let groups = summary.statistics.sortedGroups
        return JSONWriter.object(pretty: false) { json in
            json.writeObjects([groups], for: "resourceMetrics") { json, groups in
                json.writeObject(for: "resource") { $0.writeAttributes([("service.name", "sequencer")]) }
                json.writeObjects([groups], for: "scopeMetrics") { json, groups in
                    json.writeObject(for: "scope") { $0.write("sequencer", for: "name") }
                    json.writeObjects(SketchMetric.all(of: groups), for: "metrics") { json, metric in
                        json.write(metric.rawValue, for: "name")
                        json.write(metric.text, for: "description")
                        json.write(metric.unit, for: "unit")
                        if metric == .duration {
                            json.writeObject(for: "exponentialHistogram") { json in
                                json.write(cumulative, for: "aggregationTemporality")
                                json.writeObjects(all(summary.statistics), for: "dataPoints") { $1.writePoint(to: &$0, time: time) }
                            }
                        } else {
                            json.writeObject(for: "sum") { json in
                                json.write(cumulative, for: "aggregationTemporality")
                                json.write(true, for: "isMonotonic")
                                json.writeObjects(CountPoint.all(metric, summary, groups), for: "dataPoints") {
                                    $1.write(to: &$0, time: time)
                                }
                            }
                        }
                    }
                }
            }
        } + "\n"
    }

    private static let cumulative = 2

    /// 64-bit numbers are strings: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>. The sum is left out: the sketch does not know it.
    private func writePoint(to json: inout JSONWriter, time: Int64) {
        json.writeAttributes(key.attributes + [(SketchAttribute.outcome, outcome)], isOther: isOther)
        json.write(String(time), for: "timeUnixNano")
        json.write(String(sketch.count), for: "count")
        json.write(QuantileSketch.scale, for: "scale")
        json.write(String(sketch.zeros), for: "zeroCount")
        json.write(decimal: QuantileSketch.range.lowerBound, for: "zeroThreshold")
        json.writeObject(for: "positive") { json in
            // There, a bucket is counted by its lower bound.
            json.write(sketch.first - 1, for: "offset")
            json.write(sketch.buckets.map { String($0) }, for: "bucketCounts")
        }
        json.write(decimal: sketch.minimum, for: "min")
        json.write(decimal: sketch.maximum, for: "max")
    }
}

/// A data point of a sum in OTLP, with its attributes.
private struct CountPoint {
    let attributes: [(String, String)]
    let isOther: Bool
    let count: Int

    static func all(_ metric: SketchMetric, _ summary: LinesSummary, _ groups: [LaunchGroup]) -> [CountPoint] {
        switch metric {
        // A histogram, and no count.
        case .duration: []
        // Also where none was missed: the rate of a group that is not there is unknown.
        case .misses:
            groups.filter { $0.reports > 0 }.map { CountPoint(attributes: $0.key.attributes, isOther: $0.isOther, count: $0.misses) }
        case .displayVerdicts: groups.flatMap(displayVerdicts)
        case .crashes: groups.flatMap(crashes)
        case .lines:
            [("false", summary.lines - summary.brokenLines), ("true", summary.brokenLines)].map { isBroken, count in
                CountPoint(attributes: [(SketchAttribute.isBroken, isBroken)], isOther: false, count: count)
            }
        }
    }

    private static func displayVerdicts(of group: LaunchGroup) -> [CountPoint] {
        let verdicts = group.displayVerdicts
        let counts = [("pass", verdicts.launches - verdicts.misses), ("fail", verdicts.misses)]
        return counts.filter { $0.1 > 0 }.map { verdict, count in
            let attributes = group.key.attributes + [(SketchAttribute.displayVerdict, verdict)]
            return CountPoint(attributes: attributes, isOther: group.isOther, count: count)
        }
    }

    private static func crashes(of group: LaunchGroup) -> [CountPoint] {
        let unknown = group.crashes - group.crashesByOperation.values.reduce(0, +)
        let known = group.sortedCrashes.map { crash in
            CountPoint(
                attributes: group.key.attributes + [(SketchAttribute.operation, crash.operation)],
                isOther: group.isOther,
                count: crash.count
            )
        }
        return unknown > 0 ? known + [CountPoint(attributes: group.key.attributes, isOther: group.isOther, count: unknown)] : known
    }

    func write(to json: inout JSONWriter, time: Int64) {
        json.writeAttributes(attributes, isOther: isOther)
        json.write(String(time), for: "timeUnixNano")
        json.write(String(count), for: "asInt")
    }
}

extension LaunchStatistics.Key {
    fileprivate var attributes: [(String, String)] {
        var attributes = [(SketchAttribute.scenario, scenario)]
        if let version { attributes.append((SketchAttribute.version, version)) }
        return attributes
    }
}

extension JSONWriter {
    fileprivate mutating func writeAttributes(_ texts: [(String, String)], isOther: Bool = false) {
        writeArray(for: "attributes") { json in
            for (key, text) in texts {
                json.writeObject { json in
                    json.write(key, for: "key")
                    json.writeObject(for: "value") { $0.write(text, for: "stringValue") }
                }
            }
            guard isOther else { return }
            json.writeObject { json in
                json.write(SketchAttribute.isOther, for: "key")
                json.writeObject(for: "value") { $0.write(true, for: "boolValue") }
            }
        }
    }
}

extension QuantileSketch {
    /// The accuracy that ClickHouse's `quantilesDD` has to be given: its buckets then grow as these do, to the last bit.
    static let accuracy = (growth - 1) / (growth + 1)

    /// The state of ClickHouse's `quantilesDD(accuracy, ...)(Float64)` for the same values, byte for byte where these are above 1 millisecond: below, ClickHouse rounds the
    /// numbers of buckets towards 0.
    ///
    /// Blocks, each after a byte that says its kind: growth and offset of the index, positive values, negative ones (none), the number of zeros
    /// (`src/AggregateFunctions/DDSketch.h` in ClickHouse).
    var clickHouseState: [UInt8] {
        var state = ClickHouseState()
        state.bytes.append(0b10)
        state.write(Self.growth)
        state.write(0.0)
        state.bytes.append(0b01)
        // There, a bucket is counted by its lower bound.
        state.writeStore(buckets, first: first - 1)
        state.bytes.append(0b11)
        state.writeStore([], first: 0)
        state.bytes.append(0b100)
        state.write(Double(zeros))
        return state.bytes
    }
}

private struct ClickHouseState {
    /// The first bucket of a store that has none.
    private static let none = Int(Int32.max)

    var bytes: [UInt8] = []

    mutating func write(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Writes buckets in the shorter of two forms: all from the first to the last, or those with something in them.
    mutating func writeStore(_ counts: [Int], first: Int) {
        let filled = counts.count { $0 > 0 }
        // A number of launches has eight bytes; a step to another bucket is taken to have two.
        if (counts.count - filled) * 8 <= filled * 2 {
            bytes.append(0b1100)
            write(unsigned: UInt64(counts.count))
            write(signed: counts.isEmpty ? Self.none : first)
            write(signed: 1)
            for count in counts { write(Double(count)) }
            return
        }
        bytes.append(0b100)
        write(unsigned: UInt64(filled))
        var last = 0
        for (place, count) in counts.enumerated() where count > 0 {
            write(signed: first + place - last)
            write(Double(count))
            last = first + place
        }
    }

    /// In groups of seven bits, the lowest first.
    private mutating func write(unsigned number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Small numbers of either sign are short: 0, -1, 1, -2 become 0, 1, 2, 3.
    private mutating func write(signed number: Int) {
        let number = Int64(number)
        write(unsigned: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
    }
}
