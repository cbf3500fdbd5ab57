/// What became of one operation.
public struct OperationReport: Sendable, Hashable {
    /// The operation's identifier.
    public let id: String
    /// The name for people, if it has one.
    public let title: String?
    /// The operations it comes after.
    public let dependencies: [String]
    /// How it ended.
    public let outcome: Outcome
    /// What came before its fallback took over: failed, timed out or cancelled. Nil for every other outcome than ``Outcome/fellBack``.
    public let failure: Outcome?
    /// When all its dependencies had ended; nil when that never happened.
    public let ready: Duration?
    /// When its first attempt started; nil when it never did.
    public let start: Duration?
    /// When it ended.
    public let end: Duration
    /// How long it was expected to take, if anything was said.
    public let expected: Duration?
    /// Attempts begun: 0 when it never started.
    public let attempts: Int
    /// The lane it ran on, from 1; nil when it ran on the main thread, or never.
    public let lane: Int?
    /// Whether it belongs on the main thread.
    public let isMain: Bool
    /// Whether it waits for a person, or has waited for one.
    public let isInteractive: Bool
    /// How much later it could have ended without making the launch longer, by the durations that were measured, lanes permitting.
    public let slack: Duration
    /// Whether it is one of the launch's critical path.
    public let isCritical: Bool
    /// Whether it was ended so that the budget could be kept; its fallback was used.
    public let isCut: Bool
    /// Whether it was put off until after the milestone, so that the budget could be kept.
    public let isDeferred: Bool
    /// Why it did not succeed, in one sentence; nil when it did.
    public let message: String?
    /// What the operation noted about itself, such as what it used in place of what.
    public let notes: [String]

    /// A report of these values, such as one that was read from a file.
    public init(
        id: String,
        title: String? = nil,
        dependencies: [String] = [],
        outcome: Outcome,
        failure: Outcome? = nil,
        ready: Duration?,
        start: Duration?,
        end: Duration,
        expected: Duration? = nil,
        attempts: Int,
        lane: Int?,
        isMain: Bool = false,
        isInteractive: Bool = false,
        slack: Duration,
        isCritical: Bool,
        isCut: Bool = false,
        isDeferred: Bool = false,
        message: String? = nil,
        notes: [String] = []
    ) {
        self.id = id
        self.title = title
        self.dependencies = dependencies
        self.outcome = outcome
        self.failure = failure
        self.ready = ready
        self.start = start
        self.end = end
        self.expected = expected
        self.attempts = attempts
        self.lane = lane
        self.isMain = isMain
        self.isInteractive = isInteractive
        self.slack = slack
        self.isCritical = isCritical
        self.isCut = isCut
        self.isDeferred = isDeferred
        self.message = message
        self.notes = notes
    }

    /// From its first start to its end: retries and the pauses between them included. Zero when it never started.
    public var duration: Duration { start.map { end - $0 } ?? .zero }
    /// From ready to its first start: for a lane, for the main thread, or for a resource. Zero when it never started.
    public var wait: Duration {
        guard let start, let ready else { return .zero }
        return start - ready
    }
}
