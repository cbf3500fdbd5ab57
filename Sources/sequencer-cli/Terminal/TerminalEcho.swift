import Foundation
import Sequencer

/// Keeps what is typed from being seen, and terminals from being left that way.
///
/// Of each terminal that is silent the modes it had before are known here, for the whole process: however it ends (`exit`, or
/// ``Interruption``, which calls ``restoreAll()``), they are restored.
enum TerminalEcho {
    private struct State {
        var saved: [Int32: termios] = [:]
        /// Nothing is made silent any more: nobody would be left to restore it.
        var isLeaving = false
    }

    // The modes are changed under the lock too: a terminal that is made silent while the process ends would stay so. That does not wait.
    private static let state = Locked(State())
    private static let restoresAtExit: Void = { _ = atexit { TerminalEcho.restoreAll() } }()

    /// Makes the terminal silent, apart from the end of the line. Where there is no terminal there is nothing to do.
    ///
    /// The keys that suspend the process or end it with a core dump do nothing meanwhile: a shell would get the terminal as it is, or show
    /// what is typed once the process goes on. Ctrl-C works.
    ///
    /// - Returns: false when what is typed would be seen all the same.
    static func hide(_ descriptor: Int32) -> Bool {
        guard isatty(descriptor) == 1 else { return true }
        _ = restoresAtExit
        return state.withLock { state in
            var modes = termios()
            guard !state.isLeaving, tcgetattr(descriptor, &modes) == 0 else { return false }
            let saved = modes
            modes.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK)
            modes.c_lflag |= tcflag_t(ECHONL)
            let disabled = cc_t(truncatingIfNeeded: fpathconf(descriptor, Int32(_PC_VDISABLE)))
            withUnsafeMutableBytes(of: &modes.c_cc) { keys in
                for key in [VSUSP, VQUIT] { keys[Int(key)] = disabled }
            }
            // Success means that any of the changes was made: only asking tells whether this one was.
            if set(modes, of: descriptor), tcgetattr(descriptor, &modes) == 0, modes.c_lflag & tcflag_t(ECHO) == 0 {
                state.saved[descriptor] = state.saved[descriptor] ?? saved
                return true
            }
            _ = set(saved, of: descriptor)
            return false
        }
    }

    /// Gives the terminal the modes back that it had.
    static func restore(_ descriptor: Int32) {
        state.withLock { state in
            guard let saved = state.saved.removeValue(forKey: descriptor) else { return }
            _ = set(saved, of: descriptor)
        }
    }

    /// Restores every terminal, because the process ends.
    static func restoreAll() {
        state.withLock { state in
            state.isLeaving = true
            for (descriptor, saved) in state.saved { _ = set(saved, of: descriptor) }
            state.saved = [:]
        }
    }

    private static func set(_ modes: termios, of descriptor: Int32) -> Bool {
        var modes = modes
        // Not after the output has drained: somebody may have stopped it with Ctrl-S.
        while tcsetattr(descriptor, TCSANOW, &modes) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }
}
