import Foundation
import Sequencer
import SequencerAnalysis

/// The look of text: with colours or without, with line-drawing characters or in ASCII.
struct TextStyle: Equatable, Sendable {
    /// A way to make text stand out; the value is its number in an ANSI escape sequence.
    enum Tone: Int, Sendable {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    /// Whether escape sequences for colours are written at all.
    let isColored: Bool
    /// Whether characters beyond ASCII can be shown.
    let isUnicode: Bool

    private static func isColorWelcome(isTerminal: Bool, environment: [String: String]) -> Bool {
        // https://no-color.org: any value but an empty one counts.
        if environment["NO_COLOR"]?.isEmpty == false { return false }
        // https://bixense.com/clicolors: it wins over the kind of the output.
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" { return true }
        if environment["TERM"] == "dumb" || environment["CLICOLOR"] == "0" { return false }
        return isTerminal
    }

    /// Whether the locale's characters are UTF-8, by the first of its variables that is set.
    private static func isUTF8(_ environment: [String: String]) -> Bool {
        // The order of POSIX for the category of characters: LC_ALL, then its own variable, then LANG.
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        // A variable that is set and empty counts as not set (POSIX, 8.2).
        guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return false }
        let lowercase = locale.lowercased()
        // A modifier may follow the encoding, as in de_DE.UTF-8@euro.
        return lowercase.hasSuffix("utf-8") || lowercase.hasSuffix("utf8") || lowercase.contains("utf-8@") || lowercase.contains("utf8@")
    }

    func bold(_ text: String) -> String { applying(.bold, to: text) }
    func dim(_ text: String) -> String { applying(.dim, to: text) }
    func red(_ text: String) -> String { applying(.red, to: text) }
    func green(_ text: String) -> String { applying(.green, to: text) }
    func yellow(_ text: String) -> String { applying(.yellow, to: text) }

    /// The text in this tone, then back to normal; unchanged without colours, and when it is empty.
    func applying(_ tone: Tone?, to text: String) -> String {
        guard isColored, let tone, !text.isEmpty else { return text }
        return "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m"
    }

    /// The sign for text that was cut.
    var ellipsis: String { isUnicode ? "…" : "..." }

    /// The line to the next one of a chain.
    var branch: String { isUnicode ? "└─" : "`-" }

    /// The characters that bars are drawn with.
    var bars: BarGlyphs { BarGlyphs(isUnicode: isUnicode) }

    /// A duration in three digits and a unit that this style can show.
    func duration(_ duration: Duration) -> String {
        if duration == .zero { return "0 ms" }
        let text = durationText(duration)
        // The micro sign is beyond ASCII.
        return isUnicode ? text : text.replacing("µs", with: "us")
    }

    func duration(nanoseconds: Double) -> String { duration(.nearest(nanoseconds: nanoseconds)) }

    /// A difference. The sign is written out, for a change without one reads like a time.
    func difference(_ time: Duration) -> String {
        time < .zero ? "-" + duration(.zero - time) : (time > .zero ? "+" : "") + duration(time)
    }
}

extension TextStyle {
    /// The style for an output, from the option `--color`, the kind of output, and the environment.
    ///
    /// The option wins. Otherwise `NO_COLOR` comes before `CLICOLOR_FORCE`, which comes before `TERM=dumb` and
    /// `CLICOLOR=0`; with none of them, a terminal gets colours.
    init(color: ColorMode, isTerminal: Bool, environment: [String: String]) {
        switch color {
        case .always: isColored = true
        case .never: isColored = false
        case .auto: isColored = Self.isColorWelcome(isTerminal: isTerminal, environment: environment)
        }
        isUnicode = Self.isUTF8(environment)
    }

    /// The style for `output`.
    init(_ color: ColorMode, for output: Output, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.init(color: color, isTerminal: output.isTerminal, environment: environment)
    }
}

/// The characters of a timeline.
struct BarGlyphs: Equatable, Sendable {
    let isUnicode: Bool

    /// A cell of an operation that runs.
    var running: String { isUnicode ? "█" : "#" }
    /// A cell of an operation that waits for the user.
    var interactive: String { isUnicode ? "▒" : "~" }
    /// A cell of an operation between its last dependency's end and its start.
    var waiting: String { isUnicode ? "░" : "." }
    /// A cell of an operation that did not do its work.
    var unsuccessful: String { isUnicode ? "╳" : "x" }
    var axis: String { isUnicode ? "─" : "-" }
    var tick: String { isUnicode ? "┬" : "+" }
    var budget: String { isUnicode ? "│" : "|" }
    /// In place of the duration of an operation that never started.
    var nothing: String { isUnicode ? "–" : "-" }
    /// Before the name of an operation on the main thread.
    var main: String { isUnicode ? "◆" : "^" }
}
