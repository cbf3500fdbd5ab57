import Foundation
import Sequencer

/// A launch, as its journal tells it: also one that was killed at any moment, and one whose file was damaged since.
public struct JournaledLaunch: Sendable, Hashable {
    /// Counts up, from one launch to the next; nothing else orders launches, for a clock may be set back.
    public let number: Int
    /// When the journal was opened; nil when that cannot be read.
    public let startedAt: Date?
    /// The version of the app.
    public let version: String?
    /// The kind it was of last.
    public let kind: LaunchKind
    /// The graph's name; nil when it died before there was one.
    public let scenario: String?
    /// How much of it there was, and why not all.
    public let recovery: Recovery
    /// The operations that could not be left out of it.
    public let required: [String]
    /// How it ended.
    public let ending: LaunchEnding
    /// How long after its begin the last thing was written down.
    public let lastEvent: Duration
    /// Whether the app worked for a while after it.
    public let isHealthy: Bool
    /// Whether its process is there still.
    public let isRunning: Bool
    /// What of its file makes no sense, in a few words; nil when all does.
    public let damage: String?

    /// Whether it says something about the app when it dies: somebody waited for it.
    var isCounted: Bool { kind == .foreground }
}

extension JournaledLaunch {
    /// What the lines of a file say: a pure function.
    init(number: Int, _ contents: Data, isRunning: Bool = false) {
        let (lines, damaged) = JournalLine.parse(contents)
        let began = lines.first { $0.event == .began }
        let planned = lines.last { $0.event == .planned }
        var progress = LaunchProgress(kind: began?.kind ?? .foreground)
        for line in lines { progress.add(line) }

        self.number = number
        self.isRunning = isRunning
        startedAt = began?.at.flatMap(JournalTime.date)
        version = began?.version
        kind = progress.kind
        scenario = planned?.scenario
        let decided = planned ?? began
        // Out of a file that anything may have been written to, and into reports and onto terminals.
        let reason = decided?.reason.map { printable($0, limit: 1000) }
        recovery = Recovery(decided?.level ?? .normal, skipping: decided?.skipped ?? [], because: reason)
        required = planned?.required ?? []
        isHealthy = lines.contains { $0.event == .healthy }
        lastEvent = .nanoseconds(Int64((lines.compactMap(\.ms).max() ?? 0) * 1e6))
        let isKnown = began?.schema == JournalLine.schema
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

/// What is in progress in a launch, line after line.
private struct LaunchProgress {
    var kind: LaunchKind
    /// The operations in progress, and those that ask a person, with the number of the line that says so: files may have a hundred thousand.
    private var running: [String: Int] = [:]
    private var asking: [String: Int] = [:]
    private var lines = 0
    private var isStalled = false
    private var isQuit = false
    private var over: JournalLine?
    private var outcome: JournalLine?

    init(kind: LaunchKind) { self.kind = kind }

    mutating func add(_ line: JournalLine) {
        switch line.event {
        case .started: begin(line.operation, in: \.running)
        case .retrying, .ended: end(line.operation, in: \.running)
        case .asked: begin(line.operation, in: \.asking)
        case .answered: end(line.operation, in: \.asking)
        case .stalled: isStalled = true
        case .quit: isQuit = true
        case .kind: kind = line.kind ?? kind
        case .over: over = line
        case .outcome: outcome = line
        case .began, .planned, .healthy, nil: break
        }
    }

    private mutating func begin(_ operation: String?, in list: WritableKeyPath<LaunchProgress, [String: Int]>) {
        isStalled = false
        lines += 1
        if let operation { self[keyPath: list][operation] = lines }
    }

    /// Whatever happens to an operation is progress.
    private mutating func end(_ operation: String?, in list: WritableKeyPath<LaunchProgress, [String: Int]>) {
        isStalled = false
        if let operation { self[keyPath: list][operation] = nil }
    }

    private static func inOrder(_ operations: [String: Int]) -> [String] { operations.sorted { $0.value < $1.value }.map(\.key) }

    func ending(isRunning: Bool) -> LaunchEnding {
        if let outcome { return ending(outcome) }
        if isQuit { return .quit(asking: Self.inOrder(asking)) }
        // Killed between the last event and its report.
        if let over { return over.stopped == true ? .failed(in: nil) : .completed }
        if isRunning { return .running }
        // Whom nobody waits for, the system may end at any time.
        if kind != .foreground { return .unknown }
        if !asking.isEmpty { return .quit(asking: Self.inOrder(asking)) }
        let suspects = Array(Self.inOrder(running).reversed())
        return isStalled ? .hung(in: suspects) : .crashed(in: suspects)
    }

    private func ending(_ line: JournalLine) -> LaunchEnding {
        switch line.outcome {
        case "completed": .completed
        case "aborted": .aborted(by: line.operation ?? "an operation", reason: line.reason ?? "it did not say why")
        case "cancelled": .quit(asking: [])
        default: .failed(in: line.operation)
        }
    }
}
