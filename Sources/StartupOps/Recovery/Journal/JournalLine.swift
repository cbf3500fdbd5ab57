import Foundation
import Sequencer

/// One line of a journal: something that happened in a launch. `Schemas/journal.schema.json` describes it.
struct JournalLine: Codable, Equatable, Sendable {
    static let schema = "sequencer.journal/1"

    /// The kinds of events. Unknown words are a later version's, and are passed over.
    enum Event: String, Codable, CaseIterable {
        /// The journal was opened: the first line.
        case began
        /// The scenario is decided, and how much of it is launched.
        case planned
        /// A launch begins with the journal, after another one that had it.
        case relaunched
        /// An attempt of an operation starts, or has failed and is repeated later; an operation has ended.
        case started, retrying, ended
        /// A person is asked something, or has answered.
        case asked, answered
        /// No operation has ended for a while.
        case stalled
        /// The launch has become one of another kind.
        case kind
        /// The person ends the launch.
        case quit
        /// No operation will run any more.
        case over
        /// The launch has ended, with this outcome.
        case outcome
        /// The app has worked for a while.
        case healthy
    }

    var event: Event?
    /// Since the journal was opened, in milliseconds.
    var ms: Double?
    var schema: String?
    /// When the journal was opened, by the wall clock: ISO 8601, in UTC.
    var at: String?
    var process: Int?
    var version: String?
    var kind: LaunchKind?
    var scenario: String?
    var level: RecoveryLevel?
    /// The operations that are left out.
    var skipped: [String]?
    /// The operations that cannot be left out.
    var required: [String]?
    /// Whether the update check comes after the milestone.
    var updateLast: Bool?
    var reason: String?
    var operation: String?
    var attempt: Int?
    var outcome: String?
    /// Whether something stopped the launch before everything in it had ended.
    var stopped: Bool?
    /// Whether a configuration was on trial when the launch failed.
    var trial: Bool?

    init(_ event: Event, operation: String? = nil, attempt: Int? = nil, outcome: String? = nil) {
        self.event = event
        self.operation = operation
        self.attempt = attempt
        self.outcome = outcome
    }

    /// Says how much of the launch is left out, and why.
    mutating func set(_ recovery: Recovery) {
        level = recovery.level
        if !recovery.skipped.isEmpty { skipped = recovery.skipped }
        if recovery.asksForUpdateLast { updateLast = true }
        reason = recovery.reason
    }

    // MARK: Writing

    /// The line, its newline included. An encoder would take ten times as long.
    var bytes: [UInt8] {
        let text = JSONWriter.object(pretty: false) { json in
            if let schema { json.write(schema, for: "schema") }
            if let event { json.write(event.rawValue, for: "event") }
            if let ms { json.write(milliseconds: .microseconds(Int64(ms * 1e3)), for: "ms") }
            if let at { json.write(at, for: "at") }
            if let process { json.write(process, for: "process") }
            if let version { json.write(version, for: "version") }
            if let kind { json.write(kind.rawValue, for: "kind") }
            if let scenario { json.write(scenario, for: "scenario") }
            if let level { json.write(level.rawValue, for: "level") }
            if let skipped { json.write(skipped, for: "skipped") }
            if let required { json.write(required, for: "required") }
            if let updateLast { json.write(updateLast, for: "updateLast") }
            if let operation { json.write(operation, for: "operation") }
            if let attempt { json.write(attempt, for: "attempt") }
            if let outcome { json.write(outcome, for: "outcome") }
            if let stopped { json.write(stopped, for: "stopped") }
            if let trial { json.write(trial, for: "trial") }
            if let reason { json.write(reason, for: "reason") }
        }
        return Array(text.utf8) + [UInt8(ascii: "\n")]
    }

    // MARK: Reading

    /// The lines of a file that may have been cut anywhere, and may hold anything, with the numbers of those that make no sense.
    static func parse(_ data: Data) -> (lines: [JournalLine], damaged: [Int]) {
        var lines: [JournalLine] = []
        var damaged: [Int] = []
        let decoder = JSONDecoder()
        var (number, rest) = (0, data[...])
        // Both limits: valid lines take memory, others take time (P15).
        while !rest.isEmpty, lines.count < maximumLines, damaged.count < maximumDamaged {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            let bytes = rest[..<end]
            rest = end == rest.endIndex ? rest[end...] : rest[(end + 1)...]
            number += 1
            // An empty line ends a torn one, and is not damage.
            if bytes.isEmpty { continue }
            if let line = try? decoder.decode(JournalLine.self, from: Data(bytes)) {
                // An event of a later version is sound, and says nothing here.
                if line.event != nil { lines.append(line) }
            } else {
                damaged.append(number)
            }
        }
        return (lines, damaged)
    }

