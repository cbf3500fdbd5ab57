/// Tells the screen of a slow step to end.
final class SlowScreenSignal: Sendable {
    private struct State {
        var isTold = false
        var waiting: [@Sendable (()) -> Void] = []
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
        for wake in waiting { wake(()) }
    }

    nonisolated(nonsending) func wait() async {
        await waitWithoutHoldingTime(virtualTime) { wake in
            let isTold = state.withLock { state in
                if !state.isTold { state.waiting.append(wake) }
                return state.isTold
            }
            if isTold { wake(()) }
        }
    }
}
