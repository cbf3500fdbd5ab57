import Sequencer

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

    /// Ends the turn; whoever waits longest has the next one.
    func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().turn
        }
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
            state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0).turn }
        }
        turn?.resume(returning: false)
    }
}
