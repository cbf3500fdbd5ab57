import Foundation
import Sequencer

/// Handles the signals of this process, on a separate thread that needs nothing else. So nothing that hangs keeps the
/// process from being ended.
///
/// SIGHUP, SIGINT, SIGQUIT and SIGTERM end the process with 128 and their number: at once, or, while there is a launch,
/// by cancelling it. A second one, and a launch that is slow to end, ends the process at once. Before that, its
/// children are killed, and its terminals show the input again.
final class SignalThread: Sendable {
    static let shared = SignalThread()

    private struct State {
        /// The first signal that was to end the process: the one that a shell is told of.
        var first: Int32?
        var hasBegun = false
        /// The effect of the first signal on the launch that runs.
        var cancel: (@Sendable () -> Void)?
        var abandon: (@Sendable () -> Void)?
        var tell: (@Sendable () -> Void)?
    }

    /// How long a cancelled launch may take to end, and files to be removed. Both take a fraction of a second, unless a
    /// thread, a disk or a terminal is stuck.
    private static let patience = Duration.seconds(10)
    private static let ends = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    private let state = Locked(State())

    /// The first signal that was to end the process.
    var first: Int32? { state.withLock { $0.first } }

    /// Begins to handle signals. SIGHUP stays ignored where it is already, as by `nohup`; the others are handled even
    /// then, for shells ignore them out of habit.
    func begin() throws {
        try state.withLock { state in
            // Once for the process: handlers and the pipe stay to its end. After an error the next call tries again.
            if !state.hasBegun { try listen() }
            state.hasBegun = true
        }
    }

    private func listen() throws {
        let pipe = try makePipe(for: "the thread for signals")
        // A handler must never wait.
        _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
        do {
            try startThread { self.run(pipe.reading) }
        } catch {
            close(pipe.reading)
            close(pipe.writing)
            throw error
        }
        // Before the handlers, which write to it.
        bell = pipe.writing
        for number in Self.ends where number != SIGHUP || !ignoresSignal(number) { signal(number, ring) }
    }

    /// From now on the first signal cancels the launch, and the second one ends the process at once.
    ///
    /// - Parameter cancel: called at the first signal, on a thread that no launch can block.
    func launchBegan(cancel: @escaping @Sendable () -> Void) throws {
        try begin()
        state.withLock { $0.cancel = cancel }
    }

    /// From now on a signal ends the process at once.
    ///
    /// - Returns: the signal that cancelled the launch.
    func launchEnded() -> Int32? {
        state.withLock { state in
            // Forgotten at once, so that a signal from here on calls no code of a launch that is over.
            state.cancel = nil
            return state.first
        }
    }

    /// Has `abandon` called before a signal ends the process at once, also without a launch, on a thread that nothing
    /// else can block. It removes what nobody else would remove.
    func onEnd(_ abandon: @escaping @Sendable () -> Void) { state.withLock { $0.abandon = abandon } }

    /// Has SIGUSR1 call `tell`, on a new thread; nil lets it end the process again.
    func onStatusRequest(_ tell: (@Sendable () -> Void)?) {
        // A status is a help: without a thread for it SIGUSR1 keeps its meaning.
        guard (try? begin()) != nil else { return }
        // The closure first: a handler without one would swallow the signal.
        state.withLock { $0.tell = tell }
        signal(SIGUSR1, tell == nil ? SIG_DFL : ring)
    }

    // MARK: The thread

    private func run(_ bell: Int32) {
        // The parent process may have blocked them, as threads of Dispatch do.
        maskSignals(SIG_UNBLOCK, Self.ends + [SIGUSR1])
        // To write on a terminal from the background would stop the process.
        maskSignals(SIG_BLOCK, [SIGTTOU])
        /// When the cancelled launch has had its time. It does not pass while the machine sleeps.
        var limit: SuspendingClock.Instant?
        while true {
            var byte: UInt8 = 0
            // Reads a byte at a time: a second signal must not be read away with the first.
            let time: Duration? = limit == nil ? nil : .milliseconds(100)
            let hasCome = waitForInput(from: bell, atMost: time) && read(bell, &byte, 1) == 1
            let number = Int32(byte)
            if hasCome, number == SIGUSR1 {
                // On a new thread: a terminal that takes nothing must not hold up the next signal.
                if let tell = state.withLock({ $0.tell }) { try? startThread(tell) }
            } else if hasCome {
                let (cancel, isFirst) = state.withLock { state in
                    defer { state.first = state.first ?? number }
                    return (state.cancel, state.first == nil)
                }
                // Not here: it runs code of others. Without a thread for it nothing else would continue either.
                guard isFirst, let cancel, (try? startThread(cancel)) != nil else { end(128 + number) }
                limit = .now + Self.patience
            } else if let time = limit, time <= .now {
                limit = nil
                // Asked under the lock: the launch may have ended meanwhile.
                if let first = state.withLock({ $0.cancel == nil ? nil : $0.first }) { end(128 + first) }
            }
        }
    }

    /// Leaves no child and no silent terminal behind, then ends the process, even if other threads hang.
    private func end(_ status: Int32) -> Never {
        LiveChildren.killAll()
        TerminalModes.restoreAll()
        attempt(for: .milliseconds(500)) { LiveView.replace(by: nil) }
        if let abandon = state.withLock({ $0.abandon }) { attempt(for: Self.patience, abandon) }
        // Not `exit`: its handlers, and a thread that holds a lock, could keep the process.
        _exit(status)
    }

    /// Runs `work` on a new thread, since a terminal may take nothing, and a disk hang. Waits at most `time` for it.
    private func attempt(for time: Duration, _ work: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        let isStarted: Void? = try? startThread {
            work()
            isDone.signal()
        }
        if isStarted != nil { _ = isDone.wait(timeout: .now() + time / .seconds(1)) }
    }
}

// Written once, before the handler is set that reads it.
nonisolated(unsafe) private var bell: Int32 = -1

/// The handler: tells the thread, and does nothing that a handler must not do.
private func ring(_ number: Int32) {
    // The interrupted code may be about to read errno.
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    // write(2) is one of the few functions that a handler may call (POSIX, 2.4.3).
    _ = write(bell, &byte, 1)
    errno = code
}

/// Changes which signals are blocked in this thread.
///
/// - Returns: those that were blocked before.
@discardableResult
func maskSignals(_ how: Int32, _ numbers: [Int32]) -> sigset_t {
    var (signals, before) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(how, &signals, &before)
    return before
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
    // Function pointers cannot be compared in Swift, and SIG_IGN is a number in place of one.
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
