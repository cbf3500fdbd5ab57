/// How long a launch may take until its milestone, not counting the time in which it waits for the user.
///
/// Its description is a few words: `3 s`, `3 s from the start of the process`, `3 s, only measured`,
/// `3 s, initial display 1 s`.
public struct Budget: Sendable, Hashable, CustomStringConvertible {
    /// The most time, to the nanosecond: `.seconds(1.2)` is not quite 1.2 seconds.
    public var limit: Duration { didSet { limit = limit.roundedToNanoseconds } }
    /// The most time to the initial display (``StepOption/initialDisplay``), counted as the limit is; nil for none.
    ///
    /// It is measured, and has a separate verdict (``LaunchReport/isInitialDisplayMet``). Nothing is cut or deferred to
    /// keep it: operations that the display needs go first anyway.
    package var initialDisplay: Duration? { didSet { initialDisplay = initialDisplay?.roundedToNanoseconds } }
    /// Whether the clock starts with the process, rather than with the launch.
    package var isFromProcessStart: Bool
    /// Whether the launch keeps it where it can, or only measures it.
    var isEnforced: Bool

    /// A budget of `limit`, counted from the start of the launch, or of the process.
    ///
    /// To keep it, each operation gets a latest end from the expected durations of the operations after it. A
    /// ``StepOption/cuttable`` operation that reaches its latest end is cut there, and its fallback used; one that is
    /// ``StepOption/deferrable`` and would not end in time runs after the milestone. The report says which. Other
    /// operations are left alone. Nothing is cut where, by the expected durations, that cannot save the budget. An
    /// operation without an expectation counts with 20 ms, and a launch that is late by less than a tenth of its budget
    /// is still cut.
    ///
    /// - Parameters:
    ///   - limit: the most time.
    ///   - initialDisplay: the most time to the initial display; it has no effect on a graph without one, so that all
    ///       launches of an app can share a budget.
    ///   - fromProcessStart: whether the clock starts when the system started the process: the time that the user
    ///     felt before the first line of code ran counts too. Where the process was started for something else
    ///     (``LaunchOptions/processStart``), or more than 20 seconds ago, the launch counts from its own start, and its
    ///     report says so.
    ///   - isEnforced: whether the launch keeps it where it can, or only measures it.
    public init(_ limit: Duration, initialDisplay: Duration? = nil, fromProcessStart: Bool = false, isEnforced: Bool = true) {
        self.limit = limit.roundedToNanoseconds
        self.initialDisplay = initialDisplay?.roundedToNanoseconds
        isFromProcessStart = fromProcessStart
        self.isEnforced = isEnforced
    }

    /// A budget in seconds. An impossible budget, such as infinity or not a number, is refused when the launch starts.
    public static func seconds(_ seconds: Double) -> Budget {
        // Duration traps where it has no value for a number.
        if seconds.isNaN { return Budget(.zero) }
        return Budget(.seconds(min(max(seconds, -1e9), 1e9)))
    }

    /// A budget in milliseconds.
    public static func milliseconds(_ milliseconds: Int) -> Budget { Budget(.milliseconds(milliseconds)) }

    /// The same one, counted from the start of the launch.
    package var fromLaunch: Budget { Budget(limit, initialDisplay: initialDisplay, isEnforced: isEnforced) }

    /// The value in words.
    public var description: String {
        durationText(limit) + (isFromProcessStart ? " from the start of the process" : "") + (isEnforced ? "" : ", only measured")
            + (initialDisplay.map { ", initial display \(durationText($0))" } ?? "")
    }
}

/// The measured time of a launch, compared with its budget.
///
/// Its description is the time and the verdict: `1.33 s of 3 s, pass`; without a budget `1.33 s, pass`.
public struct BudgetResult: Sendable, Hashable, CustomStringConvertible {
    /// The budget; nil when the launch was given none.
    public package(set) var budget: Budget?
    /// The time that counts: from the budget's origin to the end of the milestone, without interactive time. Without a
    /// milestone, or where the launch was stopped before it, the time counts to the end of the launch. A milestone that
    /// has failed, in a launch that continues without it, has ended too. With one whose own condition was false, the
    /// time counts as it does without a milestone. Either launch has missed its budget.
    public let measured: Duration
    /// The interactive time until then: the union of the intervals in which the launch waited for the user.
    public let interactive: Duration
    /// When users were asked until then: in order, without overlaps. Reports of earlier versions do not say, or have
    /// those of the whole launch.
    public package(set) var questions: [Range<Duration>] = []
    /// Whether the measured time is within the budget, if there is one, in a launch that neither failed nor was
    /// cancelled, and whose milestone succeeded.
    public internal(set) var isMet: Bool
    /// The identifiers of the operations that caused an overrun, as many as it takes to explain it: first those that
    /// took longer than expected, the largest excess first, then those that took longest. Empty within the budget, and
    /// where the time before the launch (``LaunchReport/beforeRun``) explains all of it, but for operations of
    /// ``LaunchOptions/prologue``, which come first.
    public package(set) var causes: [String] = []
    /// Whether the measured time is within the budget, however the launch ended.
    var isInTime: Bool { budget.map { measured <= $0.limit } ?? true }

    /// The value in words.
    public var description: String { "\(measuredText()), \(isMet ? "pass" : "fail")" }

    /// `1.33 s of 3 s`.
    package func measuredText(_ text: (Duration) -> String = durationText) -> String {
        text(measured) + (budget.map { " of \(text($0.limit))" } ?? "")
    }
}
