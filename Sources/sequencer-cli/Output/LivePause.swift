import Sequencer

/// Keeps a live view from drawing while something else has the terminal.
///
/// Whoever wants the terminal calls ``pause()``, waits until the view is gone, and calls ``resume()`` at the end: the view goes on where the
/// cursor is then. Pauses add up. Without a view that is shown, there is nothing to wait for.
final class LivePause: Sendable {
    private struct State {
        var pauses = 0
        /// Whether nothing of the view is on the terminal, and nothing will be without ``LivePause/mayDraw()``.
        var isErased = true
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Has the view look again.
        var wake: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    /// Returns when nothing of the view is on the terminal.
    func pause() async {
        await withCheckedContinuation { continuation in
            let (isErased, wake) = state.withLock { state in
                state.pauses += 1
                if !state.isErased { state.waiters.append(continuation) }
                return (state.isErased, state.wake)
            }
            if isErased { continuation.resume() } else { wake?() }
        }
    }

    /// Ends a pause. The view is drawn again after the last one.
    func resume() {
        let wake = state.withLock { state in
            state.pauses = max(state.pauses - 1, 0)
            return state.pauses == 0 ? state.wake : nil
        }
        wake?()
    }

    // MARK: For the view

    /// - Parameter wake: called when a pause begins or ends, on any thread.
    func begin(wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wake = wake }
    }

    /// Whether there is no pause. If so, whoever begins one waits for ``didErase()``.
    func mayDraw() -> Bool {
        state.withLock { state in
            if state.pauses > 0 { return false }
            state.isErased = false
            return true
        }
    }

    /// Nothing of the view is on the terminal any more.
    func didErase() {
        let waiters = state.withLock { state in
            state.isErased = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The view is over.
    func end() {
        state.withLock { $0.wake = nil }
        didErase()
    }
}
