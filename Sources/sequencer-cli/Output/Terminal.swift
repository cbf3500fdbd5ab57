import Foundation
import Sequencer

/// What an output stream is connected to.
struct Terminal: Equatable, Sendable {
    /// Columns and rows.
    struct Size: Equatable, Sendable {
        var width: Int
        var height: Int

        /// What a terminal has that does not say.
        static let standard = Size(width: 80, height: 24)
    }

    let descriptor: Int32

    static let standardOutput = Terminal(descriptor: STDOUT_FILENO)
    static let standardError = Terminal(descriptor: STDERR_FILENO)

    /// Whether a person sees what is written.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether lines that were written can be written over.
    func canAnimate(_ environment: [String: String]) -> Bool {
        isTerminal && environment["TERM"] != "dumb"
    }

    /// The size at this moment; where the terminal does not know it, what `COLUMNS` and `LINES` say, or else 80 by 24.
    func size(_ environment: [String: String]) -> Size {
        var window = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0
        func choose(_ measured: UInt16, _ variable: String, _ standard: Int) -> Int {
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

// MARK: Text in columns

/// Where text that is too long is cut.
enum Truncation: Sendable {
    case end
    /// Names often differ at their ends: both are kept.
    case middle
}

/// The text in at most `width` columns; what is cut is replaced by `ellipsis`, which is left out where even that does not fit.
func truncated(_ text: String, to width: Int, at place: Truncation = .end, ellipsis: String) -> String {
    if displayWidth(text) <= width { return text }
    let mark = displayWidth(ellipsis) < width ? ellipsis : ""
    let room = max(0, width - displayWidth(mark))
    switch place {
    case .end: return fitting(text, in: room) + mark
    case .middle:
        let tail = String(fitting(text.reversed(), in: room / 2).reversed())
        return fitting(text, in: room - displayWidth(tail)) + mark + tail
    }
}

/// As many of the first characters as fit.
private func fitting(_ text: some Sequence<Character>, in width: Int) -> String {
    var result = ""
    var left = width
    for character in text {
        left -= displayWidth(String(character))
        if left < 0 { break }
        result.append(character)
    }
    return result
}

/// The text with spaces after it, up to `width` columns.
func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - displayWidth(text)))
}

/// The text in lines of at most `width` columns, broken between words where that is possible; every line but the first is indented.
///
/// - Parameter limit: the most lines; when there are more, the last one ends with `ellipsis`.
func wrapped(_ text: String, to width: Int, indent: Int = 0, limit: Int = .max, ellipsis: String) -> [String] {
    var lines: [String] = []
    var rest = Substring(text)
    while true {
        let margin = lines.isEmpty ? "" : String(repeating: " ", count: min(indent, width / 2))
        let room = max(width - margin.count, 2)
        if displayWidth(String(rest)) <= room { return lines + [margin + rest] }
        if lines.count + 1 >= limit { return lines + [margin + truncated(String(rest), to: room, ellipsis: ellipsis)] }
        let fits = rest.prefix(fitting(rest, in: room).count)
        // A space right after what fits is as good a place to break as one inside.
        let head = rest[fits.endIndex] == " " ? fits : fits.lastIndex(of: " ").map { fits[..<$0] } ?? fits
        let line = head.isEmpty ? fits : head
        lines.append(margin + line)
        rest = rest[line.endIndex...].drop { $0 == " " }
    }
}
