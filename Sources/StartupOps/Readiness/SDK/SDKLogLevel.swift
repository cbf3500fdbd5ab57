/// How important a message is, or how important one has to be in order to be written.
public enum SDKLogLevel: Int, Sendable, Hashable, Comparable, CaseIterable, Codable, CustomStringConvertible {
    /// Everything, step by step.
    case verbose
    /// What helps to find a mistake.
    case debug
    /// What happens in normal use.
    case info
    /// What may be a mistake.
    case warn
    /// What went wrong.
    case error
    /// What must never happen.
    case assert
    /// Nothing is written.
    case off

    /// The level's name, in capitals.
    public var description: String {
        switch self {
        case .verbose: "VERBOSE"
        case .debug: "DEBUG"
        case .info: "INFO"
        case .warn: "WARN"
        case .error: "ERROR"
        case .assert: "ASSERT"
        case .off: "OFF"
        }
    }

    /// Orders by importance.
    public static func < (left: SDKLogLevel, right: SDKLogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// Takes an SDK's messages to where they are kept.
///
/// One message comes at a time, on a queue that nothing else waits for. A writer that throws loses that message; one that blocks loses those that
/// come while too many are waiting already.
public protocol SDKLogWriter: AnyObject, Sendable {
    /// Writes one message. There are no secrets in it.
    func write(_ level: SDKLogLevel, tag: String, message: String) throws
}
