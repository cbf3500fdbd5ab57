/// A holder of virtual time, which stands still meanwhile: a running operation, a worker, or the engine itself on behalf of a launch.
///
/// It is the task executor of its operation's tasks. Child tasks inherit that, so all their jobs are counted here.
final class TimeHolder: TaskExecutor {
    /// The holder that this task belongs to, so that it is known who sleeps. Tasks that a step leaves behind, and tasks on other executors, have it too.
    @TaskLocal static var current: TimeHolder?

    /// The activity of its operation.
    struct Activity {
        /// Jobs that wait for their turn, or have it.
        var jobs = 0
        /// Tasks that sleep on the clock, or wait for another launch on it.
        var asleep = 0
        /// The number of things under way elsewhere: code that has lost its turn because it blocks, tasks that have been woken and have not said so yet, turns
        /// on the main thread, inputs of other threads.
        var away = 0
        /// The number of inputs of its launch on any thread: their consequences are not all known.
        var inputs = 0
        /// Whether it is an operation that, as far as is known, runs still: it has to sleep in order not to hold time.
        var isLive: Bool
        /// Whether it holds time for as long as it takes: a prologue runs, within the call that starts its launch.
        var isInPrologue = false
        /// Whether patience with it has run out.
        var isReal = false
        /// Whether it is among the scheduler's suspects.
        var isSuspect = false
        /// When it was last asked whether it runs.
        var askedAt = -1
    }

    /// Whether time must not move because of something that no turn can bring on.
    var holdsTime: Bool { !account.isReal && isUnderway }
    /// The same, without regard to patience.
    var isUnderway: Bool { account.jobs == 0 && (account.away > 0 || account.isLive && account.asleep == 0) }

    enum Role: Sendable, Equatable {
        case operation(StepAssignment)
        case takeover
        /// The screen of that slow operation.
        case screen(Int)
        case worker
        case engine
    }

    let role: Role
    let launch: VirtualLaunchLink
    let scheduler: VirtualScheduler
    // Unsafe: read and changed only under the scheduler's lock.
    nonisolated(unsafe) var account: Activity

    init(_ role: Role, of launch: VirtualLaunchLink, on scheduler: VirtualScheduler) {
        self.role = role
        self.launch = launch
        self.scheduler = scheduler
        switch role {
        case .operation, .takeover, .screen: account = Activity(isLive: true)
        // These hold time by their jobs alone.
        case .worker, .engine: account = Activity(isLive: false)
        }
    }

    /// The holder that the current task belongs to, if it is one of this clock.
    static func current(on scheduler: VirtualScheduler) -> TimeHolder? {
        guard let current, current.scheduler === scheduler else { return nil }
        return current
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Not run on the thread that brings it: a job waits for its turn, or no two launches would be the same.
        scheduler.add(VirtualScheduler.Job(holder: self) { job.runSynchronously(on: self.asUnownedTaskExecutor()) })
    }

    /// The end of a launch that one of its tasks waits for has come.
    func wakes() { scheduler.wakes(self) }

    /// That task goes on.
    func goesOn() { scheduler.comesBack(self) }

    // Asked outside of the lock of the link: the answer takes the lock of the launch.
    /// Whether the operation runs still, as its launch has it.
    var isRunning: Bool { launch.withLock { $0.launch }?.isRunning(role) ?? false }
}

/// The requests of virtual time to a launch.
protocol VirtualLaunch: AnyObject, Sendable {
    func isRunning(_ role: TimeHolder.Role) -> Bool
    /// Whether an operation of the main thread is to start before one of a lane.
    var startsOnMainFirst: Bool { get }
    /// A worker blocks its thread, or comes back from that.
    func workerBlocks(_ blocks: Bool)
    /// Patience with `role` has run out.
    func waitsInRealTime(_ role: TimeHolder.Role)
}

/// The launch, for as long as it runs.
struct VirtualLaunchHandlers {
    var launch: (any VirtualLaunch)?
    var timePassed: TimeHandler?
    /// A launch can be over before it begins, when it was cancelled before.
    var isOver = false
}

typealias VirtualLaunchLink = Locked<VirtualLaunchHandlers>
