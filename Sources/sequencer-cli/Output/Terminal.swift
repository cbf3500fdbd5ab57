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
