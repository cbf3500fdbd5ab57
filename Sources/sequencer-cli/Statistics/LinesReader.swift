import Foundation
import Sequencer

/// Reads an input into a summary on all processors, in a memory that does not grow with the input.
///
/// Lines of a batch are parsed in parallel, and nothing else: the summary takes them one by one, in their order, so that all that depends on the lines
/// around one (a report that goes on, one that has broken off, the number of a line) is as one processor has it.
///
/// ```
/// this thread   fill A | fill B · parse A | take A | fill A · parse B | take B | ...
/// the others           | parse A          |        | parse B          |
/// ```
struct LinesReader {
    /// More would need more memory, and wait for the disk.
    private static let maximumProcessors = 16

    private let processors: Int
    /// The bytes that one processor parses at a time.
    private let pieceSize: Int

    init(processors: Int = ProcessInfo.processInfo.activeProcessorCount, pieceSize: Int = 128 * 1024) {
        self.processors = min(processors, Self.maximumProcessors)
        self.pieceSize = pieceSize
    }

    /// Reads all lines of an input.
    ///
    /// - Parameters:
    ///   - fill: fills a buffer as far as the input goes, and says how many bytes it has; 0 at the end.
    ///   - didRead: is called after each batch.
    ///   - complain: is told of each mistake.
    func read(
        into summary: inout LinesSummary,
        _ fill: (UnsafeMutableRawBufferPointer) throws -> Int,
        didRead: (LinesSummary) -> Void = { _ in },
        complain: (LinesSummary.Complaint) -> Void
    ) throws {
        var splitter = LineSplitter()
        let parser = ParallelParser(summary.reader, threads: processors - 1, pieceSize: pieceSize)
        defer { parser.end() }
        // Two pieces for each processor, since one that has ended early takes another; with few processors, more, since each batch ends with a wait.
        let size = max(2 * processors, 8) * pieceSize
        // While one batch is parsed, the next one is read.
        let buffers = (0..<2).map { _ in UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16) }
        defer { for buffer in buffers { buffer.deallocate() } }
        var place = 0
        var count = try fill(buffers[place])
        while count > 0 {
            let batch = UnsafeRawBufferPointer(rebasing: buffers[place][..<count]).assumingMemoryBound(to: UInt8.self)
            // The first line may have begun in the batch before, and the last one may end in the next.
            let head = batch.lineEnd(from: 0).map { $0 + 1 } ?? count
            let tail = max(batch.lastIndex(of: ASCII.newline).map { $0 + 1 } ?? head, head)
            let whole = UnsafeBufferPointer(rebasing: batch[head..<tail])
            parser.begin(whole)
            // An error waits: the lines that are being parsed lie in a buffer.
            let next = Result { try fill(buffers[1 - place]) }
            let parts = parser.finish()
            splitter.feed(UnsafeBufferPointer(rebasing: batch[..<head])) { line in summary.add(line).forEach(complain) }
            for part in parts.joined() {
                splitter.feed(UnsafeBufferPointer(rebasing: whole[part.range])) { line in
                    summary.add(line, whole: part.launch).forEach(complain)
                }
            }
            splitter.feed(UnsafeBufferPointer(rebasing: batch[tail...])) { line in summary.add(line).forEach(complain) }
            didRead(summary)
            count = try next.get()
            place = 1 - place
        }
        splitter.finish { line in summary.add(line).forEach(complain) }
        if let complaint = summary.finish() { complain(complaint) }
    }
}

/// Parses the lines of one batch after the other, piece by piece, on threads of its own and on the one that waits for them.
///
/// Not by `DispatchQueue.concurrentPerform`: on Linux it tries for ever to have a thread where the user may have no more.
private final class ParallelParser: Sendable {
    private struct State: @unchecked Sendable {
        // @unchecked: `bytes` is a pointer; it is read between `begin` and `finish` alone, and written by nobody meanwhile.
        var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        /// Those of each piece.
        var parts: [[LinesPart]] = []
        /// The first piece that nobody has taken yet.
        var next = 0
        /// The pieces that have not been parsed yet.
        var left = 0
        /// The threads that have been started; none before there is something for them.
        var threads = 0
        var isOver = false
    }

