/// Waits for what only something else on the clock can bring. They do not hold time still: it moves on without them.
extension VirtualScheduler {
    /// A number for a wait.
    func takeHope() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// The wait begins. `giveUp` is called, in a turn, when nothing is left on the clock that could happen: unless it is ended before.
    func beginHope(_ id: Int, _ giveUp: @escaping @Sendable () -> Void) {
        change { $0.hopes[id] = giveUp }
    }

    func endHope(_ id: Int) {
        // What it holds is let go of without the lock.
        _ = state.withLock { $0.hopes.removeValue(forKey: id) }
    }
}

extension VirtualScheduler.State {
    /// Nothing happens any more: what gives up those who wait, in the order in which they began; nil where somebody who waits in real time may come back.
    mutating func takeHopeless() -> VirtualScheduler.Job? {
        guard !hopes.isEmpty, patience.reals.isEmpty, let engine = launches.first?.engine else { return nil }
        let lost = hopes.sorted { $0.key < $1.key }.map { $0.value }
        hopes = [:]
        activity += 1
        turns += 1
        engine.account.jobs += 1
        return VirtualScheduler.Job(holder: engine) { for giveUp in lost { giveUp() } }
    }
}
