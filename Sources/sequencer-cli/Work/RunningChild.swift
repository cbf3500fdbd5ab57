import Foundation
import Sequencer

/// One run of a command.
///
/// Two threads of its own block, so that no shared one has to: the first starts the child, reads its output, signals and reaps it;
/// the second waits for its end. As only the first reaps, and signals but at the end of the tool (``LiveChildren``), no signal can reach a
/// stranger that has the pid of a child that is gone.
///
/// Dispatch sources would need neither thread, but on Linux a read source does not report the end of a pipe that comes together
/// with data.
final class RunningChild: Sendable {
    private struct State {
        var isCancelled = false
        /// Set once the child has ended; false if it could not be waited for.
        var isThere: Bool?
        /// Where to write a byte when one of the others changes, as long as the first thread reads it.
        var bell: Int32?
    }

    private let command: [String]
    private let capture: ChildProcess.Capture
    private let killDelay: UInt64
    private let state = Locked(State())

    init(_ command: [String], _ capture: ChildProcess.Capture, killDelay: Duration) {
        self.command = command
        self.capture = capture
        // Above a day the conversion could overflow, and nobody waits that long.
        self.killDelay = UInt64(min(max(killDelay / .nanoseconds(1), 0), 86_400e9))
    }

    /// Runs the child, unless the run was cancelled before.
    func start(_ continuation: CheckedContinuation<ChildProcess.Output, any Error>) {
        do {
            // The continuation is resumed exactly once: by the thread, or here without one.
            try startThread { continuation.resume(with: Result { try self.run() }) }
        } catch {
            continuation.resume(throwing: noThread(error))
        }
    }

    private func noThread(_ error: ThreadError) -> ChildProcessError {
        ChildProcessError(command: command.first ?? "", reason: .system("could not be started: \(error)"))
    }

    func cancel() {
        ring { $0.isCancelled = true }
    }

    private func ring(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            // Under the lock, as the pipe is closed after it. It cannot be full: each of the two others changes once.
            if let bell = state.bell { _ = write(bell, "!", 1) }
        }
    }

    private func run() throws -> ChildProcess.Output {
        let name = command.first ?? ""
        let bell = try makePipe(for: name)
        // Set and asked in one step: a cancellation before it rang no bell, one after it does.
        let isCancelled = state.withLock { state in
            state.bell = bell.writing
            return state.isCancelled
        }
        defer {
            // First under the lock: `ring` must not write to a number that is somebody else's by then.
            state.withLock { $0.bell = nil }
            close(bell.writing)
            close(bell.reading)
        }
        if isCancelled { throw CancellationError() }

        // First the thread, for without it there may be no child.
        let (pids, started) = (Locked<pid_t?>(nil), DispatchSemaphore(value: 0))
        do {
            try startThread {
                // The pid is known only after the start; without one there is nothing to wait for.
                started.wait()
                guard let pid = pids.withLock({ $0 }) else { return }
                let isThere = waitForExit(pid)
                self.ring { $0.isThere = isThere }
            }
        } catch {
            throw noThread(error)
        }
        let spawned = Result { try spawn(command, hasErrors: capture.hasErrors) }
        // Also after a failure: the second thread waits for it.
        pids.withLock { $0 = try? spawned.get().pid }
        started.signal()
        let child = try spawned.get()
        defer { close(child.output) }
        var attendant = Attendant(pid: child.pid, output: child.output, tail: OutputTail(limit: capture.limit), killDelay: killDelay)
        let reason = attendant.attend(bell: bell.reading) {
            state.withLock { ($0.isCancelled, $0.isThere) }
        }
        // Before the status: a child that was cancelled and ended well was cancelled all the same.
        if attendant.machine.isCancelled { throw CancellationError() }
        let output = attendant.tail.output
        if reason != .status(0) { throw ChildProcessError(command: name, reason: reason, output: output) }
        return output
    }
}

/// The work of the first thread while the child is there.
private struct Attendant {
    let pid: pid_t
    let output: Int32
    let killDelay: UInt64