    /// More than the longest launch writes.
    private static let maximumLines = 100_000
    /// After this many unreadable lines a file is read no further: each takes its time, and a launch waits.
    private static let maximumDamaged = 1_000

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func word<Word: RawRepresentable<String>>(_ key: CodingKeys, _: Word.Type) throws -> Word? {
            try values.decodeIfPresent(String.self, forKey: key).flatMap(Word.init)
        }
        event = Event(rawValue: try values.decode(String.self, forKey: .event))
        ms = try values.decodeIfPresent(Double.self, forKey: .ms).map { min(max($0, 0), 1e12) }
        schema = try values.decodeIfPresent(String.self, forKey: .schema)
        at = try values.decodeIfPresent(String.self, forKey: .at)
        process = try values.decodeIfPresent(Int.self, forKey: .process)
        version = try values.decodeIfPresent(String.self, forKey: .version)
        kind = try word(.kind, LaunchKind.self)
        scenario = try values.decodeIfPresent(String.self, forKey: .scenario)
        level = try word(.level, RecoveryLevel.self)
        skipped = try values.decodeIfPresent([String].self, forKey: .skipped)
        required = try values.decodeIfPresent([String].self, forKey: .required)
        updateLast = try values.decodeIfPresent(Bool.self, forKey: .updateLast)
        reason = try values.decodeIfPresent(String.self, forKey: .reason)
        operation = try values.decodeIfPresent(String.self, forKey: .operation)
        attempt = try values.decodeIfPresent(Int.self, forKey: .attempt)
        outcome = try values.decodeIfPresent(String.self, forKey: .outcome)
        stopped = try values.decodeIfPresent(Bool.self, forKey: .stopped)
        trial = try values.decodeIfPresent(Bool.self, forKey: .trial)
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case event, ms, schema, at, process, version, kind, scenario, level, skipped, required, updateLast, reason, operation, attempt,
            outcome, stopped, trial
    }
}

extension LaunchKind: Codable {}

/// Times of day as `2026-11-21T13:47:54.120Z`. Foundation's formatters take milliseconds of a launch to get ready.
enum JournalTime {
    static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        // The years 1970 to 9999: others do not have four digits.
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return nil }
        // Not rounded: a time must not come out as the next second.
        let milliseconds = Int((seconds - seconds.rounded(.down)) * 1000)
        func digits(_ value: some BinaryInteger, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        let day = "\(digits(parts.tm_year + 1900, 4))-\(digits(parts.tm_mon + 1, 2))-\(digits(parts.tm_mday, 2))"
        return "\(day)T\(digits(parts.tm_hour, 2)):\(digits(parts.tm_min, 2)):\(digits(parts.tm_sec, 2)).\(digits(milliseconds, 3))Z"
    }

    /// Nil for a text that ``text(_:)`` has not written.
    static func date(_ text: String) -> Date? {
        // Anything but a digit divides, so the form is checked by writing the date again below.
        let numbers = text.split(whereSeparator: { !("0"..."9").contains($0) }).map { Int($0) ?? -1 }
        guard text.utf8.count == 24, text.hasSuffix("Z"), numbers.count == 7, !numbers.contains(-1) else { return nil }
        var parts = tm()
        parts.tm_year = Int32(truncatingIfNeeded: numbers[0]) - 1900
        parts.tm_mon = Int32(truncatingIfNeeded: numbers[1]) - 1
        (parts.tm_mday, parts.tm_hour) = (Int32(truncatingIfNeeded: numbers[2]), Int32(truncatingIfNeeded: numbers[3]))
        (parts.tm_min, parts.tm_sec) = (Int32(truncatingIfNeeded: numbers[4]), Int32(truncatingIfNeeded: numbers[5]))
        let date = Date(timeIntervalSince1970: Double(timegm(&parts)) + Double(numbers[6]) / 1000)
        // An impossible time of day comes out as another one.
        return Self.text(date.addingTimeInterval(0.000_5)) == text ? date : nil
    }
}
