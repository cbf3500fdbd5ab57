import Foundation

/// Cuts bytes that come in pieces into lines, in a memory that does not grow with their number.
struct LineSplitter {
    /// A longer line is left out.
    let limit: Int
    /// What has been seen of a line whose end is still to come.
    private var rest: [UInt8] = []
    private var isTooLong = false
    /// How many lines have been given out, those that were too long included.
    private(set) var count = 0

    init(limit: Int = 16 * 1024 * 1024) {
        self.limit = limit
    }

    /// Gives out every line that ends in this piece, without its newline; nil for one that is too long.
    mutating func feed(_ piece: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        var start = 0
        while start < piece.count, let base = piece.baseAddress {
            guard let found = memchr(base + start, 0x0A, piece.count - start) else { return keep(piece[start...]) }
            let end = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
            if rest.isEmpty, !isTooLong {
                count += 1
                body(end - start <= limit ? UnsafeBufferPointer(rebasing: piece[start..<end]) : nil)
            } else {
                keep(piece[start..<end])
                flush(body)
            }
            start = end + 1
        }
    }

    /// Gives out the last line, which may lack its newline.
    mutating func finish(_ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        if !rest.isEmpty || isTooLong { flush(body) }
    }

    private mutating func keep(_ part: Slice<UnsafeBufferPointer<UInt8>>) {
        if isTooLong { return }
        if rest.count + part.count > limit {
            isTooLong = true
            // The memory is given back, not only marked as free.
            rest = []
        } else {
            rest.append(contentsOf: part)
        }
    }

    private mutating func flush(_ body: (UnsafeBufferPointer<UInt8>?) -> Void) {
        count += 1
        if isTooLong { body(nil) } else { rest.withUnsafeBufferPointer(body) }
        rest.removeAll(keepingCapacity: true)
        isTooLong = false
    }
}
