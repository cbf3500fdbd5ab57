import Foundation
import Sequencer

/// Reads the reports and crashes of one file into statistics, on all processors and in a memory that does not grow with
/// the file.
///
/// They stand in any layout: one a line, in many lines, several in one line, in an array. After one that has broken
/// off, reading continues at the next line that begins with one.
struct LaunchFile {
    /// The number of mistakes that are kept; all broken lines are counted.
    private static let maximumMistakes = 10
    /// The number of bytes read at a time.
    private static let batchSize = 4 << 20
    /// The number of reports decoded at a time.
    private static let maximumDocuments = 4096

    /// The name of the file in messages.
    let name: String
    let keys: StatsKeys
    /// The bytes of a batch; only tests have another number.
    var batchSize = Self.batchSize
    /// The different mistakes, the first of each kind.
    private(set) var mistakes: [ScenarioError] = []
    private(set) var brokenLines = 0
    /// Where the bytes begin that have not been taken yet.
    private var position = SourcePosition.start
    /// The last of the broken lines.
    private var lastBroken = 0

    init(name: String, keys: StatsKeys) { (self.name, self.keys) = (name, keys) }

    /// All lines that have been read, blank ones included.
    var lines: Int {
        // Bytes that are not characters have no columns.
        max(position.column > 1 ? position.line : position.line - 1, lastBroken)
    }

    /// Reads the file to its end.
    ///
    /// - Parameters:
    ///   - fill: fills a buffer as far as the file goes, and says how many bytes it has; 0 at the end.
    ///   - didRead: is called after each batch.
    mutating func read(
        into statistics: inout LaunchStatistics,
        _ fill: (UnsafeMutableRawBufferPointer) throws -> Int,
        didRead: (LaunchFile) -> Void = { _ in }
    ) throws {
        var bytes: [UInt8] = []
        var isAtEnd = false
        while !isAtEnd {
            let kept = bytes
            // Twice as many for a report that continues: the kept bytes are looked at once more.
            bytes = try [UInt8](unsafeUninitializedCapacity: kept.count + max(batchSize, kept.count)) { buffer, count in
                _ = buffer.initialize(from: kept)
                let free = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[kept.count...]))
                count = kept.count + (try fill(free))
            }
            isAtEnd = bytes.count == kept.count
            let (documents, end) = SavedReports.documents(in: bytes, isAtEnd: isAtEnd)
            var taken = 0
            for first in stride(from: 0, to: documents.count, by: Self.maximumDocuments) {
                let next = documents[first...].prefix(Self.maximumDocuments)
                for (document, result) in zip(next, launches(of: Array(next), in: bytes)) {
                    position = position.moved(over: bytes[taken..<document.lowerBound])
                    taken = document.lowerBound
                    switch result {
                    case .success(let launch): statistics.add(launch)
                    case .failure(let error): add(error, bytes[document])
                    }
                }
            }
            position = position.moved(over: bytes[taken..<end])
            bytes.removeFirst(end)
            didRead(self)
        }
    }

    // MARK: Launches

    /// The launches of documents, decoded on all processors.
    private func launches(of documents: [Range<Int>], in bytes: [UInt8]) -> [Result<LaunchLine, ScenarioError>] {
        let count = min(ProcessInfo.processInfo.activeProcessorCount, 16, documents.count)
        let parts = Locked([[Result<LaunchLine, ScenarioError>]](repeating: [], count: count))
        let ended = DispatchSemaphore(value: 0)
        for part in 0..<count {
            let work = { @Sendable [self] in
                let range = documents.count * part / count..<documents.count * (part + 1) / count
                let launches = documents[range].map { document in
                    Result { () throws(ScenarioError) in try launch(bytes[document]) }
                }
                parts.withLock { $0[part] = launches }
                ended.signal()
            }
            // This thread takes the last part, and those that the system has no thread for. `concurrentPerform`
            // would try for ever to have one, on Linux.
            if part == count - 1 || (try? startThread(work)) == nil { work() }
        }
        for _ in 0..<count { ended.wait() }
        return parts.withLock { $0.flatMap(\.self) }
    }

    private func launch(_ document: ArraySlice<UInt8>) throws(ScenarioError) -> LaunchLine {
        let bytes = Array(document)
        // A single message for all lines that are not JSON at all; another encoding is named below.
        if bytes[0] != UInt8(ascii: "{"), (try? requireUTF8Start(bytes)) != nil {
            throw ScenarioError(file: name, message: "expected an object")
        }
        if bytes.count > SavedReports.sizeLimit {
            throw ScenarioError(file: name, message: "the report is larger than the limit of \(SavedReports.sizeLimit) bytes")
        }
        return try decodeDocument(LaunchLine.self, from: bytes, file: name, by: LaunchLine.decoder(keys))
    }

    // MARK: Mistakes

    /// Keeps a mistake in a document that begins at the position.
    private mutating func add(_ error: ScenarioError, _ document: ArraySlice<UInt8>) {
        // Several mistakes in one line are one broken line.
        let last = position.line + document.count { $0 == UInt8(ascii: "\n") }
        brokenLines += max(last - max(position.line - 1, lastBroken), 0)
        lastBroken = last
        // By its text: a file that is wrong in one way has one mistake, not a million.
        if mistakes.count < Self.maximumMistakes, !mistakes.contains(where: { $0.message == error.message }) {
            mistakes.append(error.moved(by: position))
        }
    }
}
