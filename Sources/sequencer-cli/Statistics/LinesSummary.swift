import Sequencer

/// Reads single lines, all with the same options.
struct LaunchReader: Sendable {
    /// Whether the times of operations are wanted.
    let readsOperations: Bool
    /// The name of the attribute that launches are told apart by.
    let attribute: String?

    /// - Returns: nil when the line is blank.
    func read(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> LaunchLine? {
        try LaunchLineParser.parse(line, readsOperations: readsOperations, attribute: attribute)
    }

    /// The launch of a line that is a report or a crash by itself; nil for any other one, which is then to be read with those around it.
    func launch(of line: UnsafeBufferPointer<UInt8>) -> LaunchLine? {
        // Most lines of a report that stands in many are told by their first byte.
        guard line.first == ASCII.openBrace else { return nil }
        return try? read(line)
    }
}

/// The launches of the lines of a file, and the number of invalid lines.
///
/// Reports and crashes stand in any layout: one a line, in many lines, several in one line, in an array. One that has broken off spoils none of those
/// around it that begin a line of their own.
struct LinesSummary: Sendable {
    /// A mistake in the file, and how many lines it has spoilt.
    struct Complaint: Equatable, Sendable, CustomStringConvertible {
        let line: Int
        /// Nil when the whole line is meant.
        var column: Int?
        let message: String
        var count = 1

        var description: String {
            let others = count == 1 ? "" : ", and so in \(count - 1) more line\(count == 2 ? "" : "s")"
            return "\(line):" + (column.map { "\($0): " } ?? " ") + message + others
        }
    }

    /// A report over several lines that is larger is left out: `report` would not read it either.
    private static let maximumBytes = ScenarioDocument.sizeLimit
    private static let firstKey = Array("\"schema\"".utf8)

    /// Reads the launch of a line.
    let reader: LaunchReader
    private(set) var statistics = LaunchStatistics()
    /// All lines, blank ones included.
    private(set) var lines = 0
    private(set) var brokenLines = 0
    /// The last of the broken lines.
    private var lastBroken = 0
    /// Whether an array is open whose elements are the reports.
    private var isInArray = false
    /// A report that goes on after its line, as far as it has come, with spaces in place of what stands before it; empty without one.
    private var begun: [UInt8] = []
    private var begunLines = 0
    private var nesting = JSONNesting()
    /// Whether one of its further lines has begun with white space: then a brace at the start of a line belongs to the next report.
    private var isIndented = false

    init(readsOperations: Bool = false, attribute: String? = nil) {
        reader = LaunchReader(readsOperations: readsOperations, attribute: attribute)
    }

    /// The summary of lines that were read elsewhere.
    init(statistics: LaunchStatistics, lines: Int, brokenLines: Int) {
        self.init()
        self.statistics = statistics
        self.lines = lines
        self.brokenLines = brokenLines
    }

    /// Takes one line into account; nil stands for a line that is too long.
    mutating func add(_ line: UnsafeBufferPointer<UInt8>?) -> [Complaint] {
        add(line, whole: line.flatMap(reader.launch))
    }

    /// Takes one line into account; nil stands for a line that is too long.
    ///
    /// - Parameter launch: the launch of the line, where that is a report or a crash by itself.
    /// - Returns: the mistakes that have come to light: those of a report that has broken off, and of this line.
    ///
    /// - Complexity: O(bytes) for all lines together.
    mutating func add(_ line: UnsafeBufferPointer<UInt8>?, whole launch: LaunchLine?) -> [Complaint] {
        var complaints: [Complaint] = []
        // Before the line is counted: the report that broke off ended in the line before it. A line too long to be kept ends it as well.
        if line.map({ beginsAnother($0) }) ?? true, let complaint = finish() { complaints.append(complaint) }
        lines += 1
        guard let line else {
            let count = countBroken(from: lines, to: lines)
            return complaints + [Complaint(line: lines, message: "the line is longer than 16 MiB", count: count)]
        }
        if !begun.isEmpty { return complaints + goOn(line) }
        // Most lines are a report each: they are read once.
        if let launch {
            statistics.add(launch)
            return complaints
        }
        return complaints + read(line, from: 0)
    }

    /// Adds the unfinished report at the end of the input, if there is one.
    ///
    /// - Returns: the mistake in it, if there is one.
    mutating func finish() -> Complaint? {
        if begun.isEmpty { return nil }
        let first = lines - begunLines + 1
        var bytes = begun
        (begun, begunLines, isIndented) = ([], 0, false)
        // One that has broken off spoils no blank lines.
        var last = lines
        // Blank lines behind a report that was cut are nobody's mistake.
        while let byte = bytes.last, ASCII.isWhitespace(byte) {
            if byte == ASCII.newline { last -= 1 }
            bytes.removeLast()
        }
        return bytes.withUnsafeBufferPointer { add($0, from: first, to: last) }
    }