    var machine = ChildProcessStateMachine()
    var tail: OutputTail
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var isOutputOpen = true
    private var killTime: UInt64?
    private var ending: ChildProcessError.Reason?

    init(pid: pid_t, output: Int32, tail: OutputTail, killDelay: UInt64) {
        self.pid = pid
        self.output = output
        self.tail = tail
        self.killDelay = killDelay
    }

    /// Returns how the child ended, once it is reaped.
    mutating func attend(bell: Int32, news: () -> (isCancelled: Bool, isThere: Bool?)) -> ChildProcessError.Reason {
        while true {
            // A negative descriptor is left out.
            var requests = [bell, isOutputOpen ? output : -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&requests, 2, timeout) < 0 { continue }
            if requests[1].revents != 0 { readOnce() }
            if requests[0].revents != 0 {
                var byte: UInt8 = 0
                // One byte for one change: the state has both.
                _ = read(bell, &byte, 1)
                let (isCancelled, isThere) = news()
                // Somebody else has reaped it: this only gives the pid up and tells the error.
                if isThere == false { ending = reap(pid) }
                // First: a child that was asked to end may have done so meanwhile.
                if isCancelled { perform(machine.cancel()) }
                if isThere == true { perform(machine.exited()) }
            }
            // By a monotonic clock: setting the wall clock must not end a command.
            if let killTime, DispatchTime.now().uptimeNanoseconds >= killTime {
                self.killTime = nil
                perform(machine.killDelayPassed())
            }
            if let ending {
                readRest()
                return ending
            }
        }
    }

    private mutating func perform(_ action: ChildProcessStateMachine.Action) {
        // Nobody's pid any more.
        if ending != nil { return }
        switch action {
        case .nothing: break
        case .terminate:
            signalGroup(pid, SIGTERM)
            killTime = DispatchTime.now().uptimeNanoseconds + killDelay
        case .kill: signalGroup(pid, SIGKILL)
        case .reap(let killsGroup):
            // Before the reaping: until then the group's number belongs to the child.
            if killsGroup { signalGroup(pid, SIGKILL) }
            ending = reap(pid)
        }
    }

    /// The time to `killTime` in milliseconds, rounded up; -1 is for ever.
    private var timeout: Int32 {
        guard let killTime else { return -1 }
        let now = DispatchTime.now().uptimeNanoseconds
        // Rounded up: rounded down, the last millisecond would be spent in a busy loop.
        return killTime <= now ? 0 : Int32(clamping: (killTime - now) / 1_000_000 + 1)
    }

    /// Reads the output that the ended child left in the pipe, without waiting for other processes that have it open.
    private mutating func readRest() {
        // The child's own output comes first, and no pipe is larger than this; another process may go on writing for ever.
        var rest = 1 << 20
        while isOutputOpen, rest > 0 {
            let count = readOnce()
            if count == 0 { break }
            rest -= count
        }
    }

    /// Returns how many bytes there were.
    @discardableResult
    private mutating func readOnce() -> Int {
        let count = read(output, &buffer, buffer.count)
        if count > 0 {
            tail.append(buffer[..<count])
            return count
        }
        // It does not block, so nothing interrupts it either.
        if count == 0 || errno != EAGAIN {
            isOutputOpen = false
            perform(machine.outputEnded())
        }
        return 0
    }
}

/// Waits until the child has ended, and leaves it to be reaped, so that its pid stays its own. Returns false if somebody else reaped it.
func waitForExit(_ pid: pid_t) -> Bool {
    while true {
        var information = siginfo_t()
        // WNOWAIT: the status stays, and with it the pid, for the thread that signals.
        if waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == 0 { return true }
        if errno != EINTR { return false }
    }
}

/// Takes the status of a child that has ended.
func reap(_ pid: pid_t) -> ChildProcessError.Reason {
    var status: Int32 = 0
    let code = LiveChildren.reap(pid, &status)
    if code != 0 { return lost(code) }
    // The macros of the header are not visible to Swift.
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
}

private func lost(_ code: Int32) -> ChildProcessError.Reason {
    .system("could not be waited for: \(String(cString: strerror(code)))")
}
