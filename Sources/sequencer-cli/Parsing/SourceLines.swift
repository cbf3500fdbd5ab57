/// A place in a text as an editor shows it: both numbers count from 1, columns count Unicode scalars.
struct SourcePosition: Equatable, Sendable, CustomStringConvertible {
    let line: Int
    let column: Int

    var description: String { "\(line):\(column)" }
}

/// Turns byte offsets into lines and columns, in logarithmic time.
struct SourceLines {
    private let bytes: [UInt8]
    /// The offset at which each line begins, ascending.
    private let starts: [Int]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var starts = [0]
        bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            let end = buffer.count
            while offset < end {
                if buffer[offset] == 0x0A { starts.append(offset + 1) }
                offset += 1
            }
        }
        self.starts = starts
    }

    /// The position of the byte at `offset`; an offset past the end means the end.
    func position(of offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        // Continuation bytes (10xxxxxx) belong to the scalar before them.
        let column = bytes[starts[low]..<offset].reduce(into: 1) { if $1 & 0xC0 != 0x80 { $0 += 1 } }
        return SourcePosition(line: low + 1, column: column)
    }
}
