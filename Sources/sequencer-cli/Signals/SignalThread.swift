import Foundation
import Sequencer

/// Handles the signals of this process, on a thread of its own: it needs nothing else, so nothing that hangs keeps the process from being ended.
///
/// SIGHUP, SIGINT, SIGQUIT and SIGTERM end the process with 128 and their number: at once, or, while there is a launch, by
/// cancelling it. A second one, and a launch that is slow to end, ends the process at once. Before that, its children are killed, and its terminals
/// show the cursor and the input again. So they do before SIGTSTP stops the process.
final class SignalThread: Sendable {
    static let shared = SignalThread()

    /// The effect of signals on the launch that runs.
    private struct Launch: Sendable {
        let cancel: @Sendable () -> Void
        let abandon: @Sendable () -> Void
    }

    private struct State {
        var hasBegun = false
        var machine = SignalStateMachine()
        var launch: Launch?
        var tell: (@Sendable () -> Void)?
    }

    /// How long a cancelled launch may take to end, and files to be removed, in milliseconds. Both take a fraction of a second, unless
    /// a thread, a disk or a terminal is stuck.
    private static let patience: Int32 = 10_000

    private let state = Locked(State())

    /// The first signal that was to end the process.
    var first: Int32? { state.withLock { $0.machine.first } }

    /// Begins to handle signals. Signals that are ignored already, as by `nohup`, stay ignored, except for SIGINT, SIGQUIT and SIGTERM, which shells
    /// ignore out of habit.
    func begin() throws {
        let hasBegun = state.withLock { state in
            defer { state.hasBegun = true }
            return state.hasBegun
        }
        if hasBegun { return }
        let pipe = try makePipe(for: "the thread for signals")
        bell = pipe.writing
        // A handler must never wait.
        _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
        try startThread { self.run(pipe.reading) }
        let unlessIgnored = [SIGHUP, SIGTSTP].filter { !ignoresSignal($0) }
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGCONT] + unlessIgnored { signal(number, ring) }
    }

    /// From now on the first signal cancels the launch, and the second one ends the process at once.
    ///
    /// - Parameters:
    ///   - abandon: called before the process ends at once: removes files that nobody else would remove.
    ///   - cancel: called at the first signal. Both are called on a thread that no launch can block.
    func launchBegan(abandon: @escaping @Sendable () -> Void = {}, cancel: @escaping @Sendable () -> Void) throws {
        try begin()
        state.withLock { state in
            state.launch = Launch(cancel: cancel, abandon: abandon)
            state.machine.launchBegan()
        }
    }

    /// From now on a signal ends the process at once.
    ///
    /// - Returns: the signal that cancelled the launch.
    func launchEnded() -> Int32? {
        state.withLock { state in
            state.launch = nil
            return state.machine.launchEnded()
        }
    }

    /// Has SIGUSR1 call `tell`, on a thread of its own; nil lets it end the process again.
    func onStatusRequest(_ tell: (@Sendable () -> Void)?) {
        try? begin()
        state.withLock { $0.tell = tell }
        signal(SIGUSR1, tell == nil ? SIG_DFL : ring)
    }

    // MARK: The thread

    /// Unblocks the handled signals in this thread: the parent process may have blocked them, as threads of Dispatch do.
    private func setMask() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGUSR1] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // To write on a terminal from the background would stop the process.
        sigemptyset(&signals)
        sigaddset(&signals, SIGTTOU)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func run(_ bell: Int32) {
        setMask()
        /// The rest of the patience; nil while no launch is to end.
        var rest: Int32?
        while true {
            let begin = SuspendingClock.now
            let number = nextSignal(bell, within: rest ?? -1)
            if let left = rest { rest = max(0, left - Int32(clamping: (SuspendingClock.now - begin).nanoseconds / 1_000_000)) }
            let action = state.withLock { state in
                if let number { return state.machine.received(number) }
                return rest == 0 ? state.machine.patienceEnded() : .nothing
            }
            switch action {
            case .nothing: break
            case .cancel:
                // Not here: it runs code of others. Without a thread for it nothing else would go on either.
                if let launch = state.withLock({ $0.launch }), (try? startThread(launch.cancel)) == nil { end(128 + (number ?? 0), bell) }
            case .end(let status): end(status, bell)
            case .stop: stop()
            case .resume: resume()
            case .tell:
                let tell = state.withLock { $0.tell }
                if let tell { try? startThread(tell) }
            }
            if !state.withLock({ $0.machine.isWaiting }) {
                rest = nil
            } else if rest == nil || action == .resume || action == .stop {
                // A process that was stopped could not end.
                rest = Self.patience
            }
        }
    }

    /// - Returns: the next signal; nil after so many milliseconds (-1: never) without one, or after an interruption.
    private func nextSignal(_ bell: Int32, within limit: Int32) -> Int32? {
        var request = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
        var number: UInt8 = 0
        guard poll(&request, 1, limit) > 0, read(bell, &number, 1) == 1 else { return nil }
        return Int32(number)
    }

    /// Leaves no child and no hidden cursor behind, then ends the process, even if other threads hang.
    private func end(_ status: Int32, _ bell: Int32) -> Never {
        LiveChildren.killAll()
        TerminalEcho.restoreAll()
        TerminalCursor.restoreAll()
        if let abandon = state.withLock({ $0.launch?.abandon }) {
            let isDone = Locked(false)
            let work: @Sendable () -> Void = {
                abandon()
                isDone.withLock { $0 = true }
            }
            var rest = (try? startThread(work)) == nil ? 0 : Self.patience / 10
            while rest > 0, !isDone.withLock({ $0 }), nextSignal(bell, within: 10) == nil { rest -= 1 }
        }
        _exit(status)
    }

    // MARK: Stopping

    private func stop() {
        TerminalEcho.pause()
        TerminalCursor.pause()
        signal(SIGTSTP, SIG_DFL)
        // Sent to this thread it stops the process before this returns, unless the system has nobody who would let the process go on again.
        pthread_kill(pthread_self(), SIGTSTP)
        signal(SIGTSTP, ring)
        resume()
    }

    private func resume() {
        TerminalEcho.resume()
        TerminalCursor.resume()
    }
}

// Written once, before the handler is set that reads it.
nonisolated(unsafe) private var bell: Int32 = -1

/// The handler: tells the thread, and does nothing that a handler must not do.
private func ring(_ number: Int32) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(bell, &byte, 1)
    errno = code
}

/// Whether this process ignores the signal, as `nohup` has it ignore SIGHUP: that is inherited.
func ignoresSignal(_ number: Int32) -> Bool {
    var current = sigaction()
    guard sigaction(number, nil, &current) == 0 else { return false }
    #if canImport(Darwin)
        let handler = current.__sigaction_u.__sa_handler
    #elseif canImport(Musl)
        let handler = current.__sa_handler.sa_handler
    #else
        let handler = current.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
