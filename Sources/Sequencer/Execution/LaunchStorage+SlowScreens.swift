// Showing something while steps take long. It runs on the main actor, and nothing but the end of the launch waits for it.

extension LaunchStorage {
    /// Begins and ends what the state machine wants shown.
    func changeScreens() {
        // In the order of the decisions, not of the threads that come here: an end finds the screen that was begun.
        let changes = state.withLock { state in
            state.machine.takeScreenChanges().compactMap { change -> (node: Int, signal: SlowScreenSignal, isShown: Bool)? in
                guard change.isShown else {
                    // It has gone by itself meanwhile.
                    guard let signal = state.screens.removeValue(forKey: change.node) else { return nil }
                    return (change.node, signal, false)
                }
                let signal = SlowScreenSignal(virtualTime)
                state.screens[change.node] = signal
                return (change.node, signal, true)
            }
        }
        for change in changes {
            if change.isShown { show(change.node, change.signal) } else { change.signal.tell() }
        }
    }

    /// Whether it is to be shown; the step has a note of it then.
    private func isStillWanted(_ node: Int, _ signal: SlowScreenSignal) -> Bool {
        state.withLock { state in
            if signal.isTold { return false }
            note(screenOf: node, in: &state)
            return true
        }
    }

    private func note(screenOf node: Int, in state: inout State) {
        guard let limit = graph.policy(node).slowScreen?.limit else { return }
        // Beyond the step's own, so that it takes the place of none.
        state.notes[node, default: []].append("took longer than \(durationText(limit)): that was shown")
    }

    private func show(_ node: Int, _ signal: SlowScreenSignal) {
        guard let screen = graph.policy(node).slowScreen else { return }
        let step = SlowStep(operation: graph.id(node)) { await signal.wait() }
        let holder = virtualTime?.screenBegins(node)
        withCallersValues { [self] in
            Task { @MainActor [self] in
                // The main thread may have been busy until after the step's end.
                if isStillWanted(node, signal) { await TimeHolder.$current.withValue(holder) { await screen.show(step) } }
                // Tasks that it has left behind and that wait for its end.
                signal.tell()
                input { state, now in
                    state.screens[node] = nil
                    state.machine.screenWent(node, at: now, &state.actions)
                }
            }
        }
    }
}

/// Tells the screen of a slow step to end.
final class SlowScreenSignal: Sendable {
    private struct State {
        var isTold = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let virtualTime: VirtualTimekeeper?
    private let state = Locked(State())

    init(_ virtualTime: VirtualTimekeeper?) {
        self.virtualTime = virtualTime
    }

    var isTold: Bool { state.withLock { $0.isTold } }

    func tell() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isTold = true
            return state.waiting
        }
        for wake in waiting { wake() }
    }

    nonisolated(nonsending) func wait() async {
        // This wait does not hold virtual time still.
        let holder = virtualTime?.waitForEndBegins()
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let wake: @Sendable () -> Void = {
                holder?.wakes()
                continuation.resume()
            }
            let isTold = state.withLock { state in
                if !state.isTold { state.waiting.append(wake) }
                return state.isTold
            }
            if isTold { wake() }
        }
        holder?.goesOn()
    }
}
