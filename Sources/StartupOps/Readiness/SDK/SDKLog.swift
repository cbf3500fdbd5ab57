import Dispatch
import Foundation
import Sequencer

/// What an SDK writes down of itself: from a level upwards, without credentials, and without ever making anyone wait.
///
/// Messages go to the writer one by one, on a serial queue of the log's own. While the writer is slow at most ``capacity`` of them wait; what
/// comes then is dropped, and the writer is told how many were.
public final class SDKLog: Sendable {
    private struct Entry: Sendable {
        let level: SDKLogLevel
        let tag: String
        let message: String
    }

    private struct State {
        var waiting: [Entry] = []
        var isWriting = false
        var dropped = 0
        var droppedInAll = 0
        var failures = 0
        var redaction = SDKRedaction()
    }

    /// How many messages wait for a slow writer at most.
    public static let capacity = 256

    /// What a message has to be at least to be written; ``SDKLogLevel/off`` when nothing is.
    public let level: SDKLogLevel
    private let writer: any SDKLogWriter
    private let queue = DispatchQueue(label: "startup.sdk-log")
    private let state = Locked(State())

    /// A log of messages of `level` and above.
    ///
    /// - Parameters:
    ///   - isEnabled: whether anything is written at all, whatever the level.
    ///   - writer: nil for standard error.
    public init(isEnabled: Bool, level: SDKLogLevel, writer: (any SDKLogWriter)? = nil) {
        self.level = isEnabled ? level : .off
        self.writer = writer ?? StandardErrorWriter()
    }

    /// How many messages were dropped because the writer was too slow, and how many it failed to write.
    public var losses: (dropped: Int, failed: Int) { state.withLock { ($0.droppedInAll, $0.failures) } }

    /// Whether a message of this level is written.
    public func writes(_ level: SDKLogLevel) -> Bool { level != .off && self.level != .off && level >= self.level }

    /// Keeps a secret out of every message from now on.
    public func redact(_ secret: Secret) { state.withLock { $0.redaction.add(secret.value) } }

    /// Writes a message, when its level asks for that. Returns at once; the message is not even made when it is not written.
    public func write(_ level: SDKLogLevel, _ tag: String, _ message: @autoclosure () -> String) {
        guard writes(level) else { return }
        let redaction = state.withLock { $0.redaction }
        // Secrets go before the message waits anywhere.
        let entry = Entry(level: level, tag: redaction(tag), message: redaction(message()))
        let hasToBegin = state.withLock { state in
            guard state.waiting.count < Self.capacity else {
                state.dropped += 1
                state.droppedInAll += 1
                return false
            }
            state.waiting.append(entry)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if hasToBegin { queue.async { self.drain() } }
    }

    /// Returns when all that has been written so far has been given to the writer.
    package func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func drain() {
        while let entries = state.withLock({ takeAll(&$0) }) {
            for entry in entries {
                do {
                    try writer.write(entry.level, tag: entry.tag, message: entry.message)
                } catch {
                    state.withLock { $0.failures += 1 }
                }
            }
        }
    }

    private func takeAll(_ state: inout State) -> [Entry]? {
        guard !state.waiting.isEmpty else {
            state.isWriting = false
            return nil
        }
        var entries = state.waiting
        state.waiting = []
        if state.dropped > 0 {
            let message = "\(state.dropped) messages were dropped here: the log writer does not keep up"
            if writes(.warn) { entries.append(Entry(level: .warn, tag: "SDKLog", message: message)) }
            state.dropped = 0
        }
        return entries
    }
}

/// Writes to standard error, a line a message.
private final class StandardErrorWriter: SDKLogWriter {
    func write(_ level: SDKLogLevel, tag: String, message: String) throws {
        try FileHandle.standardError.write(contentsOf: Data("\(level) \(printable(tag)): \(printable(message))\n".utf8))
    }
}
