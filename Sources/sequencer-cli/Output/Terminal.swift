import Foundation
import Sequencer

/// A descriptor that may belong to a terminal.
struct Terminal: Equatable, Sendable {
    /// Columns and rows.
    struct Size: Equatable, Sendable {
        var width: Int
        var height: Int

        /// The size of a terminal that does not tell its own.
        static let standard = Size(width: 80, height: 24)
    }

    let descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether a person sees the output.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether this process has it, and no shell or other program that it was stopped for. True where nobody can tell.
    var isOurs: Bool {
        let owner = tcgetpgrp(descriptor)
        return owner < 0 || owner == getpgrp()
    }

    /// Whether lines that were written can be written over.
    func canAnimate(_ environment: [String: String]) -> Bool {
        isTerminal && environment["TERM"] != "dumb"
    }

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
            width: choose(window.ws_col, "COLUMNS", Size.standard.width),
            height: choose(window.ws_row, "LINES", Size.standard.height)
        )
    }
}

/// Keeps the cursor of a terminal from staying hidden.
///
/// A live view is drawn through here, so it is known for the whole process whether the cursor is hidden: however the process ends (`exit`, or
/// ``SignalThread``, which calls ``restoreAll()``), it is shown.
enum TerminalCursor {
    private struct State {
        /// The terminal whose cursor is hidden.
        var hidden: Terminal?
        var isDrawing = false
        /// Nothing is drawn any more: nobody would be left to show the cursor.
        var isLeaving = false
    }

    private static let state = Locked(State())
    private static let showsAtExit: Void = { _ = atexit { TerminalCursor.restoreAll() } }()

    /// Writes a picture of a live view, which begins by hiding the cursor, or removes it, which ends by showing the cursor.
    static func draw(_ text: String, on terminal: Terminal) {
        // At the first picture: a process that draws nothing needs no handler.
        _ = showsAtExit
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

    /// Shows the cursor, because the process ends.
    static func restoreAll() {
        // First of all: a thread that comes later must not draw again.
        state.withLock { $0.isLeaving = true }
        // A thread that draws right now may be about to hide it. A terminal that takes nothing is not waited for longer than this.
        for _ in 0..<100 where state.withLock({ $0.isDrawing }) { usleep(1_000) }
        write(LiveView.showCursor)
    }

    /// Shows the cursor until ``resume()``, because the process will be stopped.
    static func pause() {
        write(LiveView.showCursor)
    }

    /// Hides the cursor again that was hidden before the process was stopped, unless the terminal is somebody else's now.
    static func resume() {
        if state.withLock({ $0.hidden })?.isOurs == true { write(LiveView.hideCursor) }
    }

    private static func write(_ text: String) {
        guard let terminal = state.withLock({ $0.hidden }) else { return }
        var request = pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0)
        // Stopped by Ctrl-S, it would take nothing for ever.
        if poll(&request, 1, 0) == 0 { tcflow(terminal.descriptor, TCOON) }
        // Bounded: a terminal that takes nothing must not hold the end of the process.
        if poll(&request, 1, 100) > 0 { terminal.write(text) }
    }
}
