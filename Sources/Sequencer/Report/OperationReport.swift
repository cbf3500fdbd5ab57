/// The result and the times of one operation.
///
/// Its description is one line: `login succeeded after 610 ms`, `login failed after 610 ms: no network`,
/// `tutorial skipped: its condition was false`.
public struct OperationReport: Sendable, Hashable, CustomStringConvertible {
    /// The operation's identifier.
    public let id: String
    /// The name for people, if it has one.
    public internal(set) var title: String?
    /// The operations it comes after.
    public package(set) var dependencies: [String] = []
    /// How it ended.
    public package(set) var outcome: Outcome
    /// The outcome before its fallback took over: failed, timed out or cancelled. Nil for every outcome but
    /// ``Outcome/fellBack``.
    public package(set) var failure: Outcome?
    /// When all its dependencies had ended; nil when that never happened.
    public package(set) var ready: Duration?
    /// When its first attempt started; nil when it never did.
    public package(set) var start: Duration?
    /// When it ended.
    public package(set) var end: Duration
    /// How long it was expected to take, if anything was said.
    public internal(set) var expected: Duration?
    /// How much later it was to begin than it could: see ``StepOption/delay(_:)``. It is a part of its wait.
    public internal(set) var delay: Duration?
    /// Attempts begun: 0 when it never started.
    public internal(set) var attempts = 0
    /// The lane it ran on, from 1; nil when it ran on the main thread, or never.
    public package(set) var lane: Int?
    /// Whether it belongs on the main thread.
    public package(set) var isMain = false
    /// Whether it leaves the main thread to others while it lasts; false off the main thread.
    package var suspends = false
    /// The resources that it held while it ran.
    package var exclusive: [ExclusiveResource] = []
    /// Whether it asked the user, be it for a moment. Of one that is marked as ``StepOption/interactive``, whether it
    /// ran.
    package var isInteractive = false
    /// The part of its duration in which it asked the user.
    public internal(set) var interactive = Duration.zero
    /// How much later it could have ended without making the launch proper longer, by the times that were measured,
    /// with the order on the main thread, at each resource and on lanes that were scarce as it was; one that the
    /// milestone did not wait for, without ending after it.
    public package(set) var slack = Duration.zero
    /// Whether it is one of the launch's critical path.
    public package(set) var isCritical = false
    /// Whether it was ended so that the budget could be kept; its fallback was used.
    public internal(set) var isCut = false
    /// Whether it was put off until after the milestone, so that the budget could be kept.
    public internal(set) var isDeferred = false
    /// Whether it could have been cut, or put off: see ``isCut`` and ``isDeferred``. Reports of earlier versions do not
    /// say.
    package var isCuttable = false, isDeferrable = false
    /// Why it did not succeed, in one sentence; nil when it did.
    public package(set) var message: String?
    /// The processor time that it used, its attempts together: see ``LaunchOptions/measurements``. Nil where that was
    /// not measured: an `async` step is measured only if it does not suspend, an `Operation` if it ends in its
    /// `start()`.
    public package(set) var processorTime: Duration?
    /// The part of its duration in which it could have computed, and had no processor; nil where that was not measured.
    /// The rest, without ``processorTime``, it was blocked: by a lock, a disk, a sleep.
    public package(set) var runnableTime: Duration?
    /// The operation's own notes, such as that it used a cached value.
    public internal(set) var notes: [String] = []

    /// From its first start to its end: retries and the pauses between them included. Zero when it never started.
    ///
    /// So is the time for which a step of the main thread is suspended at an `await`, and then waits until others give
    /// that thread back. The engine cannot tell when a closure could have continued: such a wait counts as the step's
    /// work, and is not blamed on the operation that kept the main thread meanwhile.
    public var duration: Duration { start.map { end - $0 } ?? .zero }
    /// Whether its own condition was false: it had been ready, and no recovery left it out.
    var wasSkippedByItsCondition: Bool { outcome == .skipped && ready != nil && message?.hasPrefix(leftOut) != true }
    /// From ready to its first start: for its delay, for a lane, for the main thread, or for a resource. Zero when it
    /// never started.
    package var wait: Duration {
        guard let start, let ready else { return .zero }
        return start - ready
    }

    /// The value in words.
    public var description: String {
        let time = start == nil ? "" : " after \(durationText(duration))"
        return "\(printable(id)) \(outcome.words)\(time)\(message.map { ": \(printable($0))" } ?? "")"
    }
}

extension OperationReport {
    package init(id: String, outcome: Outcome, start: Duration?, end: Duration) {
        self.init(id: id, outcome: outcome, ready: start, start: start, end: end, attempts: 1)
    }

    /// Whether most of its time was the user's: it is drawn so.
    package var isMostlyInteractive: Bool { isInteractive && interactive * 2 >= duration }

    /// The name of the event that it waited for, as its note has it; nil for one that did anything else.
    package var awaitedEvent: String? {
        let begin = OperationGraph.eventNote
        return notes.first { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count).dropLast()) }
    }

    /// ` for the event 'window'`, of a wait whose identifier does not name its event already; otherwise empty.
    package var awaitedEventText: String {
        guard let awaitedEvent, awaitedEvent != printable(id) else { return "" }
        return " for the event '\(printable(awaitedEvent, limit: 80))'"
    }

    /// `main`, or `lane` and its number; nil when it never ran on one.
    package var place: String? { isMain ? "main" : lane.map { "lane \($0)" } }
}

/// How one operation ended. Every operation of a launch ends exactly once.
public enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// It did its work.
    case succeeded
    /// It did not, and its fallback took the place of its value.
    case fellBack
    /// It threw, or its last attempt did.
    case failed
    /// It had not ended by its timeout, or by the launch's deadline.
    case timedOut
    /// The launch ended before it did (or before it started), or it was cancelled on its own.
    case cancelled
    /// Its condition was false, or something it depends on did not end in a way that lets it start.
    case skipped

    /// For people, as `timed out`.
    package var words: String {
        switch self {
        case .fellBack: "fell back"
        case .timedOut: "timed out"
        case .succeeded, .failed, .cancelled, .skipped: rawValue
        }
    }
}
