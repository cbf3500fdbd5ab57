import Foundation

/// The options of a launch: lanes, deadline, clock, observers and the like. The graph says which operations run.
public struct LaunchOptions: Sendable {
    /// The most operations off the main thread that run at the same time. The computing of a fallback takes no lane.
    ///
    /// Nil, the default: as many as are ready and do not suspend have threads, up to 64, but only as many of these
    /// compute at the same time as there are processors. A step that blocks its thread costs its own lane alone. With a
    /// number, there are as many threads as lanes, regardless of the operations.
    public var lanes: Int?
    /// The identifiers of operations in the order in which they go first, for an exploration; operations that are not
    /// in the list come after those that are.
    ///
    /// Nil, the default: the operations that the milestone needs go first, by the longest path to it, then the
    /// operation with the longest remaining path, both by expected durations. Other operations wait, though they could
    /// start, if by expected durations they would keep the main thread, a resource or the last lane from those. With an
    /// order, none waits for that reason: nothing may fail because of waits that only the exploration causes.
    package var order: [String]?
    /// Whether operations run one at a time (`OperationGraph.runOneAtATime`), and timeouts stand still while others
    /// have their turn.
    package var hasTurns = false
    /// When the launch ends: operations that still run are left behind and named in the report. It covers the whole
    /// launch, also the operations after the milestone. Scopes that run then are cancelled; each has a deadline of its
    /// own, too. Where the launch's own operations have ended before, they stay as they ended, and scopes that run at
    /// the deadline fail, as at their own.
    ///
    /// While the user is being waited for it stands still, unless `deadlineCountsInteractiveTime` is true: an operation
    /// without a timeout that hangs meanwhile ends only after the user. ``RunningLaunch/cancel()`` and an abort end
    /// the launch then too.
    ///
    /// With ``Deadline/never``, an operation that neither ends nor has a timeout keeps its launch from ending.
    public var deadline: Deadline
    /// Whether the run time of interactive operations counts towards the deadline.
    var deadlineCountsInteractiveTime: Bool
    /// The timeout of steps that have none of their own, as ``StepOption/timeout(_:)`` gives them one; nil, the
    /// default, for none. Steps that wait for a person (``StepOption/interactive``) get none, nor do those that only
    /// join others; one that waits for an event gets it.
    public var stepTimeout: Duration?
    /// How long operations that run get to end before they are left behind.
    var grace: Duration
    /// The clock: the default stands still while the machine is suspended. The `VirtualClock` of SequencerTesting runs
    /// a launch in no time.
    public var clock: any Clock<Duration>
    /// The quality of service operations run at, unless they say otherwise.
    var qualityOfService: QualityOfService?
    /// An operation queue that the app made, for the steps off the main thread to run in; nil, the default, for queues
    /// of the engine's own.
    ///
    /// Each attempt of a step is one operation of the queue, named by the step's identifier, from its start to its end,
    /// also while an `async` step is suspended. The queue's `maxConcurrentOperationCount`, its quality of service, its
    /// `isSuspended` and its `underlyingQueue` count, besides ``lanes``. Only steps that are ready are in the queue.
    /// Which of them an operation runs is decided when the queue starts it, so that the longest remaining path still
    /// goes first. Until the milestone has ended, steps that it does not need start only while fewer steps compute than
    /// there are processors. Cancelling an operation cancels its step, as ``RunningLaunch/cancel(_:)`` does.
    ///
    /// The first steps are in the queue when the start returns, but for a queue of a subclass, whose `addOperation(_:)`
    /// may block: there, they soon are.
    ///
    /// A fallback's closure runs beside the queue, on a thread of the engine's: it is wanted at once. While the queue
    /// is suspended no step starts; deadlines, and the timeouts of running steps, still hold. In virtual time the clock
    /// runs the steps, and the queue is not used. It must not be the main queue.
    ///
    /// ```swift
    /// let queue = OperationQueue()
    /// queue.maxConcurrentOperationCount = 2
    /// let launch = try await graph.run(options: LaunchOptions(queue: queue))
    /// ```
    public var queue: OperationQueue?
    /// The seed of the random part of pauses between attempts; the same seed gives the same pauses.
    var seed: UInt64
    /// The version of the app, for the report.
    public var version: String?
    /// The watch that is told when the launch makes no progress; nil for none.
    public var stallWatch: StallWatch?
    /// Closures that are called with each event, in order, from the first one: for signposts and logs, which need to be
    /// told on the spot.
    ///
    /// An observer is called on the thread that made the event happen, which continues when the observer returns; never
    /// on the main thread, and never on the thread that keeps the time. The launch ends when the observers have been
    /// told of its end, or 2 seconds later if one of them blocks.
    ///
    /// A single thread at a time tells the observers, also of events of other threads. An observer that blocks delays
    /// the events of all observers, and one operation: the one that its thread has taken next, which counts as started.
    /// The delay is part of that operation's duration; its timeout, or the deadline, ends it, and its lane continues.
    /// If it has ended, or was told to cancel, when the observer returns, none of its code runs. Operations on other
    /// lanes start as ever, those of the main thread after 50 ms, or 100 ms where a journal is kept.
    /// ``RunningLaunch/events`` never holds anything up.
    public var observers: [@Sendable (LaunchEvent) -> Void] = []
    /// Further facts about the launch for its report, by names: how the app was started, the device, the session. It
    /// holds no secrets.
    ///
    /// Tools that read reports know the names of OpenTelemetry: `device.model.identifier`, `os.name`, `os.version`,
    /// `app.build_id`, `session.id`.
    public var attributes: [String: String] = [:]
    /// Shows that the launch has failed, such as a screen with a button to try again: a takeover, as
    /// ``StepContext/abort(_:takeover:)`` has one, chosen by step and error.
    ///
    /// ```swift
    /// options.failureTakeover = { failure in
    ///     switch failure.operation {
    ///     case "open-database": await screen.showRepair()
    ///     default: await screen.showFailure(failure.message, isOffline: failure.underlying is URLError)
    ///     }
    /// }
    /// ```
    ///
    /// It is called once, at most, on the main actor, when a required operation has failed before the milestone, when
    /// the launch meets its deadline before that, and when the milestone is lost because an operation that it needs did
    /// not succeed. It begins at once, even while operations run. The launch waits for it no longer than the grace
    /// period, and not at all at the deadline. It is not called for an abort, a cancel, nor for a failure after the
    /// milestone.
    public var failureTakeover: (@MainActor @Sendable (OperationError) async -> Void)?
    /// What is measured of each step besides its times, for the report; nothing by default, which costs nothing.
    ///
    /// ```swift
    /// options.measurements = .processorTime
    /// ```
    public var measurements: Measurements = []
    /// How the process of the launch began, as far as the app knows: the system tells it so when it starts the app for
    /// a push, say. Nil, the default: the system says whether the process was prewarmed.
    ///
    /// A budget that counts from the start of the process counts from the launch where no user has started it, and
    /// where it is older than 20 seconds. The report says so (``LaunchReport/processStart``), and `sequencer-cli stats`
    /// keeps such launches apart.
    public var processStart: ProcessStart?
    /// The report of a launch that has ended in this process before this one, such as a graph of the process's own
    /// prologue. Where a budget counts from the start of the process, its operations are blamed for the time before the
    /// launch (``BudgetResult/causes``); nil for none.
    ///
    /// ```swift
    /// options.prologue = await process.end().report
    /// let launch = try await graph.run(budget: Budget(.seconds(3), fromProcessStart: true), options: options)
    /// ```
    public var prologue: LaunchReport? {
        get { boxedPrologue?.value }
        set { boxedPrologue = newValue.map { Boxed($0) } }
    }
    // By reference: a report is large, and options are copied.
    var boxedPrologue: Boxed<LaunchReport>?
    /// Whether the launch may start beside another one, or after it. Nil, the default: where it leads to the main
    /// screen over stored state, or is written down by a journal, it completes once in a process
    /// (``LaunchAdmission/oncePerProcess``); any other runs once at a time (``LaunchAdmission/oneAtATime``).
    ///
    /// A launch that brings the app back to the front, or that nobody sees, is one of the others. An app that launches
    /// again in one process, after a logout, say, allows that by `.oneAtATime`; so do tests of several launches over
    /// one state.
    public var admission: LaunchAdmission?
    /// How many processors to suppose.
    var processors: Int?
    /// Asked before the launch starts: it may be refused because another one runs, or has completed.
    package var recorder: (any LaunchRecorder)?
    /// Whether steps that nobody waits for run at utility quality of service, where the system heeds that. Tests say so
    /// elsewhere too.
    var lowersLaterSteps = QualityOfService.isHeeded
    /// Whether tasks begin on the thread that starts them, where the system can do that. Tests say no.
    var startsTasksAtOnce = true
    /// How long the process has run. Tests say otherwise.
    var processAge: @Sendable () -> Duration? = timeSinceProcessStart
    /// The time that is left to the step that runs the launch; nil for one that no step runs.
    var outerLimit: Duration?

