import Dispatch
import Foundation
import Sequencer
import StartupNetworking

/// The log of an SDK: from a level upwards, without credentials, and without ever making a caller wait.
///
/// Messages go to the writer one by one, on a serial queue of the log's own. While the writer is slow at most `capacity` of them wait; what
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
    static let capacity = 256

    /// The lowest level of a message that is written; ``SDKLogLevel/off`` for none.
    package let level: SDKLogLevel
    private let writer: any SDKLogWriter
    private let queue = DispatchQueue(label: "startup.sdk-log")
    private let state = Locked(State())

    /// A log of messages of `level` and above.
    ///
    /// - Parameters:
    ///   - isEnabled: whether anything is written at all.
    ///   - writer: nil for standard error.
    init(isEnabled: Bool, level: SDKLogLevel, writer: (any SDKLogWriter)? = nil) {
        self.level = isEnabled ? level : .off
        self.writer = writer ?? StandardErrorWriter()
    }

    /// How many messages were dropped because the writer was too slow, and how many it failed to write.
    var losses: (dropped: Int, failed: Int) { state.withLock { ($0.droppedInAll, $0.failures) } }

    /// Whether a message of this level is written.
    func writes(_ level: SDKLogLevel) -> Bool { level != .off && self.level != .off && level.rawValue >= self.level.rawValue }

    /// Keeps a secret out of every message from now on.
    func redact(_ secret: Secret) { state.withLock { $0.redaction.add(secret.value) } }

    /// Writes a message, when its level asks for that. Returns at once; the message is not even made when it is not written.
    public func write(_ level: SDKLogLevel, _ tag: String, _ message: @autoclosure () -> String) {
        guard writes(level) else { return }
        // Copied: redacting takes time, and must not hold the lock that every message takes.
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
            // Set by the first message, and taken back under the same lock by the queue that found nothing.
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if hasToBegin { queue.async { self.drain() } }
    }

    /// Returns when all that has been written so far has been given to the writer.
    func flush() async {
        // Behind `drain()`, which ends only when nothing waits.
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
            // With the messages that came before: it stands where the others would.
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
    package var name: String {
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
}

/// Takes an SDK's messages to where they are kept.
///
/// One message comes at a time, on a queue that nothing else waits for. A writer that throws loses that message; one that blocks loses those that
/// come while too many are waiting already.
public protocol SDKLogWriter: AnyObject, Sendable {
    /// Writes one message, which holds no secrets.
    func write(_ level: SDKLogLevel, tag: String, message: String) throws
}

/// Takes secrets out of texts: known ones, in each spelling that requests and services use, and what looks like a token.
struct SDKRedaction: Sendable {
    static let replacement = "<redacted>"
    private var secrets = SpelledSecrets()

    /// Takes `secret` out from now on: as it is, percent-encoded, and in base64.
    mutating func add(_ secret: String) { secrets.add(secret) }

    /// The text without secrets.
    func callAsFunction(_ text: String) -> String { Self.withoutTokens(withoutSecrets(text)) }

    private func withoutSecrets(_ text: String) -> String {
        // Bytes: a combining mark makes another character of the one before it, and so would hide the secret.
        let bytes = Array(text.utf8)
        var (result, end): ([UInt8], Int) = ([], 0)
        for place in secrets.places(in: bytes) {
            if place.lowerBound >= end { result += bytes[end..<place.lowerBound] + Array(Self.replacement.utf8) }
            end = max(end, place.upperBound)
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// The text after `Bearer` or `Basic` goes, and so does a word from where a JSON web token begins in it (three parts in base64url that begin as JSON objects do).
    private static func withoutTokens(_ text: String) -> String {
        var result = ""
        var word = ""
        var previous = ""
        func flush() {
            guard !word.isEmpty else { return }
            // Twelve characters: "basic training" is not a credential.
            let isCredential = ["bearer", "basic"].contains { previous.lowercased().hasSuffix($0) } && word.utf8.count >= 12
            // Anywhere in the word: a name with `=`, or a part of a path, may stand before it.
            let token = word.range(of: "eyJ").map { word[$0.lowerBound...] } ?? ""
            let isToken = token.utf8.filter { $0 == UInt8(ascii: ".") }.count >= 2
            result += isCredential ? replacement : isToken ? "\(word.dropLast(token.count))\(replacement)" : word
            previous = word
            word = ""
        }
        for scalar in text.unicodeScalars {
            if isTokenCharacter(scalar) {
                word.unicodeScalars.append(scalar)
            } else {
                flush()
                // Anything but a blank between the two words means that they do not belong together.
                if scalar != " " { previous = "" }
                result.unicodeScalars.append(scalar)
            }
        }
        flush()
        return result
    }

    /// The characters of a token68 (RFC 9110, section 11.2).
    private static func isTokenCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~", "+", "/", "=": true
        default: false
        }
    }
}
