import Foundation
import Sequencer

/// Reads a terminal on a thread of its own, and only while a question waits: text that is typed in between stays where it is, for the next
/// question or for another program.
///
/// The thread begins with the first question and ends with ``close()``.
final class TerminalReader: Sendable {
    private struct State {
        var machine: TerminalInputStateMachine
        /// Of the machine's question.
        var continuation: CheckedContinuation<TerminalLine, Never>?
        /// The descriptor to write a byte to, to wake the thread; nil without a thread.
        var bell: Int32?
        var isClosed = false

        mutating func takeContinuation() -> CheckedContinuation<TerminalLine, Never>? {
            defer { continuation = nil }
            return continuation
        }
    }

    private enum Wish {
        case wait, read, end
    }

    let descriptor: Int32
    private let ownsDescriptor: Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - ownsDescriptor: whether to close it at the end.
    ///   - lineLimit: the most bytes of a line.
    init(descriptor: Int32, ownsDescriptor: Bool, lineLimit: Int) {
        self.descriptor = descriptor
        self.ownsDescriptor = ownsDescriptor
        state = Locked(State(machine: TerminalInputStateMachine(lineLimit: lineLimit)))
    }

    func makeQuestion() -> Int {
        state.withLock { $0.machine.makeQuestion() }
    }

    /// Reads a line for the question, which must be the only one.
    func ask(_ question: Int, _ continuation: CheckedContinuation<TerminalLine, Never>) {
        // `poll` ignores a negative descriptor, so its question would wait for ever.
        guard descriptor >= 0, hasThread() else { return continuation.resume(returning: .dismissed) }
        let line = state.withLock { state in
            let line = state.machine.ask(question)
            if line == nil { state.continuation = continuation }
            return line
        }
        // Without a line the thread has to be told that there is a descriptor to look at.
        if let line { continuation.resume(returning: line) } else { ring() }
    }

    /// Gives the question up, if it still waits, and drops its half-typed answer.
    func abandon(_ question: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<TerminalLine, Never>? in
            guard state.machine.abandon(question) else { return nil }
            // Half a password must not become the beginning of another answer, or of a command once the tool has ended. Under the lock:
            // the thread relies on what `poll` has told it.
            tcflush(descriptor, TCIFLUSH)
            return state.takeContinuation()
        }
        continuation?.resume(returning: .dismissed)
        // The thread would go on polling the descriptor otherwise.
        ring()
    }

    /// Ends the thread. No question may wait or come later.
    func close() {
        let hasThread = state.withLock { state in
            state.isClosed = true
            return state.bell != nil
        }
        // Without a thread nobody else would close it.
        if hasThread { ring() } else { closeDescriptor() }
    }

    private func closeDescriptor() {
        if ownsDescriptor { Foundation.close(descriptor) }
    }

    /// Wakes the thread. The bell cannot be full: for each question it is rung three times at most.
    private func ring() {
        state.withLock { state in
            // Under the lock, as the pipe is closed after it.
            if let bell = state.bell { _ = write(bell, "!", 1) }
        }
    }

    // MARK: The thread

    /// Begins the thread, unless there is one.
    ///
    /// - Returns: false where the system has no descriptors or no threads left.
    private func hasThread() -> Bool {
        // Asked apart from starting one: only one question at a time gets here.
        if state.withLock({ $0.bell != nil }) { return true }
        guard let bell = try? makePipe(for: "") else { return false }
        // Before the thread begins: it may end at once, and takes this away.
        state.withLock { $0.bell = bell.writing }
        if (try? startThread { self.run(bell: bell.reading) }) != nil { return true }
        state.withLock { $0.bell = nil }
        Foundation.close(bell.writing)
        Foundation.close(bell.reading)
        return false
    }

    private func run(bell: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // By the state alone: the bell says only that something has changed.
            let wish = state.withLock { $0.isClosed ? Wish.end : $0.machine.question == nil ? .wait : .read }
            if wish == .end { break }
            // A negative descriptor is left out.
            var requests = [bell, wish == .read ? descriptor : -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Interrupted by a signal: nothing in the requests counts.
            if poll(&requests, 2, -1) < 0 { continue }
            // All of the rings at once: each only says to look.
            if requests[0].revents != 0 { _ = read(bell, &buffer, buffer.count) }
            // Errors too: a terminal that is gone is read as ended.
            if requests[1].revents != 0 { readOnce(&buffer) }
        }
        // The number is taken away before it is closed: another file may get it.
        let writing = state.withLock { state in
            defer { state.bell = nil }
            return state.bell
        }
        if let writing { Foundation.close(writing) }
        Foundation.close(bell)
        closeDescriptor()
    }

    /// Reads once, unless the question has been given up meanwhile.
    private func readOnce(_ buffer: inout [UInt8]) {
        let (continuation, line) = state.withLock { state -> (CheckedContinuation<TerminalLine, Never>?, TerminalLine) in
            guard state.machine.question != nil else { return (nil, .dismissed) }
            // Under the lock, so that nothing is read for one question and given to the next. It does not wait: something is there.
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 0) > 0 else { return (nil, .dismissed) }
            // A hang-up alone has nothing to read.
            let isReadable = request.revents & Int16(POLLIN) != 0
            let count = isReadable ? read(descriptor, &buffer, buffer.count) : 0
            // Nothing has come after all; the question still waits.
            if count < 0, errno == EINTR || errno == EAGAIN { return (nil, .dismissed) }
            guard let line = count > 0 ? state.machine.received(buffer[..<count]) : state.machine.ended() else { return (nil, .dismissed) }
            return (state.takeContinuation(), line)
        }
        continuation?.resume(returning: line)
    }
}
