/// A clock with virtual time. Apps have that of SequencerTesting.
package protocol VirtualTimeClock: Clock<Duration> {
    /// Moves its time.
    var scheduler: VirtualScheduler { get }
}

extension VirtualScheduler {
    /// The scheduler of that clock, if its time is virtual.
    static func of(_ clock: any Clock<Duration>) -> VirtualScheduler? {
        // First: to ask for a conformance takes time in a process that has just begun.
        if clock is SuspendingClock || clock is ContinuousClock { return nil }
        return (clock as? any VirtualTimeClock)?.scheduler
    }
}

/// The time of one launch on a virtual clock. All work of the launch goes through here: the clock's scheduler knows when it is at rest.
final class VirtualTimekeeper: Timekeeper {
    let scheduler: VirtualScheduler
    private let origin: Duration
    private let id: Int
    private let link: VirtualLaunchLink
    /// Holds time still for work that is not an operation's.
    private let engine: TimeHolder
    /// The holders of operations, by node: those of the last attempts.
    private let operations = Locked<[Int: TimeHolder]>([:])

    /// Time stands still from here until ``beginEnds()``: another launch on the clock must not move it before this one has begun.
    ///
    /// - Parameter hasMainSteps: whether anything of the launch runs on the main thread.
    init(_ scheduler: VirtualScheduler, hasMainSteps: Bool) {
        self.scheduler = scheduler
        link = VirtualLaunchLink(VirtualLaunchHandlers())
        engine = TimeHolder(.engine, of: link, on: scheduler)
        (id, origin) = scheduler.register(engine, hasMainSteps: hasMainSteps)
    }

    deinit { scheduler.unregister(id) }

    var now: Nanoseconds { (scheduler.now - origin).nanoseconds }

    func begin(_ handler: @escaping TimeHandler) {
        link.withLock { if !$0.isOver { $0.timePassed = handler } }
    }

    /// Sets the launch that the scheduler asks about its operations, until ``end()``.
    func begin(for launch: any VirtualLaunch) {
        link.withLock { if !$0.isOver { $0.launch = launch } }
    }

    /// Steps run on the thread that starts the launch: until ``prologueEnds()`` time stands still, however long they take.
    func prologueBegins() { scheduler.setInPrologue(engine, true) }

    func prologueEnds() { scheduler.setInPrologue(engine, false) }

    /// The first operations have been handed out: from now on they show whether time may move.
    func beginEnds() { scheduler.inputEnds(engine) }

    func wake(at time: Nanoseconds) {
        scheduler.wake(id, at: origin + .nanoseconds(time))
    }

    func end() {
        scheduler.unregister(id)
        operations.withLock { $0 = [:] }
        // The handlers hold the launch, which must not go with them under the lock.
        _ = link.withLock { handlers in
            defer { handlers = VirtualLaunchHandlers(isOver: true) }
            return handlers
        }
    }

    // MARK: Sleeping

    /// Goes on where it was called, on the main actor or the operation's executor: a detour through the pool would depend on other code
    /// that keeps the pool busy.
    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        try await sleep(for: duration, holder: TimeHolder.current(on: scheduler))
    }

    /// The same for a caller that has the operation's launch in hand, in any task.
    nonisolated(nonsending) func sleep(for duration: Duration, by assignment: StepAssignment, keepsThread: Bool) async throws {
        // A detached task of the step has no holder of its own.
        let holder = TimeHolder.current(on: scheduler) ?? operations.withLock { $0[assignment.node] }
        try await sleep(for: duration, holder: holder, keepsThread: keepsThread)
    }

    nonisolated(nonsending) private func sleep(for duration: Duration, holder: TimeHolder?, keepsThread: Bool = false) async throws {
        try await scheduler.sleep(until: scheduler.now + duration, for: holder, keepsThread: keepsThread)
    }

    /// The current task begins to wait for the end of this launch.
    ///
    /// - Returns: the holder to tell of that end, if the task is a step of another launch on this clock; nil otherwise.
    func waitForEndBegins() -> TimeHolder? {
        let holder = TimeHolder.current(on: scheduler)
        if let holder { scheduler.fallsAsleep(holder) }
        return holder
    }

    // MARK: Running

    /// An operation begins: the holder is its executor.
    func begins(_ assignment: StepAssignment) -> TimeHolder {
        let holder = TimeHolder(.operation(assignment), of: link, on: scheduler)
        operations.withLock { $0[assignment.node] = holder }
        scheduler.begins(holder)
        return holder
    }

    func takeoverBegins() -> TimeHolder { begins(.takeover) }

    /// Something is shown while operation `node` takes long.
    func screenBegins(_ node: Int) -> TimeHolder { begins(.screen(node)) }

    private func begins(_ role: TimeHolder.Role) -> TimeHolder {
        let holder = TimeHolder(role, of: link, on: scheduler)
        scheduler.begins(holder)
        return holder
    }

    /// Runs `work` once everything has ended that ends at this time.
    func addWorker(_ work: @escaping @Sendable () -> Void) {
        scheduler.add(worker: VirtualScheduler.Job(holder: TimeHolder(.worker, of: link, on: scheduler), run: work), of: id)
    }

    /// Computes a fallback before anything else starts: its value belongs to an end of this moment.
    func compute(_ fallback: StepAssignment, _ work: @escaping @Sendable () -> Void) {
        scheduler.add(VirtualScheduler.Job(holder: begins(fallback), run: work))
    }

    /// Runs `turn` on the main thread, in its turn: two threads must not race for the first place, or no two launches would be the same.
    func requestMainTurn(_ turn: @escaping @Sendable () -> Void) {
        scheduler.add(mainTurn: VirtualScheduler.Job(holder: engine, run: turn), of: id)
    }

    /// Something is being decided, on any thread: time must not move between that and what follows from it.
    ///
    /// Code that blocked its thread and has come back waits here for its turn.
    func inputBegins() { scheduler.inputBegins(engine) }

    func inputEnds() { scheduler.inputEnds(engine) }
}
