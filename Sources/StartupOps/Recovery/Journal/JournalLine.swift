import Foundation
import StartupStorage

/// A line of a journal: an event of a launch. `Schemas/journal.schema.json` describes it.
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
        /// The user is asked something, or has answered.
        case asked, answered
        /// No operation has ended for a while.
        case stalled
        /// The launch has become one of another kind.
        case kind
        /// The user ends the launch.
        case quit
        /// No operation will run any more.
        case over
        /// The launch has ended, with this outcome.
        case outcome
        /// The app has worked for a while.
        case healthy
    }

    /// Words as they are written: those of a later version are sound, and say nothing here.
    private var eventName: String
    private var kindName: String?
    private var levelName: String?

    var event: Event? { Event(rawValue: eventName) }
    var kind: LaunchKind? {
        get { kindName.flatMap(LaunchKind.init) }
        set { kindName = newValue?.rawValue }
    }
    var level: RecoveryLevel? {
        get { levelName.flatMap(RecoveryLevel.init) }
        set { levelName = newValue?.rawValue }
    }

    /// Since the journal was opened, in milliseconds.
    var ms: Double?
    var schema: String?
    /// When the journal was opened, by the wall clock: ISO 8601, in UTC.
    var at: String?
    var process: Int?
    var version: String?
    var scenario: String?
    /// The operations that are left out.
    var skipped: [String]?
    /// The operations that cannot be left out.
    var required: [String]?
    /// The operations that cannot be left out, but come after the milestone, or be left out, where launches died in
    /// them alone.
    var avoidable: [String]?
    /// Whether the update check comes after the milestone; and the operations for which it does, where that is not
    /// known to be the check alone.
    var updateLast: Bool?
    var late: [String]?
    var reason: String?
    var operation: String?
    var attempt: Int?
    var outcome: String?
    /// Whether something stopped the launch before everything in it had ended.
    var stopped: Bool?
    /// Whether a configuration was on trial when the launch failed.
    var trial: Bool?

    init(_ event: Event, operation: String? = nil, attempt: Int? = nil, outcome: String? = nil) {
        eventName = event.rawValue
        self.operation = operation
        self.attempt = attempt
        self.outcome = outcome
    }

    /// A line that says how much of the launch is left out, and why.
    init(_ event: Event, of recovery: Recovery) {
        self.init(event)
        level = recovery.level
        if !recovery.skipped.isEmpty { skipped = recovery.skipped }
        if recovery.asksForUpdateLast { (updateLast, late) = (true, recovery.late) }
        reason = recovery.reason
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case eventName = "event", kindName = "kind", levelName = "level"
        case ms, schema, at, process, version, scenario, skipped, required, avoidable, updateLast, late, reason, operation, attempt
        case outcome, stopped, trial
    }

    /// The line with its end. A line that cannot be written, which none of ours is, would be an empty one.
    var bytes: [UInt8] {
        Array((try? JSONEncoder.sorted(.withoutEscapingSlashes).encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    }

    /// The lines of a file that may have been cut anywhere, and may hold anything, with the numbers of those that make
    /// no sense.
    static func parse(_ data: Data) -> (lines: [JournalLine], damaged: [Int]) {
        var lines: [JournalLine] = []
        var damaged: [Int] = []
        let decoder = JSONDecoder()
        let parts = data.split(separator: UInt8(ascii: "\n"), maxSplits: maximumLines, omittingEmptySubsequences: false)
        // An empty line ends a torn one, and is not damage.
        for (index, bytes) in parts.enumerated() where !bytes.isEmpty {
            // Valid lines take memory, others take time (P15).
            if damaged.count >= maximumDamaged { break }
            if let line = try? decoder.decodeForeign(JournalLine.self, from: Data(bytes)) {
                // An event of a later version is sound, and says nothing here.
                if line.event != nil { lines.append(line) }
            } else {
                damaged.append(index + 1)
            }
        }
        return (lines, damaged)
    }

    /// More than the longest launch writes.
    private static let maximumLines = 100_000
    /// After this many unreadable lines a file is read no further: each takes its time, and a launch waits.
    private static let maximumDamaged = 1_000
}

/// Times of day in a journal, such as `2026-11-21T13:47:54.120Z`.
enum JournalTime {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ date: Date) -> String? {
        // The years 1970 to 9999: others do not have four digits.
        (0..<253_402_300_800).contains(date.timeIntervalSince1970) ? date.formatted(style) : nil
    }

    static func date(_ text: String) -> Date? {
        guard let date = try? style.parse(text) else { return nil }
        // An impossible day comes out as another one. Half a millisecond, since the style cuts off.
        return Self.text(date.addingTimeInterval(0.000_5)) == text ? date : nil
    }
}
