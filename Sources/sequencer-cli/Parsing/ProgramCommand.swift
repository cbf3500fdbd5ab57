/// A program and its arguments, in one text: words between spaces, as in a shell, which is not there. `'...'` and
/// `"..."` hold a word together, and `\` takes the next character as it is.
struct ProgramCommand: Equatable, Sendable {
    let text: String
    let words: [String]

    /// The commands of a command line: one, or two to compare.
    static func all(_ texts: [String]) throws(ValueError) -> [ProgramCommand] {
        if texts.count > 2 { throw ValueError("found \(texts.count) commands; give one, or two to compare") }
        return try texts.map(ProgramCommand.init)
    }

    init(_ text: String) throws(ValueError) {
        var words: [String] = []
        /// The word that has begun; nil between words.
        var word: String?
        var quote: Character?
        var rest = Substring(text)
        while let character = rest.popFirst() {
            // Within single quotes a backslash is itself, as in a shell (POSIX, 2.2.2).
            if character == "\\", quote != "'" {
                guard let next = rest.popFirst() else { throw ValueError("\(quoted(text)) ends with a backslash") }
                // Within quotes it is itself before any other character.
                let isEscape = quote == nil || next == "\"" || next == "\\"
                word = (word ?? "") + (isEscape ? String(next) : "\\\(next)")
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                // An empty pair of quotes is an empty word.
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw ValueError("\(quoted(text)) has a quotation mark that is not closed") }
        if let word { words.append(word) }
        // Words may be empty, a program may not.
        if words.first?.isEmpty ?? true { throw ValueError("\(quoted(text)) names no program") }
        (self.text, self.words) = (text, words)
    }
}
