import Dispatch
import Foundation
import Sequencer
import StartupNetworking

/// The log of an SDK: from a level upwards, without credentials, and without ever making a caller wait.
///
/// Messages go to the writer one by one, on the log's own serial queue. While the writer is slow at most `capacity` of
/// them wait; later messages are dropped, and the writer is told how many were.
public final class SDKLog: Sendable {
    private struct State {
        var waiting = 0
        var dropped = 0
        var secrets: SpelledSecrets
    }

    /// How many messages wait for a slow writer at most.
    static let capacity = 256

    /// The lowest level of a message that is written; ``SDKLogLevel/off`` for none.
    let level: SDKLogLevel
    private let writer: any SDKLogWriter
    private let queue = DispatchQueue(label: "startup.sdk-log")
    private let state: Locked<State>

    /// A log of messages of `level` and above.
    ///
    /// - Parameters:
    ///   - isEnabled: whether anything is written at all.
    ///   - writer: nil for standard error.
    ///   - id: the app's identifier, which it keeps to itself as it does the `secret`.
    init(isEnabled: Bool, level: SDKLogLevel, writer: (any SDKLogWriter)? = nil, id: Secret? = nil, secret: Secret? = nil) {
        self.level = isEnabled ? level : .off
        self.writer = writer ?? StandardErrorWriter()
        let parts = [id, secret].compactMap { $0?.value }
        // Both together, too, as basic authentication joins them before base64 (RFC 7617, section 2).
        state = Locked(State(secrets: SpelledSecrets(parts + [parts.joined(separator: ":")])))
    }

    /// Whether a message of this level is written.
    func writes(_ level: SDKLogLevel) -> Bool { level != .off && self.level != .off && level.rawValue >= self.level.rawValue }

    /// Keeps a secret out of every message from now on, as tokens that the process has been given are: as it is,
    /// percent-encoded and in base64.
    func redact(_ secret: Secret) { state.withLock { $0.secrets.add(secret.value) } }

    /// Writes a message, when its level asks for that. Returns at once; the message is not even made when it is not
    /// written.
    public func write(_ level: SDKLogLevel, _ tag: String, _ message: @autoclosure () -> String) {
        guard writes(level) else { return }
        // Copied: to look for secrets takes time, and must not hold the lock that every message takes.
        var secrets = state.withLock { $0.secrets }
        for secret in KnownSecrets.all { secrets.add(secret) }
        // Secrets go before the message waits anywhere.
        let (tag, message) = (secrets.cut(from: tag), secrets.cut(from: message()))
        let hasRoom = state.withLock { state in
            if state.waiting >= Self.capacity {
                state.dropped += 1
                return false
            }
            state.waiting += 1
            return true
        }
        if hasRoom { queue.async { self.hand(level, tag, message) } }
    }

    /// Returns when all that has been written so far has been given to the writer.
    func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func hand(_ level: SDKLogLevel, _ tag: String, _ message: String) {
        // A message that the writer cannot write is lost, and nothing else.
        try? writer.write(level, tag: tag, message: message)
        let dropped = state.withLock { state in
            state.waiting -= 1
            return exchange(&state.dropped, with: 0)
        }
        if dropped > 0 { write(.warn, "SDKLog", "\(dropped) messages were dropped: the log writer does not keep up") }
    }
}

/// Writes to standard error, a line a message.
private final class StandardErrorWriter: SDKLogWriter {
    func write(_ level: SDKLogLevel, tag: String, message: String) throws {
        try FileHandle.standardError.write(contentsOf: Data("\(level) \(printable(tag)): \(printable(message))\n".utf8))
    }
}

/// How important a message is, or how important one has to be in order to be written.
public enum SDKLogLevel: Int, NamedValue, Sendable, Hashable, CaseIterable, Codable {
    /// Everything, step by step.
    case verbose
    /// Details that help to find a mistake.
    case debug
    /// An event of normal use.
    case info
    /// A possible mistake.
    case warn
    /// A failure.
    case error
    /// A failure that must never happen.
    case assert
    /// Nothing is written.
    case off

    /// The level's name, in capitals.
    package var name: String { ["VERBOSE", "DEBUG", "INFO", "WARN", "ERROR", "ASSERT", "OFF"][rawValue] }
}

/// Takes an SDK's messages to where they are kept.
///
/// Messages come one at a time, on a queue that nothing else waits for. A writer that throws loses that message; a
/// writer that blocks loses the messages that arrive while too many are waiting.
public protocol SDKLogWriter: AnyObject, Sendable {
    /// Writes one message, which holds no secrets.
    func write(_ level: SDKLogLevel, tag: String, message: String) throws
}
