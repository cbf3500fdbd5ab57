/// The last bytes of an output of any length.
struct OutputTail {
    static let limit = 64 * 1024

    private var bytes: [UInt8] = []
    private var hasCut = false

    mutating func append(_ chunk: some Collection<UInt8>) {
        bytes.append(contentsOf: chunk)
        // Cut at twice the limit, so that small chunks do not move all the bytes each time.
        if bytes.count > 2 * Self.limit {
            bytes.removeFirst(bytes.count - Self.limit)
            hasCut = true
        }
    }

    var output: ChildProcess.Output {
        var kept = bytes.suffix(Self.limit)
        let isTruncated = hasCut || kept.count < bytes.count
        if isTruncated {
            // The cut may have gone through a character: drop the rest of it.
            kept = kept.dropFirst(kept.prefix(3).prefix { $0 & 0xC0 == 0x80 }.count)
        }
        return ChildProcess.Output(tail: String(decoding: kept, as: UTF8.self), isTruncated: isTruncated)
    }
}
