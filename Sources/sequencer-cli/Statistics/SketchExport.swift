import Foundation
import Sequencer

/// The forms of sketches for engines that merge those of any number of machines.
enum SketchFormat: String, CaseIterable, Sendable {
    /// Lines of ClickHouse's TabSeparated: scenario, version, outcome, launches, and the state of `quantilesDD` in hexadecimal.
    case clickhouse
    /// Exponential histograms in OTLP/JSON, which any collector of OpenTelemetry accepts (`POST /v1/metrics`). Prometheus makes native histograms of them.
    case otlp
}

/// The times of the launches of one group that have one outcome, or their times to the initial display.
struct LaunchSketch {
    private static let initialDisplay = "initial-display"

    let key: LaunchStatistics.Key
    let outcome: String
    let sketch: QuantileSketch

    /// The sketches of all groups, in the order in which `stats` prints them.
    static func all(_ statistics: LaunchStatistics) -> [LaunchSketch] {
        statistics.sortedGroups.flatMap { group in
            var sketches = LaunchOutcome.allCases.compactMap { outcome in
                group.times[outcome].map { LaunchSketch(key: group.key, outcome: outcome.rawValue, sketch: $0) }
            }
            if group.displays.count > 0 {
                sketches.append(LaunchSketch(key: group.key, outcome: initialDisplay, sketch: group.displays))
            }
            return sketches
        }
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
    static func otlp(_ sketches: [LaunchSketch], time: Int64) -> String {
        JSONWriter.object(pretty: false) { json in
            json.writeObjects([sketches], for: "resourceMetrics") { json, sketches in
                json.writeObject(for: "resource") { json in
                    json.writeObjects([("service.name", "sequencer")], for: "attributes") { $0.writeAttribute($1.0, $1.1) }
                }
                json.writeObjects([sketches], for: "scopeMetrics") { json, sketches in
                    json.writeObject(for: "scope") { $0.write("sequencer", for: "name") }
                    json.writeObjects([sketches], for: "metrics") { json, sketches in
                        json.write("sequencer.launch.duration", for: "name")
                        json.write("The measured times of launches, and the times to their initial displays.", for: "description")
                        json.write("ms", for: "unit")
                        json.writeObject(for: "exponentialHistogram") { json in
                            // Cumulative.
                            json.write(2, for: "aggregationTemporality")
                            json.writeObjects(sketches, for: "dataPoints") { $1.writePoint(to: &$0, time: time) }
                        }
                    }
                }
            }
        } + "\n"
    }

    /// 64-bit numbers are strings: <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>. The sum is left out: the sketch does not know it.
    private func writePoint(to json: inout JSONWriter, time: Int64) {
        var attributes = [("sequencer.scenario", key.scenario), ("sequencer.outcome", outcome)]
        if let version = key.version { attributes.append(("service.version", version)) }
        json.writeObjects(attributes, for: "attributes") { $0.writeAttribute($1.0, $1.1) }
        json.write(String(time), for: "timeUnixNano")
        json.write(String(sketch.count), for: "count")
        json.write(Int(log2(QuantileSketch.bucketsPerDoubling)), for: "scale")
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

extension JSONWriter {
    fileprivate mutating func writeAttribute(_ key: String, _ value: String) {
        write(key, for: "key")
        writeObject(for: "value") { $0.write(value, for: "stringValue") }
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
