import Sequencer

/// Reads a log of Ninja, version 5 to 7: the commands of its last build, by `start TAB end TAB mtime TAB output TAB hash`, in milliseconds.
///
/// A line that ends before the one before it belongs to the next build. Outputs of one command are one operation. A log has neither
/// dependencies nor processes: lanes are those that as many processes at a time need. When a log has grown, Ninja writes it anew, without
/// order. Builds can then not be told apart: import after a build from scratch.
func readNinjaLog(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONFault) -> ImportedLaunch {
    var launch = ImportedLaunch(name: "ninja")
    var places: [NinjaCommand: (node: Int, more: Int)] = [:]
    var lastEnd: Nanoseconds = 0
    var lines = LogLines(bytes)
    // Text, not JSON: the file's first line says its version.
    guard let head = lines.next(), let version = lines.text(head, after: "# ninja log v").flatMap({ Int($0) }) else {
        throw JSONFault(0, .mistake("expected '# ninja log v5' to '# ninja log v7' in the first line"))
    }
    guard 5...7 ~= version else { throw JSONFault(0, .mistake("version \(version) of a log of Ninja is not known; expected 5 to 7")) }
    while let line = lines.next() {
        if line.isEmpty || bytes[line.lowerBound] == UInt8(ascii: "#") { continue }
        let fields = lines.fields(line)
        guard fields.count == 5 else {
            // The last line of a build that was killed.
            if line.upperBound == bytes.count { break }
            throw JSONFault(line.lowerBound, .mistake("expected 5 fields with tabs between them, found \(fields.count)"))
        }
        let start = try lines.milliseconds(fields[0], "start")
        let end = try lines.milliseconds(fields[1], "end")
        if end < start { throw JSONFault(fields[1].lowerBound, .mistake("the end is before the start")) }
        // A path that is not UTF-8 cannot be shown, and not be written as JSON.
        guard let output = String(validating: bytes[fields[3]], as: UTF8.self) else {
            throw JSONTokenizer(bytes).notUTF8(in: fields[3])
        }
        // Ninja appends, and the times of each build count from its own begin: an earlier end is the next build.
        if end < lastEnd {
            launch.operations = []
            places = [:]
        }
        lastEnd = end
        // Each output of a command has a line with its hash and its times.
        let command = NinjaCommand(start: start, end: end, hash: String(decoding: bytes[fields[4]], as: UTF8.self))
        if let (node, more) = places[command] {
            places[command] = (node, more + 1)
            // The first output names the command; the title says how many there are.
            launch.operations[node].details = .init(title: "\(launch.operations[node].name) and \(more + 1) more")
            continue
        }
        if launch.operations.count == ImportedLaunch.operationLimit { throw tooManyOperations(line.lowerBound) }
        places[command] = (launch.operations.count, 0)
        launch.operations.append(ImportedOperation(name: output, start: start, end: end))
    }
    // Ninja counts from the start of the build.
    launch.begin = 0
    launch.reconstructLanes()
    return launch
}

func tooManyOperations(_ offset: Int) -> JSONFault {
    JSONFault(offset, .mistake("more than \(ImportedLaunch.operationLimit) operations"))
}

/// Its outputs have a line each.
private struct NinjaCommand: Hashable {
    let start: Nanoseconds
    let end: Nanoseconds
    let hash: String
}

/// The lines of a text, as places in it.
private struct LogLines {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The next line without its line break; nil at the end.
    mutating func next() -> Range<Int>? {
        if offset >= bytes.count { return nil }
        let start = offset
        var end = start
        while end < bytes.count, bytes[end] != 0x0A { end += 1 }
        offset = end + 1
        // Windows ends lines with CR LF.
        if end < bytes.count, end > start, bytes[end - 1] == 0x0D { return start..<end - 1 }
        return start..<end
    }

    func fields(_ line: Range<Int>) -> [Range<Int>] {
        var fields: [Range<Int>] = []
        var start = line.lowerBound
        for place in line where bytes[place] == 0x09 {
            // A sixth field is as wrong as a million.
            if fields.count == 5 { break }
            fields.append(start..<place)
            start = place + 1
        }
        return fields + [start..<line.upperBound]
    }

    func text(_ line: Range<Int>, after head: String) -> String? {
        guard bytes[line].starts(with: head.utf8) else { return nil }
        return String(decoding: bytes[line].dropFirst(head.utf8.count), as: UTF8.self)
    }

    func milliseconds(_ field: Range<Int>, _ name: String) throws(JSONFault) -> Nanoseconds {
        // Longer than any number that is allowed, and no longer, for it is shown.
        let text = String(decoding: bytes[field].prefix(32), as: UTF8.self)
        // A hundred years.
        guard let value = Int64(text), 0...3_000_000_000_000 ~= value else {
            throw JSONFault(field.lowerBound, .mistake("expected the \(name) in whole milliseconds, found \(quoted(text))"))
        }
        return value * 1_000_000
    }
}
