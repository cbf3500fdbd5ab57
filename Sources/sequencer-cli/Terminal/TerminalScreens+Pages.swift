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
            for (index, page) in pages.enumerated() {
                let heading = pages.count == 1 ? title : "\(title) (\(index + 1) of \(pages.count))"
                let head = page.title.isEmpty ? [] : [ScreenBox.Paragraph(text: page.title, tone: .bold), .blank]
                show(ScreenBox(title: heading, paragraphs: head + [.init(text: page.text)]))
                let isLast = index == pages.count - 1
                let isSkipping = await ask(isLast ? "Return: done " : "Return: next, s: skip ") { text -> Reading<Bool> in
                    switch text.trimmed.lowercased() {
                    case "": .answer(false)
                    case "s", "skip": .answer(true)
                    default: .nonsense("Press Return, or enter s.")
                    }
                }
                guard let isSkipping else { return nil }
                // Who skips nothing has read everything.
                if isSkipping, !isLast { return .skipped }
            }
            return .read
        }
        return end ?? .dismissed
    }
}
