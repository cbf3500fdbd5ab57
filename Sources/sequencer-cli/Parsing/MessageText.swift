import Sequencer

/// The reason why a text is not a valid value, as one sentence without its place.
///
/// The caller adds where the text came from: a path in a file, or an option of the command line.
struct ValueError: Error, Equatable, CustomStringConvertible {
    let message: String

    init(_ message: String) { self.message = message }

    var description: String { message }
}

/// The text in single quotes, fit for one line of a terminal: control characters escaped, a long text cut.
func quoted(_ text: String, limit: Int = 64) -> String { "'" + printable(text, limit: limit) + "'" }

/// The words as a message lists them: `'a', 'b' or 'c'`.
func alternatives(_ words: [String]) -> String {
    let words = words.map { quoted($0) }
    // A list of one has no "or"; one of none is said to be.
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
}

/// The complaint about a word that is not one of the few allowed; it lists them and names the nearest.
func unknownWord(_ word: String, called name: String, among words: [String]) -> String {
    "unknown \(name) \(quoted(word)); expected \(alternatives(words))\(question(nearestName(to: word, in: words)))"
}

/// Reads a word out of a few, each spelled exactly.
func parseWord<Word: RawRepresentable<String> & CaseIterable>(
    _ text: String,
    _ words: Word.Type,
    called name: String
) throws(ValueError) -> Word {
    if let word = Word(rawValue: text) { return word }
    throw ValueError(unknownWord(text, called: name, among: Word.words))
}

func parseInteger(_ text: String, in range: ClosedRange<Int>) throws(ValueError) -> Int {
    if let number = Int(text), range.contains(number) { return number }
    throw ValueError("\(quoted(text)) is not a whole number from \(range.lowerBound) to \(range.upperBound)")
}

/// The end of a complaint, with a guess: `; did you mean 'x'?`, or nothing.
func question(_ nearest: String?) -> String { nearest.map { "; did you mean \(quoted($0))?" } ?? "" }

/// A hint at the right word when there are many: the nearest known one, or else all of them.
func suggestion(for word: String, in known: [String]) -> String {
    if let nearest = nearestName(to: word, in: known) { return "did you mean \(quoted(nearest))?" }
    return "expected \(alternatives(known))"
}

/// A command line that asks for nothing that exists.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The problem, as text.
    let problem: String
    /// The nearest word, or the allowed words; on a separate line.
    let hint: String?
    /// The command whose arguments are wrong, nil when it is the command itself.
    let command: String?

    init(_ problem: String, hint: String? = nil, command: String? = nil) {
        (self.problem, self.hint, self.command) = (problem, hint, command)
    }

    var description: String { hint.map { "\(problem); \($0)" } ?? problem }
}

/// The first text that is given once more; nil when each is given once.
func firstRepeated(_ texts: [String]) -> String? { firstRepetition(texts).map { texts[$0] } }

/// The place of the first text that another one before it equals: of the two it is the one to remove.
func firstRepetition(_ texts: [String]) -> Int? {
    var seen: Set<String> = []
    return texts.firstIndex { !seen.insert($0).inserted }
}
