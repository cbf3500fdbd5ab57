/// What came of asking for a line.
enum TerminalLine: Equatable, Sendable {
    /// The line, without its end.
    case text(String)
    /// It had more bytes than a line may have, and was dropped.
    case tooLong
    /// It was not UTF-8, and was dropped.
    case notUTF8
    /// There is no line: the input ended (Ctrl-D, or the terminal is gone), or the task was cancelled.
    case dismissed

    /// - Parameter bytes: a line without its line feed; a carriage return before that is no part of the text either.
    init(_ bytes: some BidirectionalCollection<UInt8>) {
        let text =
            bytes.last == UInt8(ascii: "\r")
            ? String(validating: bytes.dropLast(), as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        self = text.map(TerminalLine.text) ?? .notUTF8
    }
}
