import Sequencer

/// How a launch ended, as far as its journal says.
public enum LaunchEnding: Sendable, Hashable {
    /// It came to its end, and nothing stopped it.
    case completed
    /// An operation stopped it on purpose.
    case aborted(by: String, reason: String)
    /// It failed; in which operation, if that was written down.
    case failed(in: String?)
    /// The person, or the app in the person's name, ended it; with the operations that were asking the person something.
    case quit(asking: [String])
    /// The process died; with the operations that were in progress, the one that started last first. None: it died before, between or after them.
    case crashed(in: [String])
    /// The process was ended while nothing had made progress for a while; with the operations that were in progress, as above.
    case hung(in: [String])
    /// It goes on.
    case running
    /// The journal does not say: nobody waited for the launch, so the system may have ended it, or its beginning cannot be read.
    case unknown

    /// Whether the launch did not end by itself, and nobody wanted it to end.
    public var isDeath: Bool {
        switch self {
        case .crashed, .hung: true
        default: false
        }
    }

    /// The operations that may have been the end of it.
    public var suspects: [String] {
        switch self {
        case .crashed(let operations), .hung(let operations): operations
        default: []
        }
    }

    /// One word, for documents.
    public var name: String {
        switch self {
        case .completed: "completed"
        case .aborted: "aborted"
        case .failed: "failed"
        case .quit: "quit"
        case .crashed: "crashed"
        case .hung: "hung"
        case .running: "running"
        case .unknown: "unknown"
        }
    }
}

extension LaunchEnding: CustomStringConvertible {
    /// A few words: `crashed in login`, or `crashed in login or splash` when both were in progress.
    public var description: String {
        switch self {
        case .completed, .running: name
        case .aborted(let operation, let reason): "aborted by \(printable(operation, limit: 80)) (\(printable(reason, limit: 80)))"
        case .failed(let operation): operation.map { "failed in \(printable($0, limit: 80))" } ?? name
        case .quit(let operations): operations.isEmpty ? "quit" : "quit while \(Self.list(operations)) asked"
        case .crashed(let operations): "crashed " + Self.place(operations)
        case .hung(let operations): "hung " + Self.place(operations)
        case .unknown: "it cannot be told how"
        }
    }

    private static func place(_ operations: [String]) -> String {
        operations.isEmpty ? "outside of any operation" : "in \(list(operations, "or"))"
    }

    /// `a, b and c`; of many, the first few.
    static func list(_ operations: [String], _ conjunction: String = "and") -> String {
        let most = 5
        var names = operations.prefix(most).map { printable($0, limit: 80) }
        if operations.count > most { names.append("\(operations.count - most) more") }
        guard let last = names.popLast() else { return "nothing" }
        return names.isEmpty ? last : names.joined(separator: ", ") + " \(conjunction) " + last
    }
}
