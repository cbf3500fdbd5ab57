import Sequencer

/// A place in a text as an editor shows it: both numbers count from 1, columns count Unicode scalars.
struct SourcePosition: Equatable, Sendable, CustomStringConvertible {
    let line: Int
    let column: Int

    static let start = SourcePosition(line: 1, column: 1)

    var description: String { "\(line):\(column)" }

    /// Where the byte after `bytes` stands, if the first of them stands here.
    func moved(over bytes: some Collection<UInt8>) -> SourcePosition {
        var (line, column) = (line, column)
        for byte in bytes {
            // Only line feeds: with CR LF the carriage return is the last column of its line.
            if byte == 0x0A {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                // Continuation bytes (10xxxxxx) belong to the scalar before them.
                column += 1
            }
        }
        return SourcePosition(line: line, column: column)
    }
}

/// A mistake in a file, with its place.
///
/// Its description is one line: `regular.json:12:9: operations[3].timeoutMS: unknown key 'timeoutMS'; did you mean
/// 'timeout'?`
struct ScenarioError: Error, Equatable, CustomStringConvertible {
    /// The name of the file in messages; empty until the reader of the file gives it.
    var file = ""
    var position = SourcePosition.start
    /// The way from the top of the file to the value, `operations[3].retry`; empty for the top and for broken JSON.
    var path = ""
    let message: String

    var description: String {
        let place = "\(printable(file)):\(position): "
        return path.isEmpty ? place + message : place + path + ": " + message
    }

    /// The same mistake in a text that begins at this place of the file.
    func moved(by start: SourcePosition) -> ScenarioError {
        let column = position.line == 1 ? start.column + position.column - 1 : position.column
        let place = SourcePosition(line: start.line + position.line - 1, column: column)
        return ScenarioError(file: file, position: place, path: path, message: message)
    }
}

extension ScenarioError {
    /// - Parameter error: any other error than a mistake is about the file as a whole.
    init(_ error: any Error, file: String) {
        self = error as? ScenarioError ?? ScenarioError(message: "\(error)")
        self.file = file
    }
}

/// The way from the top of a JSON text to one of its values.
///
/// A chain that shares its beginning, and is only spelled out for a message: a file has many more values than
/// complaints.
indirect enum JSONPath: CustomStringConvertible, Sendable {
    case root
    case key(String, of: JSONPath)
    case element(Int, of: JSONPath)

    var description: String {
        switch self {
        case .root: ""
        case .element(let index, let parent): "\(parent)[\(index)]"
        // A key at the top has no dot before it.
        case .key(let key, .root) where JSONPath.isPlain(key): key
        case .key(let key, let parent): JSONPath.isPlain(key) ? "\(parent).\(key)" : "\(parent)[\(quoted(key))]"
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        // Anything else is quoted, so that a dot in a key does not look like a level.
        1...64 ~= key.utf8.count && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
