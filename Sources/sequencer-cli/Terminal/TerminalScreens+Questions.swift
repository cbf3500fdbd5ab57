import Sequencer

extension TerminalScreens {
    /// Lets a person choose from a list, by number or by name.
    ///
    /// - Parameter standard: the choice of an empty line; nil asks again.
    /// - Returns: the position of the option; nil without an answer, and without a question when there is nothing to choose from.
    func menu(title: String, question: String, options: [String], default standard: Int? = nil) async -> Int? {
        if options.isEmpty { return nil }
        let standard = standard.flatMap { options.indices.contains($0) ? $0 : nil }
        // Numbers are aligned at their ends.
        let digits = String(options.count).count
        let rows = options.enumerated().map { index, option in
            let number = String(index + 1)
            let space = String(repeating: " ", count: digits - number.count)
            // An option is one entry: a line feed from a service would look like two.
            return ScreenText.Paragraph(text: "\(space)\(number)  \(option.replacing("\n", with: " "))", indent: digits + 2)
        }
        let text = ScreenText(title: title, paragraphs: [.init(text: question), .blank] + rows + [.blank, Self.leaving])
        let prompt = "Number or name" + (standard.map { " [\($0 + 1)]" } ?? "") + ": "
        return await screen {
            show(text)
            return await ask(prompt) { text in
                switch Choice(text, among: options, default: standard) {
                case .option(let index): .answer(index)
                case .unclear(let sentence): .nonsense(sentence)
                }
            }
        }
    }
}

/// One thing that a form asks for.
struct FormField: Equatable, Sendable {
    var label: String
    /// Whether the typed text is hidden.
    var isSecret = false
    /// Whether an answer may be empty.
    var isOptional = false

    init(_ label: String, isSecret: Bool = false, isOptional: Bool = false) {
        (self.label, self.isSecret, self.isOptional) = (label, isSecret, isOptional)
    }
}

extension TerminalScreens {
    /// Asks for several things, one after the other.
    ///
    /// - Parameter problem: why the last answers were not accepted, in one sentence.
    /// - Returns: one answer for each field, without the spaces around it unless it is a secret; nil when one is missing.
    func form(title: String, problem: String? = nil, fields: [FormField]) async -> [String]? {
        let complaint = problem.map { [ScreenText.Paragraph(text: $0, tone: .red)] } ?? []
        let text = ScreenText(title: title, paragraphs: complaint + [Self.leaving])
        return await screen {
            // The screen stays for all fields: nothing else comes between them.
            show(text)
            var answers: [String] = []
            for field in fields {
                // One missing answer makes all of them useless.
                guard let answer = await ask(field) else { return nil }
                answers.append(answer)
            }
            return answers
        }
    }

    private func ask(_ field: FormField) async -> String? {
        await ask("\(printable(field.label, limit: 60)): ", isSecret: field.isSecret) { text in
            // Spaces in a password are a part of it.
            let answer = field.isSecret ? text : text.trimmed
            if answer.isEmpty, !field.isOptional { return .nonsense("\(field.label) is missing.") }
            return .answer(answer)
        }
    }
}

/// How a person has left a series of pages.
enum PagesEnd: Equatable, Sendable {
    /// After the last one.
    case read
    /// By asking to skip the rest.
    case skipped
    /// Without an answer, or because the task was cancelled.
    case dismissed
}

extension TerminalScreens {
    /// Shows pages one after the other: Return goes on, `s` skips the rest.
    @discardableResult
    func pages(title: String, _ pages: [(title: String, text: String)]) async -> PagesEnd {
        let end = await screen { () -> PagesEnd? in
            // "1 of 1" says nothing.
            for (index, page) in pages.enumerated() {
                let heading = pages.count == 1 ? title : "\(title) (\(index + 1) of \(pages.count))"
                let head = page.title.isEmpty ? [] : [ScreenText.Paragraph(text: page.title, tone: .bold), .blank]
                show(ScreenText(title: heading, paragraphs: head + [.init(text: page.text)]))
                let isLast = index == pages.count - 1
                let isSkipping = await ask(isLast ? "Return: done " : "Return: next, s: skip ") { text -> Reading<Bool> in
                    switch text.trimmed.lowercased() {
                    case "": .answer(false)
                    case "s", "skip": .answer(true)
                    default: .nonsense("Press Return, or enter s.")
                    }
                }
                guard let isSkipping else { return nil }
                // On the last page nothing is left to skip.
                if isSkipping, !isLast { return .skipped }
            }
            return .read
        }
        return end ?? .dismissed
    }
}

/// The choice that a typed text makes among a few options.
enum Choice: Equatable, Sendable {
    case option(Int)
    /// Nothing that could be chosen; why, in one sentence.
    case unclear(String)

    /// Reads a number from 1 on, a name in any case, or the beginning of a name that no other one shares. Nothing at all chooses the default.
    ///
    /// A number wins over a name that looks like another number: the list shows the numbers first.
    init(_ text: String, among options: [String], default standard: Int?) {
        let text = text.trimmed
        if text.isEmpty {
            self = standard.map(Choice.option) ?? .unclear("Nothing was chosen; \(Self.expectation(options)).")
            return
        }
        if let number = Int(text), options.indices.contains(number - 1) {
            self = .option(number - 1)
            return
        }
        let names = options.map { $0.trimmed.lowercased() }
        let word = text.lowercased()
        var matches = names.indices.filter { names[$0] == word }
        // The beginning of a name only if no name is meant as a whole.
        if matches.isEmpty { matches = names.indices.filter { names[$0].hasPrefix(word) } }
        switch matches.count {
        case 1: self = .option(matches[0])
        case 0:
            let hint = question(nearestName(to: text, in: options))
            self = .unclear("There is no \(quoted(text)); \(Self.expectation(options))\(hint.isEmpty ? "." : hint)")
        // Four are enough to see why.
        default: self = .unclear("\(quoted(text)) could be \(alternatives(matches.prefix(4).map { options[$0] })); enter its number.")
        }
    }

    private static func expectation(_ options: [String]) -> String {
        options.count == 1 ? "enter 1 or its name" : "enter a number from 1 to \(options.count), or a name"
    }
}

extension String {
    /// Without the spaces and tabs around it.
    var trimmed: String {
        var rest = self[...].drop { $0 == " " || $0 == "\t" }
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
