import Foundation
import Sequencer

/// Asks the user for lines, one question at a time.
///
/// Nothing blocks: a separate thread reads each question. Text that is typed before or after it stays in the
/// terminal, for the next question or for another program. A question whose task is cancelled ends at once, and its
/// half-typed answer is dropped. The terminal edits lines (Backspace, Ctrl-U) and shows them.
///
/// ```swift
/// let line = await input.line { Terminal.standardError.write("Name: ") }
/// ```
final class TerminalInput: Sendable {
    /// The most bytes of a line: as many as a terminal lets the user type.
    private static let limit = 4096

    private let descriptor: Int32
    /// The bytes after the last line that was read: a terminal gives one line at a time, unless another program has set
    /// it otherwise.
    private let rest = Locked<[UInt8]>([])

    /// - Parameter descriptor: of a terminal; of anything else that can be polled, lines are read too.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// - Returns: nil when the descriptor does not belong to a terminal.
    convenience init?(terminalOf descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        self.init(descriptor: descriptor)
    }

    /// The terminal that is read.
    var terminal: Terminal { Terminal(descriptor: descriptor) }

    /// Asks for a line. The question before must have ended.
    ///
    /// - Parameters:
    ///   - isSecret: whether typed text is hidden, apart from the end of the line. If it cannot be hidden, the secret
    ///     is not asked for, which counts as dismissed.
    ///   - prompt: shows the question. From then on, nothing that is secret is shown.
    /// - Returns: the line without its end, or why it is dropped; nil where it is dismissed: the input ended (Ctrl-D,
    ///     or the terminal is gone), or the task was cancelled.
    func line(isSecret: Bool = false, prompt: () -> Void = {}) async -> Reading<String>? {
        // `poll` ignores a negative descriptor, so its question would wait for ever.
        guard descriptor >= 0, !Task.isCancelled else { return nil }
        // Before the prompt: it is the sign that typed text is hidden.
        if isSecret, !TerminalModes.hideTyping(on: descriptor) { return nil }
        // However the question ends: answered, cancelled or given up by the reader.
        defer { if isSecret { TerminalModes.showTyping(on: descriptor) } }
        prompt()
        return try? await onThread { self.read($0) }
    }

    /// Reads a line, unless the question is withdrawn before.
    private func read(_ isCancelled: () -> Bool) -> Reading<String>? {
        var line = rest.withLock { $0 }
        rest.withLock { $0 = [] }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                rest.withLock { $0 = Array(line[(end + 1)...]) }
                return Self.reading(line[..<end])
            }
            // The end of a line that is too long does not count as a line.
            line = Array(line.prefix(Self.limit + 1))
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // The user does not see the time after which a question that was withdrawn is gone.
            let isReady = poll(&request, 1, 20) > 0
            if isCancelled() {
                // Half a password must not become the beginning of another answer, or of a command once the tool has
                // ended.
                tcflush(descriptor, TCIFLUSH)
                return nil
            }
            guard isReady else { continue }
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // Ctrl-D, or a terminal that is gone. After half a line Ctrl-D sends that half, as terminals do.
            if count <= 0 { return line.isEmpty ? nil : Self.reading(line[...]) }
            line += buffer[..<count]
        }
    }

    /// - Parameter bytes: a line without its line feed; a carriage return before that is dropped, too.
    private static func reading(_ bytes: ArraySlice<UInt8>) -> Reading<String> {
        if bytes.count > limit { return .nonsense("That is too long.") }
        // Pipes of other systems end lines with CR LF; a terminal has turned it into a line feed.
        let line = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        return String(validUTF8: line).map(Reading.answer) ?? .nonsense("That is not text in UTF-8.")
    }
}

/// The meaning of what the user typed.
enum Reading<Answer> {
    case answer(Answer)
    /// The reason why it is not an answer, in one sentence.
    case nonsense(String)

    var isNonsense: Bool { if case .nonsense = self { true } else { false } }
}

extension Reading: Sendable where Answer: Sendable {}
extension Reading: Equatable where Answer: Equatable {}
