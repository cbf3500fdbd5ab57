/// Decides which question gets which line. There is one question at a time.
struct TerminalInputStateMachine: Sendable {
    /// The one that waits for its line.
    private(set) var question: Int?
    private var lines: LineBuffer
    private var asked = 0

    init(lineLimit: Int) {
        lines = LineBuffer(limit: lineLimit)
    }

    /// A number for a question that will be asked.
    mutating func makeQuestion() -> Int {
        asked += 1
        return asked
    }

    /// - Returns: the line that is there already; nil when the question has to wait.
    mutating func ask(_ question: Int) -> TerminalLine? {
        // Lines that were typed ahead answer the questions in their order.
        if let line = lines.next() { return line }
        self.question = question
        return nil
    }

    /// - Returns: the line that answers the question; nil when it is not complete.
    mutating func received(_ bytes: some Sequence<UInt8>) -> TerminalLine? {
        // Bytes without a question would be kept for one that nobody has seen yet.
        guard question != nil else { return nil }
        lines.append(bytes)
        guard let line = lines.next() else { return nil }
        question = nil
        return line
    }

    /// The input has ended, which a terminal's does as often as Ctrl-D is pressed.
    ///
    /// - Returns: the answer to the question; nil without a question.
    mutating func ended() -> TerminalLine? {
        guard question != nil else { return nil }
        question = nil
        // Ctrl-D after half a line sends that half, as terminals do.
        return lines.rest() ?? .dismissed
    }

    /// Gives the question up. Text that was typed for it must not answer another one.
    ///
    /// - Returns: whether it still waited.
    mutating func abandon(_ question: Int) -> Bool {
        // Another question, or an answer that came first.
        guard self.question == question else { return false }
        self.question = nil
        lines.removeAll()
        return true
    }
}

/// Cuts bytes into lines, and keeps the rest for the next line. It never holds much more than one line.
struct LineBuffer: Sendable {
    /// The most bytes of a line.
    let limit: Int

    private var bytes: [UInt8] = []
    /// Whether the beginning of the line was too long and has been dropped.
    private var isSkipping = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ new: some Sequence<UInt8>) {
        bytes.append(contentsOf: new)
    }

    /// Takes the first line out; nil while it is incomplete.
    mutating func next() -> TerminalLine? {
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = take(bytes[..<end])
            bytes.removeSubrange(...end)
            return line
        }
        // The rest of the line is still to come, and must not pass for a line of its own.
        if bytes.count > limit {
            isSkipping = true
            bytes = []
        }
        return nil
    }

    /// Takes out the last, unended line of the input; nil when it is empty.
    mutating func rest() -> TerminalLine? {
        if let line = next() { return line }
        defer { bytes = [] }
        // A line too long that ends with the input has been dropped, and is told all the same.
        return bytes.isEmpty && !isSkipping ? nil : take(bytes[...])
    }

    mutating func removeAll() {
        bytes = []
        isSkipping = false
    }

    private mutating func take(_ line: ArraySlice<UInt8>) -> TerminalLine {
        // The next line begins anew, however long this one was.
        defer { isSkipping = false }
        return isSkipping || line.count > limit ? .tooLong : TerminalLine(line)
    }
}

/// The answer to a question for a line.
enum TerminalLine: Equatable, Sendable {
    /// The line, without its end.
    case text(String)
    /// It had more bytes than a line may have, and was dropped.
    case tooLong
    /// It was not UTF-8, and was dropped.
    case notUTF8
    /// No answer: the input ended (Ctrl-D, or the terminal is gone), or the task was cancelled.
    case dismissed

    /// - Parameter bytes: a line without its line feed; a carriage return before that is dropped, too.
    init(_ bytes: some BidirectionalCollection<UInt8>) {
        let text =
            // Pipes of other systems end lines with CR LF; a terminal has turned it into a line feed.
            bytes.last == UInt8(ascii: "\r")
            ? String(validating: bytes.dropLast(), as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        self = text.map(TerminalLine.text) ?? .notUTF8
    }
}