    /// The options of a launch. Each parameter without a word here is the property of its name.
    ///
    /// - Parameters:
    ///   - deadlineCountsInteractiveTime: whether the run time of interactive operations counts towards the deadline.
    ///       By default it does not, for the user may take minutes.
    ///   - grace: how long operations that run get to end, after the launch was aborted, was cancelled or has failed,
    ///     or they were cancelled alone, before they are left behind.
    ///   - qualityOfService: the quality of service operations run at, unless they say otherwise. The default is
    ///     user-initiated, for somebody waits for a launch. Nil: that of the task that starts it, as for a launch in
    ///     the background. On Apple's systems, operations that neither the initial display nor the milestone needs, and
    ///     that share no resource with one of these, run at `.utility`; not so in a queue of the app's, nor in a launch
    ///     in the background.
    ///   - seed: the seed of the random part of pauses between attempts; the same seed gives the same pauses.
    ///   - processors: how many processors to suppose: in virtual time nil for as many as it takes, in real time nil
    ///     for those of the machine. Where there are more lanes than processors, operations that the milestone does not
    ///     need, and that keep a thread, start before its end only while fewer of that kind run. In real time, one
    ///     whose thread sleeps does not count.
    public init(
        lanes: Int? = nil,
        deadline: Deadline = .automatic,
        deadlineCountsInteractiveTime: Bool = false,
        grace: Duration = .milliseconds(250),
        clock: any Clock<Duration> = SuspendingClock(),
        qualityOfService: QualityOfService? = .userInitiated,
        // By chance, so that devices that have failed together do not come back together.
        seed: UInt64 = UInt64.random(in: .min ... .max),
        version: String? = nil,
        stallWatch: StallWatch? = nil,
        queue: OperationQueue? = nil,
        processors: Int? = nil,
        admission: LaunchAdmission? = nil,
        stepTimeout: Duration? = nil
    ) {
        (self.lanes, self.processors, self.queue, self.qualityOfService) = (lanes, processors, queue, qualityOfService)
        (self.deadline, self.deadlineCountsInteractiveTime, self.grace) = (deadline, deadlineCountsInteractiveTime, grace)
        (self.clock, self.seed, self.version, self.stallWatch, self.admission) = (clock, seed, version, stallWatch, admission)
        self.stepTimeout = stepTimeout
    }