    private let reader: LaunchReader
    private let pieceSize: Int
    private let threads: Int
    private let state = Locked(State())
    private let work = DispatchSemaphore(value: 0)
    private let isParsed = DispatchSemaphore(value: 0)

    init(_ reader: LaunchReader, threads: Int, pieceSize: Int) {
        self.reader = reader
        self.threads = threads
        self.pieceSize = pieceSize
    }

    /// Begins to parse whole lines. They must stay until ``finish()`` has returned.
    func begin(_ bytes: UnsafeBufferPointer<UInt8>) {
        let count = (bytes.count + pieceSize - 1) / pieceSize
        state.withLock { state in
            state.bytes = bytes
            state.parts = [[LinesPart]](repeating: [], count: count)
            (state.next, state.left) = (0, count)
        }
        // The thread that calls takes a piece, too.
        let others = max(count - 1, 0)
        for _ in 0..<min(startThreads(atMost: others), others) { work.signal() }
    }

    /// Parses the pieces that are left, and waits for the other threads.
    ///
    /// - Returns: the lines, by piece.
    func finish() -> [[LinesPart]] {
        let count = state.withLock { $0.parts.count }
        parse()
        // The thread that parses the last piece signals once; it may be this one.
        if count > 0 { isParsed.wait() }
        return state.withLock { $0.parts }
    }

    /// Ends the threads.
    func end() {
        let count = state.withLock { state in
            state.isOver = true
            return state.threads
        }
        for _ in 0..<count { work.signal() }
    }

    /// - Returns: how many threads there are by now; fewer than are wanted where the system has no more.
    private func startThreads(atMost wanted: Int) -> Int {
        var count = state.withLock { $0.threads }
        while count < min(threads, wanted) {
            do throws(ThreadError) {
                try startThread { [self] in
                    repeat { work.wait() } while parse()
                }
            } catch {
                break
            }
            count += 1
        }
        state.withLock { $0.threads = count }
        return count
    }

    /// Parses pieces until none is left.
    ///
    /// - Returns: whether there may be further batches.
    @discardableResult
    private func parse() -> Bool {
        while true {
            let (bytes, piece, isOver) = state.withLock { state in
                let piece = state.next < state.parts.count ? state.next : nil
                if piece != nil { state.next += 1 }
                return (state.bytes, piece, state.isOver)
            }
            guard let piece else { return !isOver }
            let start = piece * pieceSize
            let parts = reader.parts(of: bytes, beginningIn: start..<min(start + pieceSize, bytes.count))
            let isLast = state.withLock { state in
                state.parts[piece] = parts
                state.left -= 1
                return state.left == 0
            }
            if isLast { isParsed.signal() }
        }
    }
}

/// One line that is a report or a crash by itself, with its launch; or a run of other lines, so that a million blank lines take one element.
struct LinesPart: Sendable {
    /// Its bytes, with the line feed at its end.
    var range: Range<Int>
    let launch: LaunchLine?
}

extension LaunchReader {
    /// The lines that begin in a range of bytes; the last one may end behind it.
    func parts(of bytes: UnsafeBufferPointer<UInt8>, beginningIn range: Range<Int>) -> [LinesPart] {
        // A line that began before belongs to the piece before.
        var start = range.lowerBound == 0 ? 0 : (bytes.lineEnd(from: range.lowerBound - 1) ?? bytes.count) + 1
        var parts: [LinesPart] = []
        while start < range.upperBound {
            let end = bytes.lineEnd(from: start) ?? bytes.count
            let launch = launch(of: UnsafeBufferPointer(rebasing: bytes[start..<end]))
            let next = min(end + 1, bytes.count)
            if launch == nil, let last = parts.last, last.launch == nil {
                parts[parts.count - 1].range = last.range.lowerBound..<next
            } else {
                parts.append(LinesPart(range: start..<next, launch: launch))
            }
            start = end + 1
        }
        return parts
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The place of the first line feed from `start` on.
    func lineEnd(from start: Int) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, Int32(ASCII.newline), count - start) else { return nil }
        return UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
    }
}
