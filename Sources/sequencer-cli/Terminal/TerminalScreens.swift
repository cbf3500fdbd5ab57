import Foundation
import Sequencer
import SequencerAnalysis

/// Shows screens on a terminal and asks the user for answers, in lines of text.
///
/// Screens that are wanted at once are shown one after the other. While one is shown the live view is not, and it goes
/// on below. Nothing is ever written to standard output, which carries results. The user leaves a screen with Ctrl-D; a
/// screen whose task is cancelled ends at once. Both count as "no answer", nil. Nonsense is asked about again, but not
/// for ever: ``maximumAnswers`` times.
///
/// ```swift
/// let index = await screens.menu(title: "Speakers", question: "Which one?", options: ["Kitchen", "Bath"])
/// ```
struct TerminalScreens: Sendable {
    /// How many answers to one question are read.
    static let maximumAnswers = 5
    private static let leaving = "Ctrl-D: leave without an answer"

    let input: TerminalInput
    let style: TextStyle
    /// The terminal's, asked before each screen.
    let size: @Sendable () -> Terminal.Size
    /// The view that is drawn on the same terminal.
    let live: LiveView?
    /// Puts text on the terminal.
    let output: @Sendable (String) -> Void
    /// Whether a screen has the terminal.
    private let isTaken = Locked(false)

    /// Shows a text, and does not wait for anybody.
    ///
    /// It is shown even if the task is cancelled: a message at the end of a launch must be seen.
    func message(title: String, lines: [String]) async {
        // A separate task is not cancelled with this one.
        await Task { _ = await screen { show(title, lines) } }.value
    }

    /// Asks for yes or no.
    ///
    /// - Parameter standard: the meaning of an empty line.
    func confirm(question: String, default standard: Bool) async -> Bool? {
        let hint = standard ? "[Y/n]" : "[y/N]"
        // Room for the hint and its brackets on the last line.
        let room = max(size().width - 1 - hint.count - 3, 2)
        let lines = wrapped(printable(question), to: room, ellipsis: style.ellipsis)
        let answers = ["y": true, "yes": true, "n": false, "no": false, "": standard]
        return await screen {
            await ask(lines.joined(separator: "\n") + " \(hint): ") { text in
                answers[text.trimmed.lowercased()].map(Reading.answer)
                    ?? .nonsense("Enter y or n, not \(quoted(text)).")
            }
        }
    }

    /// Lets the user choose from a list, by number or by name.
    ///
    /// - Returns: the position of the option; nil without an answer, and without a question when there is nothing to
    ///     choose from.
    func menu(title: String, question: String, options: [String]) async -> Int? {
        if options.isEmpty { return nil }
        // An option is one entry: a line feed from a service would look like two.
        let rows = options.enumerated().map { "\($0 + 1)  \($1.replacing("\n", with: " "))" }
        return await screen {
            show(title, [question, ""] + rows + ["", Self.leaving])
            return await ask("Number or name: ") { choice($0, among: options) }
        }
    }

    /// Asks for several things, one after the other.
    ///
    /// - Parameters:
    ///   - problem: why the last answers were not accepted, in one sentence.
    ///   - fields: the names of the answers; typed text is hidden where it is a secret.
    /// - Returns: one answer for each field, without the spaces around it unless it is a secret; nil when one is
    ///     missing.
    func form(title: String, problem: String? = nil, fields: [(name: String, isSecret: Bool)]) async -> [String]? {
        await screen {
            // The screen stays for all fields: nothing else comes between them.
            show(title, [problem, Self.leaving].compactMap(\.self))
            var answers: [String] = []
            for (name, isSecret) in fields {
                let answer: String? = await ask("\(printable(name, limit: 60)): ", isSecret: isSecret) { text in
                    // Spaces in a password are a part of it.
                    let answer = isSecret ? text : text.trimmed
                    return answer.isEmpty ? .nonsense("\(name) is missing.") : .answer(answer)
                }
                // A missing answer makes all of them useless.
                guard let answer else { return nil }
                answers.append(answer)
            }
            return answers
        }
    }

