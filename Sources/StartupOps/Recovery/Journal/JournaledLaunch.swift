import Foundation
import Sequencer

/// A launch, as its journal tells it: also one that was killed at any moment, and one whose file was damaged since.
public struct JournaledLaunch: Sendable, Hashable {
    /// Counts up, from one launch to the next; nothing else orders launches, for a clock may be set back.
    package let number: Int
    /// When the journal was opened; nil when that cannot be read.
    package let startedAt: Date?
    /// The version of the app.
    package let version: String?
    /// The kind it was of last.
    public let kind: LaunchKind
    /// The graph's name; nil when it died before there was one.
    package let scenario: String?
    /// How much of it there was, and why not all.
    package let recovery: Recovery
    /// The operations that could not be left out of it.
    let required: [String]
    /// The operations among them that the launch did not need before its main screen.
    let avoidable: Set<String>
    /// How it ended.
    package let ending: LaunchEnding
    /// Whether it failed while a configuration was on trial: that may be the reason.
    let failedOnTrial: Bool
    /// How long after its begin the last thing was written down.
    package let lastEvent: Duration
    /// Whether the app worked for a while after it, where the user could see it.
    package let isHealthy: Bool
    /// Whether its process is there still.
    package let isRunning: Bool
    /// The damage of its file, in a few words; nil for a file without.
    package let damage: String?

    /// Whether it says something about the app when it dies or fails: somebody waited for it.
    let isCounted: Bool
}

extension JournaledLaunch {
    /// Reads the lines of a file: a pure function.
    init(number: Int, _ contents: Data, isRunning: Bool = false) {
        let (lines, damaged) = JournalLine.parse(contents)
        let began = lines.first { $0.event == .began }
        // The last one: a decision may be written down again, as when the user declines it.
        let planned = lines.last { $0.event == .planned }
        var progress = LaunchProgress(kind: began?.kind ?? .foreground)
        for line in lines { progress.add(line) }

        self.number = number
        self.isRunning = isRunning
        startedAt = began?.at.flatMap(JournalTime.date)
        version = began?.version
        kind = progress.kind
        isCounted = progress.isCounted
        scenario = planned?.scenario
        let decided = planned ?? began
        // Out of a file that anything may have been written to, and into reports and onto terminals.
        let reason = decided?.reason.map { printable($0, limit: 1000) }
        recovery = Recovery(
            decided?.level ?? .normal,
            skipping: decided?.skipped ?? [],
            late: decided?.late ?? (decided?.updateLast == true ? [RecoveryStep.updateCheck] : []),
            because: reason
        )
        required = planned?.required ?? []
        avoidable = Set(planned?.avoidable ?? [RecoveryStep.updateCheck])
        failedOnTrial = lines.contains { $0.event == .outcome && $0.outcome == "failed" && $0.trial == true }
        isHealthy = progress.isHealthy
        // The latest moment, not the last line: a torn line may lack its time.
        lastEvent = .nanoseconds(Int64(min(max(lines.compactMap(\.ms).max() ?? 0, 0), 1e12) * 1e6))
        // Of another schema nothing but the end of the process can be known.
        let isKnown = began?.schema == JournalLine.schema
        // A file that is locked is the journal of a launch that continues, though it cannot be read.
        ending = isKnown ? progress.ending(isRunning: isRunning) : isRunning ? .running : .unknown
        damage = Self.damage(began, damaged, isEmpty: contents.isEmpty)
    }

    private static func damage(_ began: JournalLine?, _ damaged: [Int], isEmpty: Bool) -> String? {
        if isEmpty { return "the file is empty" }
        if let schema = began?.schema, schema != JournalLine.schema { return "it was written by another version of the app" }
        guard let first = damaged.first else { return began == nil ? "its first line is missing" : nil }
        return damaged.count == 1 ? "line \(first) makes no sense" : "\(damaged.count) lines make no sense, the first of them line \(first)"
    }
}

/// The operations in progress in a launch, line after line.
private struct LaunchProgress {
    var kind: LaunchKind
    /// The operations in progress, and those that ask the user, with the number of the line that says so: files may
    /// have a hundred thousand.
    private var running: [String: Int] = [:]
    private var asking: [String: Int] = [:]
    private var lines = 0
    private var isStalled = false
    private var isQuit = false
    /// Whether the app worked while it was in the foreground: one that works in the background only does not work.
    private(set) var isHealthy = false
    private var hadOutcomeInForeground = false
    private var over: JournalLine?
    private var outcome: JournalLine?
    /// How the launch before this one ended, in the same process.
    private var previous: LaunchEnding?

    init(kind: LaunchKind) { self.kind = kind }

    mutating func add(_ line: JournalLine) {
        switch line.event {
        case .started: begin(line.operation, in: \.running)
        // Code that continues after that, when it was told to cancel, asks for nobody.
        case .retrying, .ended:
            end(line.operation, in: \.running)
            // A question of an operation that has ended is not waited for any more (P34).
            end(line.operation, in: \.asking)
        case .asked: begin(line.operation, in: \.asking)
        case .answered: end(line.operation, in: \.asking)
        case .stalled: isStalled = true
        case .quit: isQuit = true
        case .kind: kind = line.kind ?? kind
        case .over: over = line
        case .outcome:
            outcome = line
            hadOutcomeInForeground = kind == .foreground
        case .relaunched: beginAgain()
        case .healthy: isHealthy = isHealthy || kind == .foreground
        case .began, .planned, nil: break
        }
    }

