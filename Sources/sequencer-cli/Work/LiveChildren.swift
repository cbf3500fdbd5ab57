import Foundation
import Sequencer

/// The children that have not been reaped: none of them outlives the tool.
///
/// A pid is its child's until the child is reaped. That is done under the lock, as signalling is, so no stranger is
/// ever signalled.
enum LiveChildren {
    private struct State {
        var pids: Set<pid_t> = []
        /// No child is started any more: nobody would be left to end it.
        var isLeaving = false
    }

    private static let state = Locked(State())

    /// Starts a child that leads a process group of its own.
    ///
    /// - Parameter spawn: starts it, and returns the system's error. It has the lock, under which pipes are made, too:
    ///   a pipe is inherited until it is marked.
    static func start(_ spawn: (inout pid_t) -> Int32) -> (pid: pid_t, code: Int32) {
        // Before the lock, which starting the guard takes itself.
        ChildGuard.begin()
        let child = state.withLock { state -> (pid: pid_t, code: Int32) in
            // A signal is about to end the tool: `killAll()` has gone through the list already.
            if state.isLeaving { return (0, ECANCELED) }
            var pid: pid_t = 0
            let code = spawn(&pid)
            if code == 0 { state.pids.insert(pid) }
            return (pid, code)
        }
        if child.code == 0 { ChildGuard.began(child.pid) }
        return child
    }

    /// Runs `body` while no child is started.
    static func whileNoneStarts<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try state.withLock { _ throws(Failure) in try body() }
    }

    /// Takes the status of a child that has ended, and gives its pid up.
    static func reap(_ pid: pid_t) -> ChildProcessError.Reason {
        // Before the pid is given up: the guard must not kill a stranger that gets it later.
        ChildGuard.ended(pid)
        var status: Int32 = 0
        let code: Int32 = state.withLock { state in
            state.pids.remove(pid)
            // Does not wait: the child has ended, and only its status is left.
            while waitpid(pid, &status, 0) < 0 {
                if errno != EINTR { return errno }
            }
            return 0
        }
        if code != 0 { return .system("could not be waited for: \(String(cString: strerror(code)))") }
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

/// Signals the child's group, or the child where it has moved to another.
func signalGroup(_ pid: pid_t, _ signal: Int32) {
    // The group is gone, or not the child's: the child itself is left.
    if kill(-pid, signal) != 0 { kill(pid, signal) }
}

/// A process that ends the children of a tool that could not: one that was killed.
///
/// It is told through a pipe which groups there are. The pipe ends with the tool, however that ends; then it kills
/// those that are left. It is a shell, which every system has, and nobody's child: the first one ends as soon as it has
/// made the second. If it cannot be started, the tool goes on without it.
enum ChildGuard {
    private static let script = """
        trap '' HUP INT QUIT TERM TSTP
        exec 3<&0
        (
            live=" "
            while read -r news pid; do
                case $news in
                +) live="$live $pid " ;;
                -) case $live in *" $pid "*) live="${live%% "$pid" *} ${live#* "$pid" }" ;; esac ;;
                esac
            done
            for pid in $live; do kill -s KILL -- "-$pid"; done
        ) <&3 &
        """

    /// The end of the pipe to write to; made for the first child.
    private static let pipe: Int32? = {
        // Without a guard the tool works; only a killed one leaves its children.
        guard let ends = try? makePipe(for: "") else { return nil }
        // The guard has its own by then; the tool only writes.
        defer { close(ends.reading) }
        // A shell can only read from a descriptor that blocks; the tool must not wait for a shell.
        _ = fcntl(ends.reading, F_SETFL, 0)
        _ = fcntl(ends.writing, F_SETFL, O_NONBLOCK)
        // It may live for long: a process that waits for the end of a pipe or a socket would wait for it, if it had
        // that open.
        let request = SpawnRequest(command: ["/bin/sh", "-c", script], input: ends.reading, closesOthers: true)
        var pid: pid_t = 0
        // Under the lock of the pipes, so that no child inherits an end of this one.
        guard LiveChildren.whileNoneStarts({ request.start(&pid) }) == 0 else {
            close(ends.writing)
            return nil
        }
        // The first shell ends as soon as it has made the second, so this does not wait long.
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
        return ends.writing
    }()

    /// Begins to guard, before there is the first child.
    static func begin() { _ = pipe }

    static func began(_ pid: pid_t) { tell("+ \(pid)\n") }

    static func ended(_ pid: pid_t) { tell("- \(pid)\n") }

    private static func tell(_ line: String) {
        guard let pipe else { return }
        // A pipe that is full or closed: the guard is slow or gone, and the tool goes on.
        _ = Array(line.utf8).withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
    }
}
