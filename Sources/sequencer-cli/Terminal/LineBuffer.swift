/// Cuts what is read into lines, and keeps what is left over for the next one. It never holds much more than one line.
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

    /// Takes the first line out; nil when there is no whole one.
    mutating func next() -> TerminalLine? {
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            let line = take(bytes[..<end])
            bytes.removeSubrange(...end)
            return line
        }
        if bytes.count > limit {
            isSkipping = true
            bytes = []
        }
        return nil
    }

    /// Takes out what came before the end of the input; nil when that is nothing.
    mutating func rest() -> TerminalLine? {
        if let line = next() { return line }
        defer { bytes = [] }
        return bytes.isEmpty && !isSkipping ? nil : take(bytes[...])
    }

    mutating func removeAll() {
        bytes = []
        isSkipping = false
    }

    private mutating func take(_ line: ArraySlice<UInt8>) -> TerminalLine {
        defer { isSkipping = false }
        return isSkipping || line.count > limit ? .tooLong : TerminalLine(line)
    }
}
