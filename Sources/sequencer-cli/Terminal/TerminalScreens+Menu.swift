extension TerminalScreens {
    /// Lets a person choose from a list, by number or by name.
    ///
    /// - Parameter standard: what no text at all chooses; nil asks again.
    /// - Returns: the position of the option; nil without an answer, and without a question when there is nothing to choose from.
    func menu(title: String, question: String, options: [String], default standard: Int? = nil) async -> Int? {
        if options.isEmpty { return nil }
        let standard = standard.flatMap { options.indices.contains($0) ? $0 : nil }
        let digits = String(options.count).count
        let rows = options.enumerated().map { index, option in
            let number = String(index + 1)
            let space = String(repeating: " ", count: digits - number.count)
            return ScreenBox.Paragraph(text: "\(space)\(number)  \(option.replacing("\n", with: " "))", indent: digits + 2)
        }
        let box = ScreenBox(title: title, paragraphs: [.init(text: question), .blank] + rows + [.blank, Self.leaving])
        let prompt = "Number or name" + (standard.map { " [\($0 + 1)]" } ?? "") + ": "
        return await screen {
            show(box)
            return await ask(prompt) { text in
                switch Choice(text, among: options, default: standard) {
                case .option(let index): .answer(index)
                case .unclear(let sentence): .nonsense(sentence)
                }
            }
        }
    }
}