    /// The most lanes that can be asked for.
    static let maximumLanes = 1024

    /// The most threads of a launch that asks for no number of lanes.
    static let maximumThreads = 64

    /// The options that are out of range, a sentence each.
    var complaints: [String] {
        var complaints: [String] = []
        if let lanes, !(1...Self.maximumLanes).contains(lanes) {
            complaints.append("lanes must be 1 to \(Self.maximumLanes), and are \(lanes)")
        }
        if let processors, processors < 1 { complaints.append("processors must be 1 or more, and are \(processors)") }
        if case .after(let time) = deadline { complaints += OperationGraph.complaints(about: time, as: "a deadline") }
        // Operations off the main thread would run on it, and block it. A queue over the main dispatch queue is the
        // main queue by another name.
        if let queue, queue === OperationQueue.main || queue.underlyingQueue === DispatchQueue.main {
            complaints.append("the queue must not be the main queue; steps that belong there are added with 'on: .main'")
        }
        complaints += OperationGraph.complaints(about: stepTimeout, as: "steps: a timeout")
        complaints += OperationGraph.complaints(about: grace, as: "a grace period", canBeZero: true)
        complaints += OperationGraph.complaints(about: stallWatch?.limit, as: "a stall")
        return complaints
    }

    /// Whether a launch with them takes no real time.
    package var isVirtual: Bool { VirtualScheduler.of(clock) != nil }

    /// The processors, where more operations can run than that; nil where that does not matter.
    var scarceProcessors: Int? {
        // Virtual time has as many processors as operations want: they are scarce only where a number was given.
        if isVirtual { return processors }
        let count = processors ?? Worker.processors
        // Without a limit of lanes, workers are measured; a queue of the app's has no workers.
        guard let lanes else { return queue == nil ? nil : count }
        return lanes > count ? count : nil
    }

