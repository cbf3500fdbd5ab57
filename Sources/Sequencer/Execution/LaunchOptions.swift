import Foundation

/// How a launch is run; what is run is the graph's business.
public struct LaunchOptions: Sendable {
    /// The most operations off the main thread that run at the same time.
    ///
    /// Nil, the default: as many as are ready, where those that run straight through share one thread per processor. With a number, there
    /// are as many threads: steps that block theirs then cost only their own lane.
    public var lanes: Int?
    /// Which of several ready operations goes first when lanes are scarce: the one that this plan starts first.
    ///
    /// Nil, the default: the one with the longest remaining path, by expected durations, which is what a plan begins its search with. Operations
    /// that the plan does not know come after those it does.
    ///
    /// ```swift
    /// let plan = try graph.plan(PlanOptions(lanes: 2))
    /// let report = try await Sequencer(graph, options: LaunchOptions(lanes: 2, plan: plan)).run()
    /// ```
    public var plan: LaunchPlan?
    /// When the launch ends, whatever happens: what still runs is left behind and named in the report. Nil: never.
    ///
    /// With no deadline, an operation that neither ends nor has a timeout keeps its launch from ending.
    public var deadline: Duration?
    /// Whether the time in which an interactive operation runs counts towards the deadline. Say no when a person may take minutes.
    public var deadlineCountsInteractiveTime: Bool
    /// How long operations that run get to end, after the launch was aborted, was cancelled or has failed, before they are left behind.
    public var grace: Duration
    /// The clock: the default stands still while the machine is suspended. ``VirtualClock`` runs a launch in no time.
    public var clock: any Clock<Duration>
    /// The quality of service operations run at, unless they say otherwise.
    ///
    /// The default is user-initiated, for somebody waits for a launch. Nil: that of the task that starts it, as for a launch in the background.
    ///
    /// A launch that is started by a task of its own quality of service begins and ends on threads that are awake, which saves some tens of
    /// microseconds. On Linux, each quality of service has threads of its own, which code of another one cannot block.
    public var qualityOfService: QualityOfService?
    /// What the random part of pauses between attempts is computed from; the same seed gives the same pauses.
    public var seed: UInt64
    /// The version of the app, for the report.
    public var version: String?
    /// Who is told when the launch makes no progress; nil for nobody.
    public var stallWatch: StallWatch?

    /// The options of a launch.
    public init(
        lanes: Int? = nil,
        plan: LaunchPlan? = nil,
        deadline: Duration? = nil,
        deadlineCountsInteractiveTime: Bool = true,
        grace: Duration = .milliseconds(250),
        clock: any Clock<Duration> = SuspendingClock(),
        qualityOfService: QualityOfService? = .userInitiated,
        seed: UInt64 = UInt64.random(in: .min ... .max),
        version: String? = nil,
        stallWatch: StallWatch? = nil
    ) {
        self.lanes = lanes
        self.plan = plan
        self.deadline = deadline
        self.deadlineCountsInteractiveTime = deadlineCountsInteractiveTime
        self.grace = grace
        self.clock = clock
        self.qualityOfService = qualityOfService
        self.seed = seed
        self.version = version
        self.stallWatch = stallWatch
    }

    /// The most lanes that can be asked for.
    public static let mostLanes = 1024

    /// What is wrong with these options, in one sentence; nil when nothing is.
    var complaint: String? {
        let longest = OperationGraph.longestDuration
        if let lanes, !(1...Self.mostLanes).contains(lanes) { return "lanes must be 1 to \(Self.mostLanes), and are \(lanes)" }
        if let deadline, deadline <= .zero || deadline > longest {
            return "a deadline must be more than 0 and at most 24 hours, and is \(deadline)"
        }
        if grace < .zero || grace > longest { return "a grace period must be 0 to 24 hours, and is \(grace)" }
        if let stall = stallWatch?.limit, stall <= .zero || stall > longest {
            return "a stall must be more than 0 and at most 24 hours, and is \(stall)"
        }
        return nil
    }

    var settings: LaunchStateMachine.Settings {
        LaunchStateMachine.Settings(
            lanes: lanes,
            plan: plan,
            workers: lanes ?? WorkerPool.processors,
            deadline: deadline?.nanoseconds,
            deadlineCountsInteractiveTime: deadlineCountsInteractiveTime,
            grace: grace.nanoseconds,
            seed: seed,
            stallLimit: stallWatch?.limit.nanoseconds
        )
    }

    func makeTimekeeper(hasMainSteps: Bool) -> any Timekeeper {
        if clock is SuspendingClock { return SystemTimekeeper(countsSuspension: false) }
        if clock is ContinuousClock { return SystemTimekeeper(countsSuspension: true) }
        if let clock = clock as? VirtualClock { return VirtualTimekeeper(clock, hasMainSteps: hasMainSteps) }
        return clock.makeTimekeeper()
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func makeTimekeeper() -> any Timekeeper { ClockTimekeeper(self) }
}
