import Foundation
import Sequencer

/// The children that have not been reaped: none of them outlives the tool.
///
/// A pid is its child's until the child is reaped. Reaping and signalling are done under the lock, so no stranger is
/// ever signalled.
enum LiveChildren {
    private struct State {
        var pids: Set<pid_t> = []
        /// No child is started any more: nobody would be left to end it.
        var isLeaving = false
    }

    private static let state = Locked(State())

    /// Starts a child that leads a new process group.
    ///
    /// - Parameter spawn: starts it, and returns the system's error. It has the lock, under which pipes are made, too:
    ///   a pipe is inherited until it is marked.
    static func start(_ spawn: (inout pid_t) -> Int32) -> (pid: pid_t, code: Int32) {
        state.withLock { state in
            // A signal is about to end the tool: `killAll()` has gone through the list already.
            if state.isLeaving { return (0, ECANCELED) }
            var pid: pid_t = 0
            let code = spawn(&pid)
            if code == 0 { state.pids.insert(pid) }
            return (pid, code)
        }
    }

    /// Runs `body` while no child is started.
    static func whileNoneStarts(_ body: () -> Int32) -> Int32 { state.withLock { _ in body() } }

    /// Takes the status of a child that has ended, and gives its pid up.
    ///
    /// - Parameter use: told its processor time, its own children's included, and how long it waited for a processor,
    ///     where the system tells.
    static func reap(_ pid: pid_t, _ use: ChildProcess.Use = { _, _ in }) -> ChildProcessError.Reason {
        var (status, usage): (Int32, _) = (0, rusage())
        // While its pid is still its own.
        let first = scheduled("\(pid)")
        let code: Int32 = state.withLock { state in
            state.pids.remove(pid)
            // Does not wait: the child has ended, and only its status is left.
            while wait4(pid, &status, 0, &usage) < 0 {
                if errno != EINTR { return errno }
            }
            return 0
        }
        if code != 0 { return .system("could not be waited for: \(String(cString: strerror(code)))") }
        let used = duration(usage.ru_utime) + duration(usage.ru_stime)
        // The system tells the waits of its first thread alone, which has done nearly all of it, or little.
        use(used, first.flatMap { .nanoseconds($0.ran) >= used * 0.9 ? .nanoseconds($0.waited) : nil })
        // The macros of the header are not visible to Swift.
        let signal = status & 0x7F
        return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }

    /// Ends every child and its group, because the process ends.
    static func killAll() {
        state.withLock { state in
            state.isLeaving = true
            for pid in state.pids { signalGroup(pid, SIGKILL) }
        }
    }

    /// Waits for the children that were asked to end, as long as they have time for that, then ends every child.
    static func end() {
        // Longer than a child is given; after that its thread kills it.
        for _ in 0..<500 where !state.withLock({ $0.pids.isEmpty }) { usleep(2_000) }
        killAll()
    }
}

private func duration(_ time: timeval) -> Duration { .seconds(Int64(time.tv_sec)) + .microseconds(Int64(time.tv_usec)) }

/// Signals the child's group, or the child where it has moved to another.
func signalGroup(_ pid: pid_t, _ signal: Int32) {
    // The group is gone, or not the child's: the child itself is left.
    if kill(-pid, signal) != 0 { kill(pid, signal) }
}