    func settings(for budget: Budget?) -> LaunchStateMachine.Configuration {
        var deadline = deadline.limit(beside: budget)
        // A launch that a step runs must end when the step has to.
        if let outerLimit { deadline = min(deadline ?? outerLimit, outerLimit) }
        let count = processors ?? Worker.processors
        return LaunchStateMachine.Configuration(
            lanes: lanes,
            order: order,
            hasTurns: hasTurns,
            processors: scarceProcessors,
            // In virtual time one decision follows the other, so that every run is the same. A worker of the engine's
            // would take the steps that a queue of the app's must start. Otherwise there is a thread for each lane that
            // was asked for; without a number, threads that wait make room for others.
            workers: isVirtual ? 1 : queue != nil ? 0 : lanes ?? count,
            maximumWorkers: isVirtual || queue != nil || lanes != nil ? nil : max(Self.maximumThreads, count),
            usesQueue: queue != nil && !isVirtual,
            takesOneAtATime: isVirtual,
            deadline: deadline?.nanoseconds,
            deadlineCountsInteractiveTime: deadlineCountsInteractiveTime,
            grace: grace.nanoseconds,
            seed: seed,
            stallLimit: stallWatch?.limit.nanoseconds,
            hasFailureTakeover: failureTakeover != nil
        )
    }

    func makeTimekeeper(for launch: Locked<LaunchStorage?>, hasMainSteps: Bool) -> any Timekeeper {
        // The system's clocks go by the engine's timer, which continues when every pool thread is blocked.
        if clock is SuspendingClock { return SystemTimekeeper(countsSuspension: false) }
        if clock is ContinuousClock { return SystemTimekeeper(countsSuspension: true) }
        if let scheduler = VirtualScheduler.of(clock) {
            return VirtualTimekeeper(scheduler, for: { launch.withLock { $0 } }, hasMainSteps: hasMainSteps)
        }
        return clock.makeTimekeeper()
    }
}

// An extension gives the clock's type a name, which the timekeeper needs: `any Clock` has none.
extension Clock where Duration == Swift.Duration {
    fileprivate func makeTimekeeper() -> any Timekeeper { ClockTimekeeper(self, callApp: AppCodeQueue().add) }
}

extension LaunchOptions {
    /// The options of scopes that are given none. They hold nothing of the app's that the launch does not hold for
    /// itself.
    var ofScopes: LaunchOptions {
        var options = self
        // It names operations of the launch's own graph.
        options.order = nil
        options.observers = []
        // The launch's report has them, and a scope is in it.
        options.attributes = [:]
        options.failureTakeover = nil
        // A journal has nothing of scopes (P40).
        options.recorder = nil
        // A scope may outlive the step that adds it.
        options.outerLimit = nil
        return options
    }

    /// What a launch measures of its steps, by the system's clocks: in real time alone, and not beside a clock of the
    /// app's.
    public struct Measurements: OptionSet, Sendable, Hashable {
        /// The measurements as bits.
        public let rawValue: Int

        /// Measurements of their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The processor time of steps and of the process: ``OperationReport/processorTime``,
        /// ``LaunchReport/otherProcessorTime``. It costs a step less than 2 µs.
        public static let processorTime = Measurements(rawValue: 1)
        /// Besides, how long steps waited for a processor, where the system tells, as Linux does:
        /// ``OperationReport/runnableTime``. It costs a step two files of `/proc`, some 10 µs.
        public static let processorWaits = Measurements(rawValue: 3)
    }

    /// When a launch ends, though operations still run.
    public enum Deadline: Sendable, Hashable {
        /// 30 seconds after the start, or as long as the budget where that is longer.
        case automatic
        /// So long after the start.
        case after(Duration)
        /// Not before all operations have ended.
        case never

        /// The given number of seconds after the start.
        public static func seconds(_ count: Double) -> Deadline { .after(.seconds(count)) }

        /// The given number of milliseconds after the start.
        public static func milliseconds(_ count: Int) -> Deadline { .after(.milliseconds(count)) }

        /// The time from the start, beside a budget; nil for never.
        package func limit(beside budget: Budget?) -> Duration? {
            switch self {
            case .automatic: max(.seconds(30), budget?.limit ?? .zero)
            case .after(let time): time
            case .never: nil
            }
        }
    }
}
