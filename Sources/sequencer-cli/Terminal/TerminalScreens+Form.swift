import Sequencer

/// One thing that a form asks for.
struct FormField: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case text
        /// What is typed is not shown.
        case password
    }

    var label: String
    var kind = Kind.text
    /// Whether an answer may be empty.
    var isOptional = false

    init(_ label: String, kind: Kind = .text, isOptional: Bool = false) {
        self.label = label
        self.kind = kind
        self.isOptional = isOptional
    }
}

extension TerminalScreens {
    /// Asks for several things, one after the other.
    ///
    /// - Parameter problem: why the last answers were not accepted, in one sentence.
    /// - Returns: one answer for each field, without the spaces around it unless it is a password; nil when one is missing.
    func form(title: String, problem: String? = nil, fields: [FormField]) async -> [String]? {
        let complaint = problem.map { [ScreenBox.Paragraph(text: $0, tone: .red)] } ?? []
        let box = ScreenBox(title: title, paragraphs: complaint + [Self.leaving])
        return await screen {
            show(box)
            var answers: [String] = []
            for field in fields {
                guard let answer = await ask(field) else { return nil }
                answers.append(answer)
            }
            return answers
        }
    }

    private func ask(_ field: FormField) async -> String? {
        await ask("\(printable(field.label, limit: 60)): ", isSecret: field.kind == .password) { text in
            let answer = field.kind == .password ? text : text.trimmed
            if answer.isEmpty, !field.isOptional { return .nonsense("\(field.label) is missing.") }
            return .answer(answer)
        }
    }
}
