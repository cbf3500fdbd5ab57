import Foundation
import Sequencer

/// The changes that the tool makes to terminals: a live view hides the cursor, and a question for a secret hides what
/// is typed.
///
/// They are known here for the whole process: however it ends (`exit`, or ``SignalThread``, which calls
/// ``restoreAll()``), they are undone, and so they are while it is stopped.
enum TerminalModes {
    private struct State {
        /// Of each terminal that is silent, the modes that it had before.
        var saved: [Int32: termios] = [:]
        /// The terminal whose cursor is hidden.
        var hidden: Terminal?
        var isDrawing = false
        /// Nothing is hidden any more: nobody would be left to restore it.
        var isLeaving = false
    }

    // The modes are changed under the lock too: a terminal that is made silent while the process ends would stay so.
    // That does not wait.
    private static let state = Locked(State())
    private static let restoresAtExit: Void = { _ = atexit { TerminalModes.restoreAll() } }()

    /// Restores every terminal, because the process ends.
    static func restoreAll() {
        state.withLock { state in
            // First of all: a thread that comes later must not hide anything again.
            state.isLeaving = true
            // All of them are tried: one that is gone does not matter any more.
            for (descriptor, saved) in state.saved { _ = set(saved, of: descriptor) }
            state.saved = [:]
        }
        // A thread that draws right now may be about to hide the cursor. A terminal that takes nothing is not waited
        // for longer than this.
        for _ in 0..<100 where state.withLock({ $0.isDrawing }) { usleep(1_000) }
        writeCursor(LiveView.showCursor)
    }

    /// Restores every terminal until ``resume()``, because the process will be stopped.
    static func pause() {
        state.withLock { state in
            // Kept as saved: the process may go on, and be silent again.
            for (descriptor, saved) in state.saved { _ = set(saved, of: descriptor) }
        }
        writeCursor(LiveView.showCursor)
    }

    /// Hides again what was hidden before the process was stopped, unless the terminal is somebody else's now.
    static func resume() {
        let hidden = state.withLock { state in
            for (descriptor, saved) in state.saved where Terminal(descriptor: descriptor).isOurs {
                _ = set(silent(saved, descriptor), of: descriptor)
            }
            return state.hidden
        }
        if hidden?.isOurs == true { writeCursor(LiveView.hideCursor) }
    }

    // MARK: Typed text

    /// Makes the terminal silent, apart from the end of the line. Does nothing for a descriptor of another kind.
    ///
    /// The keys that suspend the process or end it with a core dump do nothing meanwhile: a shell would get the
    /// terminal as it is, or typed text would show once the process goes on. Ctrl-C works.
    ///
    /// - Returns: false when typed text would be visible all the same.
    static func hideTyping(on descriptor: Int32) -> Bool {
        // A pipe shows nothing that is typed.
        guard isatty(descriptor) == 1 else { return true }
        _ = restoresAtExit
        return state.withLock { state in
            var saved = termios()
            guard !state.isLeaving, tcgetattr(descriptor, &saved) == 0 else { return false }
            var modes = silent(saved, descriptor)
            // Success means that any of the changes was made: only asking tells whether this one was.
            if set(modes, of: descriptor), tcgetattr(descriptor, &modes) == 0, modes.c_lflag & tcflag_t(ECHO) == 0 {
                // The first saved modes stay: those of a second call would be the silent ones.
                state.saved[descriptor] = state.saved[descriptor] ?? saved
                return true
            }
            // Some of the changes may have been made.
            _ = set(saved, of: descriptor)
            return false
        }
    }

    /// Gives the terminal the modes back that it had.
    static func showTyping(on descriptor: Int32) {
        state.withLock { state in
            if let saved = state.saved.removeValue(forKey: descriptor) { _ = set(saved, of: descriptor) }
        }
    }

    private static func silent(_ modes: termios, _ descriptor: Int32) -> termios {
        var modes = modes
        modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK)
        // The line feed that ends a password is shown, so that the cursor does not stay in the question.
        modes.c_lflag |= tcflag_t(ECHONL)
        // The value that turns a key off is the terminal's own.
        let disabled = cc_t(truncatingIfNeeded: fpathconf(descriptor, Int32(_PC_VDISABLE)))
        withUnsafeMutableBytes(of: &modes.c_cc) { keys in
            for key in [VSUSP, VQUIT] { keys[Int(key)] = disabled }
        }
        return modes
    }

    private static func set(_ modes: termios, of descriptor: Int32) -> Bool {
        // In the background this would stop the process, which may be about to end.
        var before = maskSignals(SIG_BLOCK, [SIGTTOU])
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        var modes = modes
        // Not after the output has drained: somebody may have stopped it with Ctrl-S.
        while tcsetattr(descriptor, TCSANOW, &modes) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    // MARK: The cursor

    /// Writes a picture of a live view, which may begin by hiding the cursor, or removes it, which ends by showing the
    /// cursor.
    static func draw(_ text: String, on terminal: Terminal) {
        // At the first picture: a process that draws nothing needs no handler.
        _ = restoresAtExit
        let mayDraw = state.withLock { state in
            if state.isLeaving { return false }
            state.isDrawing = true
            // Before it is so: in the middle of writing it may be.
            if text.hasPrefix(LiveView.hideCursor) { state.hidden = terminal }
            return true
        }
        guard mayDraw else { return }
        // Not under the lock: a terminal that was stopped by Ctrl-S takes nothing.
        terminal.write(text)
        state.withLock { state in
            state.isDrawing = false
            if text.hasSuffix(LiveView.showCursor) { state.hidden = nil }
        }
    }

    private static func writeCursor(_ text: String) {
        guard let terminal = state.withLock({ $0.hidden }) else { return }
        var request = pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0)
        // Stopped by Ctrl-S, it would take nothing for ever.
        if poll(&request, 1, 0) == 0 { tcflow(terminal.descriptor, TCOON) }
        // Bounded: a terminal that takes nothing must not hold the end of the process.
        if poll(&request, 1, 100) > 0 { terminal.write(text) }
    }
}
