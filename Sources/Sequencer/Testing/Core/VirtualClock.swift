import Sequencer

/// A clock whose time moves only when everything waits for it: launches of any length run in an instant, and the same
/// way each time.
///
/// Give one to a launch, and its waits (`StepContext.sleep(for:)`, timeouts, pauses before retries, the deadline) take
/// no real time:
///
/// ```swift
/// let report = try await graph.run(options: LaunchOptions(clock: VirtualClock())).report
/// #expect(report.makespan == .milliseconds(1330))
/// ```
///
/// ### When time moves
///
/// Time moves when every running operation of every launch on the clock is at rest: no task of it runs or could run,
/// and at least one sleeps on the clock, or waits for the end of another launch on it. Each operation answers for
/// itself alone: sleeping child tasks of one do not speak for another. Code that takes no real time to speak of is
/// free: only waiting on the clock counts. Time moves only while a launch runs.
///
/// An operation that waits for something else (a callback, a thread, the signal of another step) holds time still for
/// its patience of real time, once: after that time moves on without it, the report has an `Anomaly` that names it, and
/// its timeout ends it as in real time. When its wait ends after all, it holds time still again. The clock cannot tell
/// the kind of such a wait. So a step that waits for a signal of another step costs patience too, but only the first
/// time.
///
/// The main thread does not belong to the clock, which sees less of an operation there: the operation holds time still
/// until it suspends, and after that only while its child tasks run.
///
/// ### One thing at a time
///
/// The clock runs one thing at a time, off the main thread except for steps that belong there, so that events of one
/// moment come in one order: ends before starts. Code that blocks its thread, or does not return, hands its turn on
/// after a quarter of the patience (50 ms to 500 ms): steps that wait for one another on semaphores get on as in real
/// time. Their order is then up to the machine.
///
/// That takes task executors. Before iOS 18, macOS 15, tvOS 18, watchOS 11 and visionOS 2 asynchronous steps run beside
/// each other: a launch still takes virtual time only, but events of one moment may change places.
///
/// ### Several launches
///
/// Launches can share a clock, beside each other or within a step of another; they come to the same result each time.
/// Start launches that must begin at the same moment in ``hold(_:)``.
///
/// ### A clock that wakes late
///
/// In real time every sleeper and every timer wakes a little late: some microseconds on a quiet machine, milliseconds
/// on a busy one. A clock that is made with ``init(patience:wakesLateBy:seed:)`` does so too, the same way for one
/// seed. Run a launch on it to see that its budget, its timeouts and its cuts do not hang on an exact moment:
///
/// ```swift
/// let clock = VirtualClock(wakesLateBy: .zero ... .milliseconds(20), seed: 7)
/// let report = try await graph.run(budget: .seconds(3), options: LaunchOptions(clock: clock)).report
/// #expect(report.budget.isMet)
/// ```
public final class VirtualClock: VirtualTimeClock {
    /// A point in virtual time.
    public struct Instant: InstantProtocol, Hashable {
        package let offset: Duration

        /// The instant `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Orders instants in time.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    package let scheduler: VirtualScheduler

    /// A clock that stands at zero, and may wake its sleepers late: steps, timeouts, pauses, cuts and deadlines.
    ///
    /// - Parameters:
    ///   - patience: how long, in real time, an operation that waits for something else than this clock holds time
    ///       still.
    ///   - lateness: how late; each wake is late by a random time of the range. Negative times count as zero. By
    ///       default, none is late.
    ///   - seed: of the random times: clocks of one seed wake equally late.
    public init(
        patience: Duration = .seconds(1),
        wakesLateBy lateness: ClosedRange<Duration> = .zero ... .zero,
        seed: UInt64 = 0
    ) {
        scheduler = VirtualScheduler(patience: patience, lateness: lateness, seed: seed)
    }

    /// The clock of launches whose tasks are chosen: a turn that is lost because the machine is busy would be a choice
    /// of the machine's.
    package init(
        ofInterleavings patience: Duration,
        wakesLateBy lateness: ClosedRange<Duration>? = nil,
        seed: UInt64 = 0
    ) {
        let lateness = lateness ?? .zero ... .zero
        scheduler = VirtualScheduler(patience: patience, lateness: lateness, seed: seed, longTurns: true)
    }

    /// The time now.
    public var now: Instant { Instant(offset: scheduler.now) }

    /// The smallest step: one nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until `deadline`. Throws `CancellationError` when the task is cancelled.
    nonisolated(nonsending) public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await scheduler.sleep(until: deadline.offset)
    }

    /// Holds time still, and all that runs on the clock off, while `body` runs: launches that it starts begin at one
    /// moment, in that order.
    ///
    /// ```swift
    /// try clock.hold {
    ///     try phone.start()
    ///     try tablet.start()
    /// }
    /// ```
    ///
    /// Nothing that `body` waits for may need the clock.
    public func hold<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        scheduler.hold()
        defer { scheduler.letGo() }
        return try body()
    }
}
