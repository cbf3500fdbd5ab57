import Foundation
import Sequencer

/// A descriptor that may belong to a terminal.
struct Terminal: Equatable, Sendable {
    /// Columns and rows.
    struct Size: Equatable, Sendable {
        var width: Int
        var height: Int
    }

    let descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether the user sees the output.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether lines that were written can be written over.
    func canAnimate(_ environment: [String: String]) -> Bool { isTerminal && environment["TERM"] != "dumb" }

    /// The size at this moment; where the terminal does not know it, what `COLUMNS` and `LINES` say, or else 80 by 24.
    func size(_ environment: [String: String]) -> Size {
        var window = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0
        func choose(_ measured: UInt16, _ variable: String, _ standard: Int) -> Int {
            // A pseudo-terminal whose size nobody has set says 0.
            if isKnown, measured > 0 { return Int(measured) }
            if let stated = environment[variable].flatMap({ Int($0) }), (1...10_000).contains(stated) { return stated }
            return standard
        }
        return Size(
            width: choose(window.ws_col, "COLUMNS", 80),
            height: choose(window.ws_row, "LINES", 24)
        )
    }
}

/// The change that the tool makes to terminals: a question for a secret hides typed text.
///
/// Silent terminals are known here for the whole process: however it ends (`exit`, or ``SignalThread``, which calls
/// ``restoreAll()``), they are restored.
enum TerminalModes {
    private struct State {
        /// Of each terminal that is silent, the modes that it had before.
        var saved: [Int32: termios] = [:]
        /// No terminal becomes silent any more: nobody would be left to restore it.
        var isLeaving = false
    }

    // The modes are changed under the lock too: a terminal that is made silent while the process ends would stay so.
    // The change does not wait.
    private static let state = Locked(State())
    private static let restoresAtExit: Void = { _ = atexit { TerminalModes.restoreAll() } }()

    /// Restores every terminal, because the process ends.
    static func restoreAll() {
        state.withLock { state in
            state.isLeaving = true
            // All of them are tried: one that is gone does not matter any more.
            for (descriptor, saved) in state.saved { _ = set(saved, of: descriptor) }
            state.saved = [:]
        }
    }

    /// Makes the terminal silent, apart from the end of the line. Does nothing for a descriptor of another kind.
    ///
    /// The keys that suspend the process or end it with a core dump do nothing meanwhile: a shell would get the
    /// terminal as it is, or typed text would show once the process continues. Ctrl-C works.
    ///
    /// - Returns: false when typed text would still be visible.
    static func hideTyping(on descriptor: Int32) -> Bool {
        // A pipe shows nothing that is typed.
        guard isatty(descriptor) == 1 else { return true }
        _ = restoresAtExit
        return state.withLock { state in
            var saved = termios()
            guard !state.isLeaving, tcgetattr(descriptor, &saved) == 0 else { return false }
            var modes = saved
            modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK)
            // The line feed that ends a password is shown, so that the cursor does not stay in the question.
            modes.c_lflag |= tcflag_t(ECHONL)
            // The value that turns a key off is the terminal's own.
            let disabled = cc_t(truncatingIfNeeded: fpathconf(descriptor, Int32(_PC_VDISABLE)))
            withUnsafeMutableBytes(of: &modes.c_cc) { keys in
                for key in [VSUSP, VQUIT] { keys[Int(key)] = disabled }
            }
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
}
