import Synchronization

/// The step that the current code is part of. A launch that a step starts has no more time than the step has.
enum CurrentStep {
    /// What runs that step.
    @TaskLocal static var runner: (any StepRunner)?

    /// Calls `body` as if no step were calling it.
    static func none<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // As a result: `withValue` rethrows, and forgets the type of the error.
        let result = $runner.withValue(nil) { Swift.Result(catching: body) }
        return try result.get()
    }

    /// The time that is left to the step that the caller is part of; nil outside of steps, where the step has no limit, and where it has another clock.
    static func remainingTime(by clock: any Clock<Duration>) -> Duration? {
        guard let runner else { return nil }
        return runner.withLaunch { launch, node in
            launch.isTimed(by: clock) ? launch.remainingTime(ofNode: node) : nil
        }
    }
}

/// A task, or a thread, that runs steps.
///
/// Every task that a step begins inherits it, and may outlive the step.
protocol StepRunner: AnyObject, Sendable {
    /// Calls `body` with the launch and the step that the caller is part of; nil when that is not certain.
    func withLaunch<Result>(_ body: (LaunchStorage, Int) -> Result?) -> Result?
}

/// A thread that runs one step after the other: a worker's, or the main thread at its turn. It runs conditions and the computing of fallbacks too.
final class StepThread: StepRunner {
    private let thread = currentThreadIdentity()
    // Unsafe: used on this thread alone.
    /// Let go of when the thread is done with it.
    private nonisolated(unsafe) var launch: LaunchStorage?
    /// The code that the thread runs, or has run last: read on the timer's queue, too.
    private let running = Atomic(StepThread.none)
    private let clock = ThreadClock()
    // Unsafe: used on the timer's queue, but for the first, which is made before that knows of the thread.
    private nonisolated(unsafe) var lastLook: Look?

    var assignment: StepAssignment? {
        @inline(__always) get { StepAssignment(packed: running.load(ordering: .relaxed)) }
        @inline(__always) set { running.store(newValue?.packed ?? Self.none, ordering: .relaxed) }
    }

    /// Whether it runs nothing any more.
    var isDone: Bool { running.load(ordering: .relaxed) == Self.done }

    private static var none: UInt64 { .max }
    private static var done: UInt64 { .max - 1 }

    private init(_ launch: LaunchStorage) {
        self.launch = launch
    }

    /// Calls `body`, which runs steps of `launch` here and says in ``assignment`` which.
    static func with(_ launch: LaunchStorage, _ body: (StepThread) -> Void) {
        let thread = StepThread(launch)
        CurrentStep.$runner.withValue(thread) { body(thread) }
        // Tasks that the steps have begun inherit this: they must not keep the launch, nor count as steps of it.
        thread.running.store(Self.done, ordering: .relaxed)
        thread.launch = nil
    }

    // MARK: Whether it is asleep

    /// What the thread had done when it was last looked at.
    private struct Look {
        var code: StepAssignment?
        let time: Nanoseconds
        let processorTime: Nanoseconds
        var isAsleep = false
    }

    /// The first look, which only begins to count.
    func beginLooks() {
        lastLook = clock?.processorTime.map { Look(time: monotonicNanoseconds(), processorTime: $0) }
    }

    /// The code that the thread runs, and whether it sleeps there: it has computed next to nothing since the last look. Nil where that cannot be told yet.
    func look(at time: Nanoseconds) -> (code: StepAssignment, isAsleep: Bool)? {
        guard let code = assignment, let clock, let processorTime = clock.processorTime else { return nil }
        var look = lastLook ?? Look(time: time, processorTime: processorTime)
        // Of so short a time nothing follows.
        if time - look.time >= 100_000 {
            let used = processorTime - look.processorTime
            // One that has not moved since sleeps on.
            let isAsleep = look.isAsleep && look.code == code && used == 0 || used * 10 < time - look.time && !clock.isRunnable
            look = Look(code: code, time: time, processorTime: processorTime, isAsleep: isAsleep)
        }
        lastLook = look
        return look.code.map { ($0, look.isAsleep) }
    }

    func withLaunch<Result>(_ body: (LaunchStorage, Int) -> Result?) -> Result? {
        // The thread first: on any other one, reading the rest would be a race.
        guard thread == currentThreadIdentity(), let launch, let assignment else { return nil }
        return body(launch, assignment.node)
    }
}

extension LaunchOptions {
    /// These options, for a launch that ends before the step that starts it has to.
    func within(_ remaining: Duration?) -> LaunchOptions {
        guard let remaining else { return self }
        var options = self
        // More than nothing, as any deadline: the launch begins, and ends at once.
        options.outerLimit = max(remaining, .nanoseconds(1))
        return options
    }
}

extension LaunchStorage {
    /// Whether a launch on that clock has this one's time.
    func isTimed(by clock: any Clock<Duration>) -> Bool {
        if let virtualTime { return virtualTime.scheduler === VirtualScheduler.of(clock) }
        // The two differ only by the time for which the machine sleeps.
        return timekeeper is SystemTimekeeper && (clock is SuspendingClock || clock is ContinuousClock)
    }
}
