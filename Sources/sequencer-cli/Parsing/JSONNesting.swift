/// Follows the brackets of one JSON value that comes line by line, to find its end. The rest of its grammar is for the reader of the whole value.
struct JSONNesting {
    /// One bit for each container that is open: 1 for an object.
    private var kinds: UInt64 = 0
    private var depth = 0
    /// The last byte that was not white space; for a string, its quote.
    private var last: UInt8 = 0
    /// Whether it cannot be JSON: a line ends in a string, brackets do not match, or too many are open. Its end is unknown then.
    private(set) var isBroken = false

    /// Whether an object may come next.
    var mayBeginObject: Bool {
        // A comma in an array may be followed by an object, in an object only by a key.
        last == ASCII.colon || last == ASCII.openBracket || last == ASCII.comma && kinds & 1 == 0
    }

    /// Follows a line.
    ///
    /// - Parameter start: the first byte of the value, or of the line where it goes on.
    /// - Returns: the place after the value; nil where it does not end in this line.
    mutating func follow(_ line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var offset = start
        while offset < line.count {
            let byte = line[offset]
            offset += 1
            switch byte {
            case ASCII.quote:
                // A string of JSON has no line feed in it.
                guard let end = Self.endOfString(in: line, from: offset) else {
                    isBroken = true
                    return nil
                }
                offset = end
            case ASCII.openBrace, ASCII.openBracket:
                // Kinds are the bits of one integer.
                if depth == JSONTokenizer.skippedDepthLimit {
                    isBroken = true
                    return nil
                }
                (kinds, depth) = (kinds << 1 | (byte == ASCII.openBrace ? 1 : 0), depth + 1)
            case ASCII.closeBrace, ASCII.closeBracket:
                // An end of the other kind means that something has broken off.
                guard depth > 0, (kinds & 1 == 1) == (byte == ASCII.closeBrace) else {
                    isBroken = true
                    return nil
                }
                (kinds, depth) = (kinds >> 1, depth - 1)
                if depth == 0 { return offset }
            // Not the last byte in the sense of the grammar.
            case _ where ASCII.isWhitespace(byte): continue
            default: break
            }
            last = byte
        }
        return nil
    }

    /// - Returns: the place after the closing quote.
    private static func endOfString(in line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var offset = start
        while offset < line.count {
            if line[offset] == ASCII.quote { return offset + 1 }
            // The byte after a backslash may be a quote.
            offset += line[offset] == ASCII.backslash ? 2 : 1
        }
        return nil
    }
}
