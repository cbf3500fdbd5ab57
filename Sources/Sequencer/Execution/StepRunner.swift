import Dispatch
import Foundation

/// The step that the current code is part of. A launch that a step starts has no more time than the step has.
enum CurrentStep {
    /// The runner of that step.
    @TaskLocal static var runner: (any StepRunner)?

    /// Calls `body` as if no step were calling it.
    static func none<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // As a result: `withValue` rethrows, and forgets the type of the error.
        let result = $runner.withValue(nil) { Swift.Result(catching: body) }
        return try result.get()
    }

    /// The time that is left to the step that the caller is part of; nil outside of steps, where the step has no limit,
    /// and where it has another clock.
    static func remainingTime(by clock: any Clock<Duration>) -> Duration? {
        guard let runner else { return nil }
        return runner.withLaunch { launch, step in
            let hasItsTime =
                launch.virtualTime.map { $0.scheduler === VirtualScheduler.of(clock) }
                // The two differ only by the time for which the machine sleeps.
                ?? (launch.systemTime != nil && (clock is SuspendingClock || clock is ContinuousClock))
            return hasItsTime ? launch.remainingTime(of: step.node) : nil
        }
    }
}

/// A task, or a thread, that runs steps.
///
/// Every task that a step begins inherits it, and may outlive the step.
protocol StepRunner: AnyObject, Sendable {
    /// Calls `body` with the launch and the step that the caller is part of; nil when that is not certain.
    func withLaunch<Result>(_ body: (LaunchStorage, StepAssignment) -> Result?) -> Result?
}

/// A thread that runs one step after the other: a worker's, or the main thread at its turn. It runs conditions and the
/// computing of fallbacks too.
final class StepThread: StepRunner {
    private let thread = currentThreadIdentity()
    // Unsafe: used on this thread alone.
    /// Let go of when the thread is done with it.
    private nonisolated(unsafe) var launch: LaunchStorage?
    /// The code that the thread runs, or has run last: read on the timer's queue, too.
    private let running = Locked((assignment: StepAssignment?.none, isDone: false))
    private let clock = ThreadClock()
    // Unsafe: used on the timer's queue, but for the first, which is made before that knows of the thread.
    private nonisolated(unsafe) var lastLook: Look?

    var assignment: StepAssignment? {
        get { running.withLock { $0.assignment } }
        set { running.withLock { $0.assignment = newValue } }
    }

    /// Whether it runs nothing any more.
    var isDone: Bool { running.withLock { $0.isDone } }

    private init(_ launch: LaunchStorage) {
        self.launch = launch
    }

    /// Calls `body`, which runs steps of `launch` here and says in ``assignment`` which.
    static func with(_ launch: LaunchStorage, _ body: (StepThread) -> Void) {
        let thread = StepThread(launch)
        CurrentStep.$runner.withValue(thread) { body(thread) }
        // Tasks that the steps have begun inherit this: they must not keep the launch, nor count as steps of it.
        thread.running.withLock { $0 = (nil, isDone: true) }
        thread.launch = nil
    }

    // MARK: Whether it is asleep

    /// The state of the thread when it was last looked at.
    private struct Look {
        var code: StepAssignment?
        let time: Nanoseconds
        let processorTime: Nanoseconds
        var isAsleep = false
    }

    /// The first look, which only begins to count.
    func beginLooks() { lastLook = clock?.processorTime.map { Look(time: monotonicNanoseconds(), processorTime: $0) } }

    /// The code that the thread runs, and whether it sleeps there: it has computed next to nothing since the last look.
    /// Nil where that cannot be told yet.
    func look(at time: Nanoseconds) -> (code: StepAssignment, isAsleep: Bool)? {
        guard let code = assignment, let clock, let processorTime = clock.processorTime else { return nil }
        var look = lastLook ?? Look(time: time, processorTime: processorTime)
        // Of so short a time nothing follows.
        if time - look.time >= 100_000 {
            let used = processorTime - look.processorTime
            // A thread that has not moved since sleeps on.
            let isAsleep = look.isAsleep && look.code == code && used == 0 || used * 10 < time - look.time && !clock.isRunnable
            look = Look(code: code, time: time, processorTime: processorTime, isAsleep: isAsleep)
        }
        lastLook = look
        return look.code.map { ($0, look.isAsleep) }
    }

