/// How long a launch may take until its milestone, not counting the time in which it waits for a person.
public struct Budget: Sendable, Hashable {
    /// Where the clock starts.
    public enum Origin: Sendable, Hashable {
        /// When the launch is started.
        case run
        /// When the system started the process: what the person felt before the first line of code ran counts too.
        case processStart
    }

    /// The most time.
    public var limit: Duration
    /// Where the clock starts.
    public var origin: Origin
    /// Whether the launch keeps it where it can, or only measures it.
    ///
    /// To keep it, each operation gets a latest end from the expected durations of what comes after it. An operation with a fallback that reaches
    /// its latest end is cut there, and its fallback used; one that is ``StepOption/deferrable`` and would not end in time runs after the milestone.
    /// The report says which. Operations that are neither take the time they take.
    public var isEnforced: Bool

    /// A budget of `limit`, counted from `origin`.
    public init(_ limit: Duration, from origin: Origin = .run, isEnforced: Bool = true) {
        self.limit = limit
        self.origin = origin
        self.isEnforced = isEnforced
    }

    /// A budget in seconds.
    public static func seconds(_ seconds: Double) -> Budget { Budget(.seconds(seconds)) }

    /// A budget in milliseconds.
    public static func milliseconds(_ milliseconds: Int) -> Budget { Budget(.milliseconds(milliseconds)) }
}

/// What a launch made of its budget.
public struct BudgetResult: Sendable, Hashable {
    /// The budget.
    public let budget: Budget
    /// The time that counts: from the budget's origin to the end of the milestone (of the launch, when there is none or it never ended), without interactive time.
    public let measured: Duration
    /// The time, until then, in which at least one interactive operation ran.
    public let interactive: Duration
    /// Whether the measured time is within the budget, in a launch that neither failed nor was cancelled.
    public let isMet: Bool
    /// The operations on the way to the milestone that caused an overrun, as many as it takes to explain it: first those that took longer
    /// than was expected of them, the largest excess first, then those that took longest. Empty when the time was enough.
    public let causes: [String]

    /// A result of these values, such as one that was read from a file.
    public init(budget: Budget, measured: Duration, interactive: Duration, isMet: Bool, causes: [String] = []) {
        self.budget = budget
        self.measured = measured
        self.interactive = interactive
        self.isMet = isMet
        self.causes = causes
    }
}
