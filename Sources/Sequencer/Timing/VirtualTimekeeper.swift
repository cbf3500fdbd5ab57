import Dispatch
import Foundation

/// Runs a launch in virtual time: its workers and tasks share one serial queue, and when that has come to rest, time moves.
final class VirtualTimekeeper: Timekeeper, TaskExecutor {
    private struct State {
        var handler: (@Sendable () -> Void)?
        var runningOperations: (@Sendable () -> Int)?
        var wake: Nanoseconds?
        /// Jobs handed out and not yet done, on the serial queue or on the main thread.
        var jobs = 0
        /// Turns asked of the main thread that have not begun.
        var mainTurns: [@Sendable () -> Void] = []
        var isCheckQueued = false
        /// Counts what happens, so that patience can tell whether anything did.
        var activity = 0
        var listenerKey: Int?
    }

    let queue = DispatchQueue(label: "sequencer.virtual-time")
    private let clock: VirtualClock
    private let origin: VirtualClock.Instant
    private let hasMainSteps: Bool
    private let state = Locked(State())

    /// - Parameter hasMainSteps: whether anything of the launch runs on the main thread.
    init(_ clock: VirtualClock, hasMainSteps: Bool) {
        self.clock = clock
        self.hasMainSteps = hasMainSteps
        origin = clock.now
    }

    var now: Nanoseconds { origin.duration(to: clock.now).nanoseconds }

    /// - Parameter runningOperations: how many operations run, asleep on the clock or not.
    func begin(_ handler: @escaping @Sendable () -> Void, runningOperations: @escaping @Sendable () -> Int) {
        let key = clock.listen { [weak self] in self?.checkSoon() }
        state.withLock { state in
            state.handler = handler
            state.runningOperations = runningOperations
            state.listenerKey = key
        }
        checkSoon()
    }

    func begin(_ handler: @escaping @Sendable () -> Void) {
        begin(handler, runningOperations: { 0 })
    }

    func wake(at time: Nanoseconds) {
        state.withLock { $0.wake = min($0.wake ?? .max, time) }
        checkSoon()
    }

    /// Goes on where it was called, the main actor or the serial queue: a detour through the pool would be up to whoever keeps the pool busy.
    nonisolated(nonsending) func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration, tolerance: .zero)
    }

    func end() {
        let key = state.withLock { state in
            defer { state = State() }
            return state.listenerKey
        }
        if let key { clock.endListening(key) }
    }

    // MARK: Jobs

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobBegins()
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            self.jobEnds()
        }
    }

    /// Something was handed out that has to be done before time may move.
    func jobBegins() {
        state.withLock { $0.jobs += 1 }
    }

    func jobEnds() {
        state.withLock { $0.jobs -= 1 }
        checkSoon()
    }

    /// Runs `turn` on the main thread, once everything else that can be done at this time has been: what comes first must not be up to two
    /// threads, or no two launches would be the same.
    func requestMainTurn(_ turn: @escaping @Sendable () -> Void) {
        state.withLock { $0.mainTurns.append(turn) }
        checkSoon()
    }

    // MARK: Moving time

    /// Looks for rest behind everything that is in the queue now.
    private func checkSoon() {
        let isNeeded = state.withLock { state in
            state.activity += 1
            guard state.handler != nil, !state.isCheckQueued else { return false }
            state.isCheckQueued = true
            return true
        }
        if isNeeded { queue.async { self.check() } }
    }

    private func check() {
        let (isBusy, turn, running, activity) = state.withLock { state in
            state.isCheckQueued = false
            let isBusy = state.jobs > 0 || state.handler == nil
            let turn = isBusy || state.mainTurns.isEmpty ? nil : state.mainTurns.removeFirst()
            if turn != nil { state.jobs += 1 }
            return (isBusy, turn, state.runningOperations, state.activity)
        }
        guard !isBusy, let running else { return }
        if let turn {
            OperationQueue.main.addOperation { [self] in
                turn()
                jobEnds()
            }
            return
        }
        if running() <= clock.sleeping {
            moveTime()
        } else {
            waitPatiently(since: activity)
        }
    }

    /// Something runs that does not wait on the clock: gives it its time.
    ///
    /// On a busy machine that may only be waiting for its turn, on the main thread or in the pool, so patience begins once both have had time
    /// for something that was asked of them later.
    private func waitPatiently(since activity: Int) {
        let delay = Int(min(max(clock.patience.nanoseconds, 0), OperationGraph.longestDuration.nanoseconds))
        // As urgent as launches are: on Linux, each quality of service has a pool of its own.
        Task.detached(priority: .userInitiated) { [self] in
            if hasMainSteps { await MainActor.run {} }
            queue.asyncAfter(deadline: .now() + .nanoseconds(delay)) { [self] in
                guard state.withLock({ $0.activity == activity && $0.jobs == 0 && $0.handler != nil }) else { return }
                moveTime()
            }
        }
    }

    /// Goes to the next moment at which something happens, and lets one thing happen: an operation wakes before a timeout of the same time.
    private func moveTime() {
        let wake = state.withLock { $0.wake }
        let wakeTime = wake.map { origin.offset + .nanoseconds($0) }
        if let next = clock.nextWake, next <= wakeTime ?? next {
            if next < VirtualClock.never { _ = clock.wakeNext(until: next) }
            checkSoon()
        } else if let wakeTime {
            clock.move(to: wakeTime)
            let handler = state.withLock { state in
                state.wake = nil
                return state.handler
            }
            handler?()
            checkSoon()
        }
    }
}
