import Foundation
import Sequencer

/// Asks a person for lines.
///
/// Nothing blocks: a thread of its own reads, and only while somebody asks. Questions that come at once are asked one after the other. A
/// question whose task is cancelled ends at once, and its half-typed answer is dropped. The terminal edits lines (Backspace,
/// Ctrl-U) and shows them.
///
/// ```swift
/// let line = await input.line { Terminal.standardError.write("Name: ") }
/// ```
final class TerminalInput: Sendable {
    /// The most bytes of a line: as many as a terminal lets a person type.
    static let lineLimit = 4096

    private let reader: TerminalReader
    private let turns = Turns()

    /// - Parameters:
    ///   - descriptor: of a terminal; of anything else that can be polled, lines are read too.
    ///   - ownsDescriptor: whether it is closed when nobody asks any more.
    init(descriptor: Int32, ownsDescriptor: Bool = false, lineLimit: Int = TerminalInput.lineLimit) {
        reader = TerminalReader(descriptor: descriptor, ownsDescriptor: ownsDescriptor, lineLimit: lineLimit)
    }

    /// The terminal behind a descriptor, which is opened anew where possible: reading without blocking must not change how others read.
    ///
    /// - Returns: nil when the descriptor does not belong to a terminal.
    convenience init?(terminalOf descriptor: Int32) {
        guard isatty(descriptor) == 1 else { return nil }
        // A new description of the terminal: O_NONBLOCK belongs to the description, which the shell shares.
        if let own = reopened(descriptor) {
            self.init(descriptor: own, ownsDescriptor: true)
        } else {
            self.init(descriptor: descriptor)
        }
    }

    deinit {
        // The thread ends by itself: it may be in `poll` at this moment.
        reader.close()
    }

    /// The terminal that is read.
    var terminal: Terminal { Terminal(descriptor: reader.descriptor) }

    /// Asks for a line.
    ///
    /// - Parameters:
    ///   - isSecret: whether typed text is hidden, apart from the end of the line. A secret is not asked for where it would be
    ///     seen all the same: that counts as dismissed.
    ///   - prompt: shows the question; called when it is this question's turn. From then on, nothing that is secret is shown.
    func line(isSecret: Bool = false, prompt: () -> Void = {}) async -> TerminalLine {
        // Cancelled while it waited in line: the turn went to the next one already.
        guard await turns.take() else { return .dismissed }
        defer { turns.give() }
        if Task.isCancelled { return .dismissed }
        // Before the prompt: it is the sign that typed text is hidden.
        if isSecret, !TerminalEcho.hide(reader.descriptor) { return .dismissed }
        // However the question ends: answered, cancelled or given up by the reader.
        defer { if isSecret { TerminalEcho.restore(reader.descriptor) } }
        prompt()
        // Before the handler is set, so that it has a number to give up.
        let question = reader.makeQuestion()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                reader.ask(question, continuation)
                // A cancellation that came before the question was asked has given nothing up.
                if Task.isCancelled { reader.abandon(question) }
            }
        } onCancel: {
            reader.abandon(question)
        }
    }
}

/// A descriptor of its own for the same terminal, which does not block; nil where the terminal's name leads elsewhere, or nowhere, as it does
/// in some containers.
private func reopened(_ descriptor: Int32) -> Int32? {
    var name = [CChar](repeating: 0, count: 1024)
    guard ttyname_r(descriptor, &name, name.count) == 0 else { return nil }
    // No controlling terminal, should the process have none.
    let own = open(name, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    if own < 0 { return nil }
    var (old, new) = (stat(), stat())
    if fstat(descriptor, &old) == 0, fstat(own, &new) == 0, old.st_rdev == new.st_rdev { return own }
    close(own)
    return nil
}

/// Lets one task at a time go on, in the order in which they came.
final class Turns: Sendable {
    private struct State {
        var isTaken = false
        var tickets = 0
        var waiters: [(ticket: Int, turn: CheckedContinuation<Bool, Never>)] = []
    }

    private let state = Locked(State())

    /// Waits for the turn, which ``give()`` ends.
    ///
    /// - Parameter isPatient: whether to wait on although the task is cancelled.
    /// - Returns: false, without a turn, when the task is cancelled before.
    func take(isPatient: Bool = false) async -> Bool {
        if isPatient { return await wait(nextTicket()) }
        if Task.isCancelled { return false }
        let ticket = nextTicket()
        return await withTaskCancellationHandler {
            await wait(ticket, unless: { Task.isCancelled })
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// Ends the turn; the task that waits longest has the next one.
    func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().turn
        }
        // Outside the lock: the next one may run at once on this thread.
        next?.resume(returning: true)
    }

    private func nextTicket() -> Int {
        state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
    }

    private func wait(_ ticket: Int, unless isCancelled: () -> Bool = { false }) async -> Bool {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                // Taken in any case: by this task, or by the one that it waits for.
                defer { state.isTaken = true }
                if state.isTaken { state.waiters.append((ticket, continuation)) }
                return !state.isTaken
            }
            if isFree {
                continuation.resume(returning: true)
            }
            // A cancellation that came before the ticket was in line has withdrawn nothing.
            else if isCancelled() {
                withdraw(ticket)
            }
        }
    }

    private func withdraw(_ ticket: Int) {
        let turn = state.withLock { state in
            // Not there any more means that it has its turn: it will give it back itself.
            state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0).turn }
        }
        turn?.resume(returning: false)
    }
}
