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
        var pid: pid_t?
        var isCancelled = false
        /// Set once the child has ended; false if it could not be waited for.
        var isThere: Bool?
        /// Where to write a byte when one of the others changes, as long as the first thread reads it.
        var bell: Int32?
    }

    private let command: [String]
    private let capture: ChildProcess.Capture
    private let killDelay: Duration
    private let state = Locked(State())

    init(_ command: [String], _ capture: ChildProcess.Capture, killDelay: Duration) {
        (self.command, self.capture, self.killDelay) = (command, capture, killDelay)
    }

    private var name: String { command.first ?? "" }

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
        ChildProcessError(command: name, reason: .system("could not be started: \(error)"))
    }

    func cancel() { ring { $0.isCancelled = true } }

    private func ring(_ change: (inout State) -> Void) {
        state.withLock { state in
            change(&state)
            // Under the lock, as the pipe is closed after it. It cannot be full: each of the two others changes once.
            if let bell = state.bell { _ = write(bell, "!", 1) }
        }
    }

    private func run() throws -> ChildProcess.Output {
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
        let started = DispatchSemaphore(value: 0)
        do {
            try startThread {
                started.wait()
                // Without a child there is nothing to wait for.
                guard let pid = self.state.withLock({ $0.pid }) else { return }
                let isThere = waitForExit(pid)
                self.ring { $0.isThere = isThere }
            }
        } catch {
            throw noThread(error)
        }
        let spawned = Result { try spawn(command, hasErrors: capture.hasErrors) }
        // Also after a failure: the second thread waits for it.
        state.withLock { $0.pid = try? spawned.get().pid }
        started.signal()
        let child = try spawned.get()
        defer { close(child.output) }
        var output = ChildOutput(child.output, limit: capture.limit)
        let wasCancelled = attend(child.pid, &output, bell.reading)
        let reason = reap(child.pid)
        output.readRest()
        // Before the status: a child that was cancelled and ended well was cancelled all the same.
        if wasCancelled { throw CancellationError() }
        if reason != .status(0) { throw ChildProcessError(command: name, reason: reason, output: output.tail.output) }
        return output.tail.output
    }

    /// Reads the output until the child has ended. A cancelled child's group is asked to end, and killed after the delay. If the child ends
    /// before, the rest of the group is killed as soon as nobody can write to the output any more.
    ///
    /// A pid belongs to the child until it is reaped, which the caller does: until then no other group can have its number.
    ///
    /// - Returns: whether it was cancelled before its end.
    private func attend(_ pid: pid_t, _ output: inout ChildOutput, _ bell: Int32) -> Bool {
        var wasCancelled = false
        /// When the group is killed. Setting the wall clock does not end a command, nor does the machine's sleep.
        var killTime: SuspendingClock.Instant?
        while true {
            let news = state.withLock { $0 }
            // First: a child that was asked to end may have done so meanwhile.
            if news.isCancelled, !wasCancelled {
                wasCancelled = true
                signalGroup(pid, SIGTERM)
                killTime = .now + killDelay
            }
            if let time = killTime, time <= .now {
                signalGroup(pid, SIGKILL)
                killTime = nil
            }
            // Others of a cancelled child's group that still have the output open get the rest of the delay.
            if let isThere = news.isThere, killTime == nil || !output.isOpen || !isThere {
                // A group whose child ended by itself may go on: it may be a daemon.
                if wasCancelled, isThere { signalGroup(pid, SIGKILL) }
                return wasCancelled
            }
            // Rounded up: rounded down, the last millisecond would be spent in a busy loop.
            let patience = killTime.map { Int32(clamping: SuspendingClock.now.duration(to: $0).nanoseconds / 1_000_000 + 1) } ?? -1
            // A negative descriptor is left out.
            var requests = [bell, output.isOpen ? output.descriptor : -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&requests, 2, patience) < 0 { continue }
            if requests[1].revents != 0 { output.read() }
            var rings: (UInt8, UInt8) = (0, 0)
            if requests[0].revents != 0 { _ = read(bell, &rings, 2) }
        }
    }
}

/// The output of a child, as it comes.
private struct ChildOutput {
    let descriptor: Int32
    private(set) var tail: OutputTail
    private(set) var isOpen = true
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(_ descriptor: Int32, limit: Int) {
        (self.descriptor, tail) = (descriptor, OutputTail(limit: limit))
    }

    /// Returns how many bytes there were.
    @discardableResult
    mutating func read() -> Int {
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        // It does not block, so nothing interrupts it either.
        if count == 0 || count < 0 && errno != EAGAIN { isOpen = false }
        tail.append(buffer[..<max(count, 0)])
        return max(count, 0)
    }

    /// Reads the output that the ended child left in the pipe, without waiting for other processes that have it open.
    mutating func readRest() {
        // The child's own output comes first, and no pipe is larger than this; another process may go on writing for ever.
        var rest = 1 << 20
        while isOpen, rest > 0 {
            let count = read()
            if count == 0 { break }
            rest -= count
        }
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
    if code != 0 { return .system("could not be waited for: \(String(cString: strerror(code)))") }
    // The macros of the header are not visible to Swift.
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
}