    func withLaunch<Result>(_ body: (LaunchStorage, StepAssignment) -> Result?) -> Result? {
        // The thread first: on any other one, reading the rest would be a race.
        guard thread == currentThreadIdentity(), let launch, let assignment else { return nil }
        return body(launch, assignment)
    }
}

/// A worker of a launch: an `Operation` in a queue of width one over a serial dispatch queue, which gives it a thread
/// at once. The pools of threads that all code shares have as many as there are processors, and give a launch none
/// while other code blocks them.
enum Worker {
    /// Asked for once: on Linux the answer is read from files.
    static let processors = max(1, ProcessInfo.processInfo.activeProcessorCount)

    static func start(at qualityOfService: QualityOfService, _ work: @escaping @Sendable () -> Void) {
        let queue = SerialOperationQueue(label: "sequencer.worker", at: qualityOfService)
        queue.operations.addOperation {
            work()
            // An operation does not keep its queue.
            withExtendedLifetime(queue) {}
        }
    }
}

/// An operation queue over a serial dispatch queue, which has a separate thread when the pool's are blocked. It must
/// be kept until its operations have run, for an operation queue does not keep its dispatch queue alive.
final class SerialOperationQueue: Sendable {
    let operations = OperationQueue()
    private let dispatchQueue: DispatchQueue

    init(label: String, at qualityOfService: QualityOfService = .userInitiated) {
        dispatchQueue = DispatchQueue(label: label, qos: qualityOfService.dispatchQoS)
        operations.name = label
        operations.underlyingQueue = dispatchQueue
        operations.qualityOfService = qualityOfService
        operations.maxConcurrentOperationCount = 1
    }
}

/// The threads of a launch's workers, and how often they are looked at.
struct WorkerThreads {
    /// How soon after a change the threads are looked at, and how seldom, at the most, when nothing changes.
    private static let (soon, late): (Nanoseconds, Nanoseconds) = (250_000, 2_000_000)

    private var all: [StepThread] = []
    /// Of the looks; made when it is first needed.
    var alarm: Int?
    private var delay = WorkerThreads.soon
    private var lastLook: Nanoseconds = 0

    /// A worker begins.
    mutating func add(_ thread: StepThread) {
        // Ended threads leave without notice: they are dropped here, now and then.
        if all.count >= 2 * LaunchOptions.maximumThreads { all.removeAll { $0.isDone } }
        all.append(thread)
    }

    /// The threads that have not ended.
    mutating func running() -> [StepThread] {
        all.removeAll { $0.isDone }
        return all
    }

    /// How long until the next look.
    ///
    /// - Parameter hasChanged: whether the last look has changed anything; nil for the first one since something waits.
    mutating func nextDelay(hasChanged: Bool?, at now: Nanoseconds) -> Nanoseconds {
        // When short operations come and go, some thread waits again and again: that does not call for looking more
        // often.
        let isNew = hasChanged == nil && now - lastLook > Self.late
        if hasChanged == true || isNew { delay = Self.soon } else if hasChanged == false { delay = min(2 * delay, Self.late) }
        lastLook = now
        return delay
    }
}

/// The task of a step that may suspend, on a worker's thread or on the main thread.
///
/// Until the step suspends, the task stays on the thread that started it, where the system can do that. The step can be
/// told to cancel before the start of its task has returned, and so before anybody has a `Task` to cancel. So the task
/// itself says, before the step's first instruction, how to reach it.
final class StepTask: StepRunner, Cancellable {
    private let assignment: StepAssignment
    private let link: Locked<LaunchStorage?>
    private let thread = currentThreadIdentity()
    // Unsafe, both: used on that thread alone, which starts the task.
    private nonisolated(unsafe) var isStarting = true
    private nonisolated(unsafe) var end: AttemptEnd?
    // Unsafe: used by the step's task alone.
    /// Released when the task ends, for others may keep this: every task that a step begins inherits it.
    private nonisolated(unsafe) var launch: LaunchStorage?
    // Unsafe: set by the task before anybody else knows of it.
    private nonisolated(unsafe) var task: UnsafeCurrentTask?
    // Unsafe: set by the thread that starts the task, and never read.
    /// Keeps the task there for as long as it can be told to cancel. Until this is set, the thread that starts it does.
    private nonisolated(unsafe) var handle: Task<Void, Never>?