    /// Takes the lines of another file into account, which has been read to its end; so has this one.
    mutating func merge(_ other: LinesSummary) {
        statistics.merge(other.statistics)
        lines += other.lines
        brokenLines += other.brokenLines
    }

    /// Whether the report that has been begun has broken off before this line, as far as that can be told: where no object may stand, or by its layout,
    /// or because only reports and crashes begin with their schema.
    private func beginsAnother(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        if begun.isEmpty || line.first != ASCII.openBrace { return false }
        // The tool's own layout is a brace alone at the start of a line, with indented keys below.
        return nesting.isBroken || !nesting.mayBeginObject || isIndented && line.dropFirst().allSatisfy(ASCII.isWhitespace)
            || line.dropFirst().drop(while: ASCII.isWhitespace).starts(with: Self.firstKey)
    }

    /// Reads what a line holds from `start` on; the last report in it may go on after it.
    private mutating func read(_ line: UnsafeBufferPointer<UInt8>, from start: Int) -> [Complaint] {
        var complaints: [Complaint] = []
        var offset = start
        while true {
            while offset < line.count, isBetweenReports(line[offset]) { offset += 1 }
            if offset == line.count { return complaints }
            // Anything but an object ends with its line.
            var end: Int? = line.count
            if line[offset] == ASCII.openBrace {
                nesting = JSONNesting()
                end = nesting.follow(line, from: offset)
            }
            guard let end else {
                // Blanks in place of the bytes before it: the columns of mistakes are those of the line.
                begun = [UInt8](repeating: ASCII.space, count: offset)
                begun.append(contentsOf: line[offset...])
                begunLines = 1
                return complaints
            }
            let report = UnsafeBufferPointer(rebasing: line[offset..<end])
            if let complaint = add(report, from: lines, to: lines, after: offset) { complaints.append(complaint) }
            offset = end
        }
    }

    /// Adds a line to the report that has been begun. One whose end cannot be known ends with a brace at the begin of a line.
    private mutating func goOn(_ line: UnsafeBufferPointer<UInt8>) -> [Complaint] {
        let end = nesting.isBroken ? nil : nesting.follow(line, from: 0)
        // Blank lines say nothing of the layout.
        if let first = line.first, ASCII.isWhitespace(first), !line.allSatisfy(ASCII.isWhitespace) { isIndented = true }
        begun.append(ASCII.newline)
        begun.append(contentsOf: line[..<(end ?? line.count)])
        begunLines += 1
        // The end of a broken report is guessed by its layout; the limit keeps the memory bounded.
        let isOver = end != nil || begun.count > Self.maximumBytes || nesting.isBroken && line.first == ASCII.closeBrace
        var complaints: [Complaint] = []
        if isOver, let complaint = finish() { complaints.append(complaint) }
        if let end { complaints += read(line, from: end) }
        return complaints
    }

    /// Whether the byte may stand before, between and after reports.
    private mutating func isBetweenReports(_ byte: UInt8) -> Bool {
        switch byte {
        // Brackets are counted only as far as one array goes: reports are never two levels deep.
        case ASCII.openBracket where !isInArray: isInArray = true
        case ASCII.closeBracket where isInArray: isInArray = false
        case ASCII.comma: return isInArray
        default: return ASCII.isWhitespace(byte)
        }
        return true
    }

    /// - Parameters:
    ///   - first: the number of its first line.
    ///   - last: the number of its last one.
    ///   - column: how many bytes stand before it in its first line, and not in `report`.
    private mutating func add(_ report: UnsafeBufferPointer<UInt8>, from first: Int, to last: Int, after column: Int = 0) -> Complaint? {
        do throws(JSONError) {
            if let launch = try reader.read(report) { statistics.add(launch) }
            return nil
        } catch {
            let before = report[..<min(error.offset, report.count)]
            // Lines within the report count from its own first one.
            let start = before.lastIndex(of: ASCII.newline).map { $0 + 1 } ?? -column
            let line = first + before.count { $0 == ASCII.newline }
            return Complaint(
                line: line,
                column: error.offset - start + 1,
                message: error.message,
                count: countBroken(from: first, to: last)
            )
        }
    }

    /// Counts the lines from `first` to `last` as broken, each once.
    ///
    /// - Returns: how many, 1 at least.
    private mutating func countBroken(from first: Int, to last: Int) -> Int {
        // Several mistakes in one line are one broken line.
        let count = max(last - max(first - 1, lastBroken), 0)
        brokenLines += count
        lastBroken = last
        return max(count, 1)
    }
}
