import Sequencer

/// What is wrong with a scenario file, and where.
///
/// Its description is one line: `regular.json:12:9: operations[3].timeoutMS: unknown key 'timeoutMS'; did you mean 'timeout'?`
struct ScenarioError: Error, Equatable, CustomStringConvertible {
    let file: String
    let position: SourcePosition
    /// The way from the top of the file to the value, `operations[3].retry`; empty for the top and for broken JSON.
    let path: String
    let message: String

    var description: String {
        let place = "\(printable(file)):\(position): "
        return path.isEmpty ? place + message : place + path + ": " + message
    }
}

/// A complaint about one value of a parsed file, before the file's name and its line are known.
struct ScenarioFault: Error {
    let offset: Int
    let path: JSONPath
    let message: String
}

/// The way from the top of a JSON text to one of its values.
///
/// A chain that shares its beginning, and is only spelled out for a message: a file has many more values than complaints.
indirect enum JSONPath: CustomStringConvertible, Sendable {
    case root
    case key(String, of: JSONPath)
    case element(Int, of: JSONPath)

    var description: String {
        switch self {
        case .root: ""
        case .element(let index, let parent): "\(parent)[\(index)]"
        case .key(let key, .root) where JSONPath.isPlain(key): key
        case .key(let key, let parent): JSONPath.isPlain(key) ? "\(parent).\(key)" : "\(parent)[\(quoted(key))]"
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        1...64 ~= key.utf8.count && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
    }
}
