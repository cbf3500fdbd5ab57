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
    /// - Returns: false, without a turn, when the task is cancelled before.
    func take() async -> Bool {
        if Task.isCancelled { return false }
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let isFree = state.withLock { state in
                    // Taken in any case: by this task, or by the one that it waits for.
                    defer { state.isTaken = true }
                    if state.isTaken { state.waiters.append((ticket, turn)) }
                    return !state.isTaken
                }
                if isFree { turn.resume(returning: true) }
                // A cancellation that came before the ticket was in line has withdrawn nothing.
                if Task.isCancelled { withdraw(ticket) }
            }
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// Ends the turn; the task that waits longest has the next one.
    func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.isTaken = !state.waiters.isEmpty
            return state.isTaken ? state.waiters.removeFirst().turn : nil
        }
        // Outside the lock: the next one may run at once on this thread.
        next?.resume(returning: true)
    }

    private func withdraw(_ ticket: Int) {
        let turn = state.withLock { state in
            // Not there any more means that it has its turn: it will give it back itself.
            state.waiters.firstIndex { $0.ticket == ticket }.map { state.waiters.remove(at: $0).turn }
        }
        turn?.resume(returning: false)
    }
}