    /// An app that goes to the background later was waited for in the foreground.
    var isCounted: Bool { kind == .foreground || hadOutcomeInForeground }

    private mutating func beginAgain() {
        // As it would be told if the process had died here.
        let before = ending(isRunning: false)
        // After a death nothing could have been written: the process continued (P36).
        previous = before.isDeath ? nil : before
        (running, asking, isStalled) = ([:], [:], false)
        (over, outcome) = (nil, nil)
    }

    private mutating func begin(_ operation: String?, in list: WritableKeyPath<LaunchProgress, [String: Int]>) {
        // Progress of any kind: the stall is over.
        isStalled = false
        lines += 1
        if let operation { self[keyPath: list][operation] = lines }
    }

    /// Every event of an operation is progress.
    private mutating func end(_ operation: String?, in list: WritableKeyPath<LaunchProgress, [String: Int]>) {
        isStalled = false
        if let operation { self[keyPath: list][operation] = nil }
    }

    private static func inOrder(_ operations: [String: Int]) -> [String] { operations.sorted { $0.value < $1.value }.map(\.key) }

    func ending(isRunning: Bool) -> LaunchEnding {
        // The outcome first: it is the last word of the launch itself.
        if let outcome { return ending(outcome) }
        // Before the deaths: the user has ended it (P4).
        if isQuit { return .quit(asking: Self.inOrder(asking)) }
        // Killed between the last event and its report.
        if let over { return over.stopped == true ? .failed(in: nil) : .completed }
        if isRunning { return .running }
        // Whom nobody waits for, the system may end at any time.
        if kind != .foreground { return previous ?? .unknown }
        // The user has ended it while being asked (P4).
        if !asking.isEmpty { return .quit(asking: Self.inOrder(asking)) }
        // The one that started last is the first suspect.
        let suspects = Array(Self.inOrder(running).reversed())
        return isStalled ? .hung(in: suspects) : .crashed(in: suspects)
    }

    private func ending(_ line: JournalLine) -> LaunchEnding {
        switch line.outcome {
        case "completed": .completed
        case "aborted": .aborted(by: line.operation ?? "an operation", reason: line.reason ?? "it did not say why")
        case "cancelled": .quit(asking: [])
        case "failed" where line.reason == DismissedByPerson.journalReason: .quit(asking: line.operation.map { [$0] } ?? [])
        default: .failed(in: line.operation)
        }
    }
}

/// How a launch ended, as far as its journal says.
package enum LaunchEnding: Sendable, Hashable, CustomStringConvertible {
    /// It came to its end, and nothing stopped it.
    case completed
    /// An operation stopped it on purpose.
    case aborted(by: String, reason: String)
    /// It failed; in which operation, if that was written down.
    case failed(in: String?)
    /// The user, or the app in the user's name, ended it; with the operations that were asking the user something.
    case quit(asking: [String])
    /// The process died; with the operations that were in progress, the one that started last first. None: it died
    /// before, between or after them.
    case crashed(in: [String])
    /// The process was ended while nothing had made progress for a while; with the operations that were in progress, as
    /// above.
    case hung(in: [String])
    /// It continues.
    case running
    /// The journal does not say: nobody waited for the launch, so the system may have ended it, or its beginning cannot
    /// be read.
    case unknown

    /// Whether the launch did not end by itself, and nobody wanted it to end.
    package var isDeath: Bool {
        switch self {
        case .crashed, .hung: true
        default: false
        }
    }

    /// Whether the user got no further for it: it died, or an operation failed that it could not do without.
    var isBad: Bool { isDeath || !suspects.isEmpty }

    /// The operations that may have been the end of it.
    var suspects: [String] {
        switch self {
        case .crashed(let operations), .hung(let operations): operations
        case .failed(let operation): operation.map { [$0] } ?? []
        default: []
        }
    }

    /// The value's word in documents.
    package var name: String {
        switch self {
        case .completed: "completed"
        case .aborted: "aborted"
        case .failed: "failed"
        case .quit: "quit"
        case .crashed: "crashed"
        case .hung: "hung"
        case .running: "running"
        case .unknown: "unknown"
        }
    }

    /// A few words: `crashed in login`, or `crashed in login or splash` when both were in progress.
    package var description: String {
        switch self {
        case .completed, .running: name
        case .aborted(let operation, let reason): "aborted by \(printable(operation, limit: 80)) (\(printable(reason, limit: 80)))"
        case .failed(let operation): operation.map { "failed in \(printable($0, limit: 80))" } ?? name
        case .quit(let operations): operations.isEmpty ? "quit" : "quit while \(Recovery.list(operations)) asked"
        case .crashed(let operations): "crashed " + Self.place(operations)
        case .hung(let operations): "hung " + Self.place(operations)
        case .unknown: "it cannot be told how"
        }
    }

    private static func place(_ operations: [String]) -> String {
        operations.isEmpty ? "outside of any operation" : "in \(Recovery.list(operations, "or"))"
    }
}

/// Why a launch is one: only what the user waits for is counted when launches die.
public enum LaunchKind: String, Sendable, Hashable, CaseIterable {
    /// The user has started the app, and waits for it.
    case foreground
    /// The system has started the app, or keeps it, where nobody sees it. It may end it at any time.
    case background
    /// The system has started the app before anybody asked for it, and may end it at any time.
    case prewarmed

    /// Whether the user waits for the launch, or will: a background launch may run beside it.
    var isCold: Bool { self != .background }
}