    /// Shows pages one after the other: Return continues, `s` skips the rest.
    ///
    /// - Returns: false when the user has left them without an answer, or the task was cancelled.
    @discardableResult
    func pages(title: String, _ pages: [(title: String, text: String)]) async -> Bool {
        await screen { () -> Bool? in
            for (index, page) in pages.enumerated() {
                // "1 of 1" says nothing.
                let heading = pages.count == 1 ? title : "\(title) (\(index + 1) of \(pages.count))"
                show(heading, (page.title.isEmpty ? [] : [page.title, ""]) + [page.text])
                let isLast = index == pages.count - 1
                let isSkipping = await ask(isLast ? "Return: done " : "Return: next, s: skip ") { text in
                    ["": false, "s": true, "skip": true][text.trimmed.lowercased()].map(Reading.answer)
                        ?? .nonsense("Press Return, or enter s.")
                }
                guard let isSkipping else { return nil }
                if isSkipping { break }
            }
            return true
        } ?? false
    }

    // MARK: Parts of screens

    /// Has the terminal for itself until `body` returns; nil without having it when the task is cancelled before.
    private func screen<Result>(_ body: () async -> Result?) async -> Result? {
        while true {
            if Task.isCancelled { return nil }
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = true }
                return isTaken
            }
            if !wasTaken { break }
            // The user takes seconds for a screen: it is enough to look from time to time whether it is over.
            try? await Task.sleep(for: .milliseconds(20))
        }
        // In this order, undone the other way round: the view comes back before the next screen can begin.
        defer { isTaken.withLock { $0 = false } }
        live?.pause()
        defer { live?.resume() }
        return await body()
    }

    private func show(_ title: String, _ lines: [String]) {
        output(screenText(title, lines, width: size().width, style))
    }

    private func say(_ text: String) { show("", [String(text.prefix(400))]) }

    /// Asks until there is an answer, at most ``maximumAnswers`` times.
    private func ask<Value>(_ prompt: String, isSecret: Bool = false, _ read: (String) -> Reading<Value>) async -> Value? {
        // A bound: a terminal that sends nonsense without end must not hold the launch.
        for _ in 0..<Self.maximumAnswers {
            switch await input.line(isSecret: isSecret, prompt: { output(prompt) }) {
            case nil:
                // Nobody has ended the line of the question.
                output("\n")
                return nil
            case .nonsense(let sentence)?: say(sentence)
            // An arrow comes as an escape sequence: taken as text it would move the cursor in later output.
            case .answer(let text)? where text.unicodeScalars.contains(where: \.isControlKey):
                say("That holds a key that is no text, such as an arrow.")
            case .answer(let text)?:
                switch read(text) {
                case .answer(let answer): return answer
                case .nonsense(let sentence): say(sentence)
                }
            }
        }
        say("No answer after \(Self.maximumAnswers) attempts.")
        return nil
    }
}

/// Reads the choice of an option: a number from 1 on, or a name in any case that no other one has.
func choice(_ text: String, among options: [String]) -> Reading<Int> {
    let word = text.trimmed.lowercased()
    if let number = Int(word), options.indices.contains(number &- 1) { return .answer(number - 1) }
    let named = options.indices.filter { options[$0].trimmed.lowercased() == word }
    return named.count == 1 ? .answer(named[0]) : .nonsense("Enter a number from 1 to \(options.count), or a name.")
}

extension Unicode.Scalar {
    fileprivate var isControlKey: Bool { properties.generalCategory == .control && self != "\t" }
}

extension String {
    /// Without the spaces and tabs around it.
    var trimmed: String { trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
}

/// A title, unless it is empty, and text below it, no wider than the terminal; each line with its end. Texts come from
/// services: long ones are cut.
func screenText(_ title: String, _ texts: [String], width: Int, _ style: TextStyle) -> String {
    // The last column stays free: some terminals wrap after it.
    let room = max(width - 1, 2)
    let heading = title.isEmpty ? [] : [style.bold(truncated(printable(title), to: room, ellipsis: style.ellipsis))]
    let lines = texts.flatMap { $0.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).prefix(500) }
    let shown = lines.prefix(500).map { printable(String($0), limit: 4000) }
    let rows = shown.flatMap { wrapped($0, to: room, ellipsis: style.ellipsis) }
    return (heading + rows.prefix(500)).map { $0 + "\n" }.joined()
}

extension TerminalScreens {
    /// Screens on the terminal that is standard input, shown on standard error, or on that terminal itself when
    /// standard error is redirected.
    ///
    /// - Returns: nil when standard input is not a terminal.
    init?(color: ColorMode, live: LiveView?) {
        guard let input = TerminalInput(terminalOf: STDIN_FILENO) else { return nil }
        let environment = ProcessInfo.processInfo.environment
        // Standard error may be a file; the user sits at the terminal that is read.
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
}
