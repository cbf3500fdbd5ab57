import Foundation
import Sequencer
import SequencerAnalysis

/// Shows screens on a terminal and asks a person for answers, in lines of text.
///
/// Screens that are wanted at once are shown one after the other. While one is shown the live view is not, and it goes on below. Nothing is
/// ever written to standard output, which carries results. A person leaves a screen with Ctrl-D; a screen whose task is cancelled ends at
/// once. Both count as "no answer", nil. Nonsense is asked about again, but not for ever: ``maximumAnswers`` times.
///
/// ```swift
/// let index = await screens.menu(title: "Speakers", question: "Which one?", options: ["Kitchen", "Bath"])
/// ```
struct TerminalScreens: Sendable {
    /// How many answers to one question are read.
    static let maximumAnswers = 5

    private let input: TerminalInput
    private let style: TextStyle
    private let size: @Sendable () -> Terminal.Size
    private let output: @Sendable (String) -> Void
    private let live: LivePause?
    private let turns = Turns()

    /// - Parameters:
    ///   - size: the terminal's, asked before each screen.
    ///   - live: pauses the view that is drawn on the same terminal.
    ///   - output: puts text on the terminal.
    init(
        input: TerminalInput,
        style: TextStyle,
        size: @escaping @Sendable () -> Terminal.Size,
        live: LivePause?,
        output: @escaping @Sendable (String) -> Void
    ) {
        self.input = input
        self.style = style
        self.size = size
        self.live = live
        self.output = output
    }

    /// Screens on the terminal that is standard input, shown on standard error, or on that terminal itself when standard error is redirected.
    ///
    /// - Returns: nil when standard input is not a terminal.
    init?(color: ColorMode, live: LivePause?, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let input = TerminalInput(terminalOf: STDIN_FILENO) else { return nil }
        // Standard error may be a file; the person sits at the terminal that is read.
        let terminal = Terminal.standardError.isTerminal ? .standardError : input.terminal
        self.init(
            input: input,
            // It is one of the two terminals for sure.
            style: TextStyle(color: color, isTerminal: true, environment: environment),
            size: { terminal.size(environment) },
            live: live,
            output: { terminal.write($0) }
        )
    }

    /// Shows a text, and does not wait for anybody.
    ///
    /// It is shown even if the task is cancelled: a message at the end of a launch must be seen.
    func message(title: String, lines: [String]) async {
        // The turn comes for certain, so nothing is given back twice.
        _ = await turns.take(isPatient: true)
        await live?.pause()
        show(ScreenText(title: title, paragraphs: lines.map { .init(text: $0) }))
        live?.resume()
        turns.give()
    }

    /// Asks for yes or no.
    ///
    /// - Parameter standard: the meaning of an empty line; nil asks again.
    func confirm(question: String, default standard: Bool? = nil) async -> Bool? {
        let hint = standard.map { $0 ? "[Y/n]" : "[y/N]" } ?? "[y/n]"
        // Room for the hint and its brackets on the last line.
        let lines = wrapped(printable(question), to: max(size().width - 1 - hint.count - 3, 2), ellipsis: style.ellipsis)
        return await screen {
            await ask(lines.joined(separator: "\n") + " \(hint): ") { text in
                switch text.trimmed.lowercased() {
                case "y", "yes": return .answer(true)
                case "n", "no": return .answer(false)
                case "": return standard.map(Reading.answer) ?? .nonsense("Enter y or n.")
                default: return .nonsense("Enter y or n, not \(quoted(text)).")
                }
            }
        }
    }

    // MARK: Parts of screens

    /// The meaning of a typed line for the screen that asked.
    enum Reading<Answer> {
        case answer(Answer)
        /// The reason why it is not an answer, in one sentence.
        case nonsense(String)
    }

    /// Has the terminal for itself until `body` returns; nil without having it when the task is cancelled before.
    func screen<Result>(_ body: () async -> Result?) async -> Result? {
        guard await turns.take() else { return nil }
        // In this order, undone the other way round: the view comes back before the next screen can begin.
        defer { turns.give() }
        await live?.pause()
        defer { live?.resume() }
        return await body()
    }

    func show(_ screen: ScreenText) {
        output(screen.text(width: size().width, style: style))
    }

    func say(_ text: String, tone: TextStyle.Tone? = nil) {
        let lines = wrapped(printable(text, limit: 400), to: max(size().width - 1, 2), ellipsis: style.ellipsis)
        output(lines.map { style.applying(tone, to: $0) + "\n" }.joined())
    }

    /// Asks until there is an answer, at most ``maximumAnswers`` times.
    func ask<Answer>(_ prompt: String, isSecret: Bool = false, _ read: (String) -> Reading<Answer>) async -> Answer? {
        // A bound: a terminal that sends nonsense without end must not hold the launch.
        for _ in 0..<Self.maximumAnswers {
            let problem: String
            switch await input.line(isSecret: isSecret, prompt: { output(prompt) }) {
            case .dismissed:
                // Nobody has ended the line of the question.
                output("\n")
                return nil
            case .tooLong: problem = "That is too long."
            case .notUTF8: problem = "That is not text in UTF-8."
            case .text(let text):
                // An arrow comes as an escape sequence: taken as text it would move the cursor in later output.
                if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" }) {
                    problem = "That holds a key that is no text, such as an arrow."
                    break
                }
                switch read(text) {
                case .answer(let answer): return answer
                case .nonsense(let sentence): problem = sentence
                }
            }
            say(problem, tone: .yellow)
        }
        say("No answer after \(Self.maximumAnswers) attempts.", tone: .yellow)
        return nil
    }

    static let leaving = ScreenText.Paragraph(text: "Ctrl-D: leave without an answer", tone: .dim)
}

/// A title, and text below it, no wider than the terminal.
struct ScreenText: Equatable, Sendable {
    /// A paragraph; line feeds in it begin new ones.
    struct Paragraph: Equatable, Sendable {
        var text: String
        var tone: TextStyle.Tone?
        /// The number of columns that all lines but the first are moved to the right.
        var indent = 0

        static let blank = Paragraph(text: "")
    }

    /// Texts come from services: a longer one is cut.
    private static let maximumParagraphLength = 4000
    private static let maximumLines = 500

    var title: String
    var paragraphs: [Paragraph]

    /// The title, unless it is empty, then the paragraphs; each line with its end.
    ///
    /// - Parameter width: the terminal's. One column stays free: some terminals wrap after the last.
    func text(width: Int, style: TextStyle) -> String {
        let room = max(width - 1, 2)
        let title = truncated(printable(title), to: room, ellipsis: style.ellipsis)
        // Both limits: many short lines, or a few long ones.
        let rows = paragraphs.flatMap { lines(of: $0, to: room, style) }.prefix(Self.maximumLines)
        return (title.isEmpty ? "" : style.bold(title) + "\n") + rows.map { $0 + "\n" }.joined()
    }

    private func lines(of paragraph: Paragraph, to room: Int, _ style: TextStyle) -> [String] {
        // A carriage return and a line feed are one character.
        let ends: Set<Character> = ["\n", "\r\n"]
        let parts: [Substring] = paragraph.text.split(omittingEmptySubsequences: false) { ends.contains($0) }
        return parts.prefix(Self.maximumLines).flatMap { part -> [String] in
            let shown = printable(String(part), limit: Self.maximumParagraphLength)
            return wrapped(shown, to: room, indent: paragraph.indent, ellipsis: style.ellipsis)
        }.map { style.applying(paragraph.tone, to: $0) }
    }
}