    init(_ assignment: StepAssignment, in launch: LaunchStorage) {
        self.assignment = assignment
        self.launch = launch
        link = launch.link
    }

    /// Starts the step. A task that never suspends costs no switch of threads. In virtual time everything of it runs in
    /// its turn, on `holder`.
    ///
    /// - Returns: how the step ended, if it has run through; otherwise the launch is told.
    func start(onMain isMain: Bool, priority: TaskPriority?, for holder: TimeHolder?, atOnce: Bool) -> AttemptEnd? {
        let operation: @isolated(any) @Sendable () async -> Void
        if isMain { operation = { @MainActor in await self.run() } } else { operation = { await self.run() } }
        // Here, and not within the task: it inherits them, and does without frames of its own for them.
        handle = CurrentStep.$runner.withValue(self) {
            if let holder {
                TimeHolder.$current.withValue(holder) { holder.startTask(priority: priority) { await operation() } }
            } else if atOnce, #available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                Task.immediate(priority: priority, operation: operation)
            } else {
                // Earlier systems have no `Task.immediate`: there a task costs a switch of threads.
                Task(priority: priority, operation: operation)
            }
        }
        // From here on the step, which has suspended or was put off, tells its end itself.
        isStarting = false
        // Not kept: what the step has begun may keep this for longer.
        return end.take()
    }

    nonisolated(nonsending) private func run() async {
        // Kept beyond this call, which is unsafe only if the task can be gone: ``handle`` keeps it.
        task = withUnsafeCurrentTask { $0 }
        guard let launch else { return }
        let (isCancelled, isTooLate) = launch.state.withLock { state in
            (state.keep(self, for: assignment), state.machine.isToldToCancel(assignment))
        }
        // Without the lock: a cancelled task runs its handlers.
        if isCancelled { cancel() }
        var end = AttemptEnd.unbegun
        if !isTooLate {
            do {
                let context = StepContext(host: launch, assignment: assignment)
                end = AttemptEnd(try await launch.graph.nodes[assignment.node].work.run(context))
            } catch {
                end = AttemptEnd(throwing: error, isCancelled: Task.isCancelled)
            }
        }
        if !handOver(end) { launch.attemptEnded(assignment, end) }
        self.launch = nil
    }

    /// Leaves the end to the thread that started the task, if it is this one, and still within that call.
    ///
    /// Not inlined: an asynchronous function may keep the thread that it had before it was suspended.
    @inline(never)
    private func handOver(_ end: AttemptEnd) -> Bool {
        // The thread first: on any other one, reading the rest would be a race.
        guard thread == currentThreadIdentity(), isStarting else { return false }
        self.end = end
        return true
    }

    /// Tells the task to cancel, from any thread: its cancellation handlers run here. After its end, nothing happens.
    func cancel() { task?.cancel() }

    func withLaunch<Result>(_ body: (LaunchStorage, StepAssignment) -> Result?) -> Result? {
        // In the step's own task the step runs, even when its launch waits no longer.
        if withUnsafeCurrentTask(body: { $0 == task }) { return launch.flatMap { body($0, assignment) } }
        // Any other task may be one that the step has left behind.
        guard let launch = link.withLock({ $0 }), launch.isRunning(.operation(assignment)) else { return nil }
        return body(launch, assignment)
    }
}

/// Work that can be told to cancel: the task of a step, its `Operation`, its wait for an event.
protocol Cancellable: Sendable {
    func cancel()
}

extension Operation: Cancellable {}

extension EventWait: Cancellable {}
