import Foundation
import Sequencer

/// The window that output is shown in.
struct Terminal: Equatable, Sendable {
    var width: Int
    var height: Int

    /// The size of the terminal behind standard output; without one, `COLUMNS`, or 100 by 24.
    static var current: Terminal {
        var size = winsize()
        if isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Terminal(width: Int(size.ws_col), height: max(Int(size.ws_row), 4))
        }
        let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 100
        return Terminal(width: min(max(columns, 20), 1000), height: 24)
    }
}

/// Colours, and the characters bars are drawn with.
struct TextStyle: Equatable, Sendable {
    var usesColor: Bool
    var usesUnicode: Bool

    init(usesColor: Bool, usesUnicode: Bool) {
        self.usesColor = usesColor
        self.usesUnicode = usesUnicode
    }

    /// The style for an output: colour by `--color`, `NO_COLOR` (<https://no-color.org>), `TERM=dumb` and whether a person watches; Unicode
    /// when the locale says so.
    init(_ mode: ColorMode, for output: Output, environment: [String: String] = ProcessInfo.processInfo.environment) {
        switch mode {
        case .always: usesColor = true
        case .never: usesColor = false
        case .auto: usesColor = output.isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "UTF-8"
        usesUnicode = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    }

    enum Look: String, Sendable {
        case plain = "", bold = "1", dim = "2", red = "31", green = "32", yellow = "33", cyan = "36", boldGreen = "1;32", boldRed = "1;31"
    }

    func callAsFunction(_ text: String, _ look: Look) -> String {
        usesColor && look != .plain && !text.isEmpty ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// `text` in exactly `width` columns: cut with an ellipsis, or filled with spaces.
func fitted(_ text: String, _ width: Int, unicode: Bool = true, alignRight: Bool = false) -> String {
    var shown = printable(text)
    if displayWidth(shown) > width {
        let ellipsis = unicode ? "…" : "~"
        while !shown.isEmpty, displayWidth(shown) > width - 1 { shown.removeLast() }
        shown = width > 0 ? shown + ellipsis : ""
    }
    let space = String(repeating: " ", count: max(0, width - displayWidth(shown)))
    return alignRight ? space + shown : shown + space
}
