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
        if let line = lines.next() { return line }
        self.question = question
        return nil
    }

    /// - Returns: the line that answers the question; nil when it is not complete.
    mutating func received(_ bytes: some Sequence<UInt8>) -> TerminalLine? {
        guard question != nil else { return nil }
        lines.append(bytes)
        guard let line = lines.next() else { return nil }
        question = nil
        return line
    }

    /// The input has ended, which a terminal's does as often as Ctrl-D is pressed.
    ///
    /// - Returns: what answers the question; nil when there is none.
    mutating func ended() -> TerminalLine? {
        guard question != nil else { return nil }
        question = nil
        return lines.rest() ?? .dismissed
    }

    /// Gives the question up. What was typed for it must not answer another one.
    ///
    /// - Returns: whether it still waited.
    mutating func abandon(_ question: Int) -> Bool {
        guard self.question == question else { return false }
        self.question = nil
        lines.removeAll()
        return true
    }
}
